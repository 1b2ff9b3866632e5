#include "coordinator/reduce/record_field.hpp"
#include "coordinator/reduce/record_parser.hpp"
#include "tests/fuzz/check.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

using namespace evalfleet;

namespace {

void check_that_both_ways_to_read_agree(std::string_view line) {
    json::FieldReader reader(reduce::field_names());
    std::vector<json::FieldValue> quick(reduce::field_names().size());
    std::vector<json::FieldValue> strict(quick.size());
    const Status read = reader.read(line, quick);
    fuzz::check(read.has_value() == reader.read_strictly(line, strict).has_value(),
                "a line is accepted both ways or neither");
    for (std::size_t i = 0; read && i < quick.size(); ++i)
        fuzz::check(quick[i].kind == strict[i].kind, "a value is of the same kind both ways");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string text(reinterpret_cast<const char*>(data), size);
    text.resize(size + json::FieldReader::kPaddingBytes);
    const std::string_view line = std::string_view(text).substr(0, size);
    check_that_both_ways_to_read_agree(line);
    reduce::RecordParser parser;
    std::vector<reduce::TrialRow> rows;
    const Status parsed = parser.parse(line, rows);
    fuzz::check(rows.size() == (parsed ? 1U : 0U), "a line is a row or an error");
    if (!parsed) {
        fuzz::check(!parsed.error().message.empty(), "a refusal says why");
        return 0;
    }
    const reduce::TrialRow& row = rows[0];
    fuzz::check(row.repeat >= 1, "repeats count from 1");
    fuzz::check(row.slice_set < parser.slices().sets().size(), "a row has its slices");
    fuzz::check(!std::isinf(row.latency_e2e_ms) && !(row.latency_e2e_ms < 0),
                "a latency is finite and not negative");
    // Twice the tokens of one line may be more than 64 bits hold.
    const Status again = parser.parse(line, rows);
    fuzz::check(again || again.error().kind == ErrorKind::too_large, "a good line is good again");
    fuzz::check(!again || rows[0].key() == rows[1].key(), "and has the same place");
    return 0;
}
