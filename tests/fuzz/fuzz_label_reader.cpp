#include "common/json/document.hpp"
#include "common/scoring/derive.hpp"
#include "common/scoring/manual_label.hpp"
#include "tests/fuzz/check.hpp"

#include <cstdint>

using namespace evalfleet;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto document = json::Document::parse({reinterpret_cast<const char*>(data), size});
    if (!document) return 0;
    const auto label = scoring::read_manual_label(document->root());
    if (!label) {
        fuzz::check(!label.error().message.empty(), "a refusal says why");
        return 0;
    }
    std::string text;
    json::Writer writer(text);
    scoring::write(writer, *label);
    const auto again = scoring::read_manual_label(json::Document::parse(text).value().root());
    fuzz::check(again && *again == *label, "a label reads back as it was written");

    job::TrialRecord record;
    record.answer = "a";
    scoring::apply(&*label, record);
    scoring::derive(record, {});
    const job::TrialRecord once = record;
    scoring::derive(record, {});
    fuzz::check(record == once, "deriving a derived record changes nothing");
    fuzz::check(record.correctness_score && record.faithfulness_score, "a label scores");
    return 0;
}
