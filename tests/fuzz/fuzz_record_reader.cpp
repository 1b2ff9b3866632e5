#include "common/job/trial_record_json.hpp"
#include "common/json/document.hpp"
#include "common/scoring/derive.hpp"
#include "tests/fuzz/check.hpp"

namespace {

using namespace evalfleet;
using fuzz::check;

job::TrialRecord read_again(const std::string& json) {
    const auto document = json::Document::parse(json);
    check(document.has_value(), "what was written is JSON");
    const auto record = job::read_trial_record(document->root());
    check(record.has_value(), "what was written can be read");
    return *record;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto document = json::Document::parse({reinterpret_cast<const char*>(data), size});
    if (!document) return 0;
    job::UnknownMembers unknown;
    auto record = job::read_trial_record(document->root(), &unknown);
    if (!record) {
        check(!record.error().message.empty(), "a wrong record has a reason");
        return 0;
    }
    check(read_again(job::to_json(*record)) == *record, "a record is read as it was written");

    scoring::derive(*record, {});
    job::TrialRecord again = *record;
    scoring::derive(again, {});
    // A judge that scored faithfulness but not hallucination leaves a record that says of neither
    // where it came from; read again, the second is derived from the first.
    const bool half_scored = record->faithfulness_score && !record->hallucination_score;
    check(half_scored || again == *record, "deriving twice is deriving once");
    check(read_again(job::to_json(*record)) == *record,
          "a derived record is read as it was written");

    std::string with_unknown;
    json::Writer writer(with_unknown);
    job::write(writer, *record, unknown);
    check(read_again(with_unknown) == *record, "unknown members change nothing");
    return 0;
}
