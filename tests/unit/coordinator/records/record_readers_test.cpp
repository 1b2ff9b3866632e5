#include "common/job/trial_record_json.hpp"
#include "common/json/document.hpp"
#include "coordinator/records/trial_table.hpp"
#include "coordinator/reduce/record_parser.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace evalfleet::records {
namespace {

/// What a reader made of a record that has both documents' names; nullopt: no value.
struct Read {
    std::optional<int> accuracy;
    std::optional<double> ratio;
};

std::string padded(const std::string& line) {
    return line + std::string(json::FieldReader::kPaddingBytes, '\0');
}

Result<Read> read_as_record(const std::string& line) {
    const auto document = json::Document::parse(line);
    if (!document) return document.error();
    const auto record = job::read_trial_record(document->root());
    if (!record) return record.error();
    return Read{record->correctness_score, record->output_input_ratio};
}

Result<Read> read_as_row(const std::string& line) {
    reduce::RecordParser parser;
    std::vector<reduce::TrialRow> rows;
    const std::string bytes = padded(line);
    if (const auto parsed = parser.parse(std::string_view(bytes).substr(0, line.size()), rows);
        !parsed)
        return parsed.error();
    Read read;
    if (rows[0].accuracy != reduce::TrialRow::kNoScore)
        read.accuracy = static_cast<int>(rows[0].accuracy);
    if (!std::isnan(rows[0].output_input_ratio)) read.ratio = rows[0].output_input_ratio;
    return read;
}

/// Lists of trials have no ratio: what the others found is taken over.
Result<Read> read_as_entry(const std::string& line) {
    TrialReader reader;
    reduce::SliceDictionary slices;
    const std::string bytes = padded(line);
    const auto entry = reader.read(std::string_view(bytes).substr(0, line.size()), slices);
    if (!entry) return entry.error();
    Read read{.accuracy = {}, .ratio = read_as_record(line).value().ratio};
    if (entry->accuracy != TrialEntry::kNone) read.accuracy = entry->accuracy;
    return read;
}

struct Case {
    const char* members;
    std::optional<int> accuracy;
    std::optional<double> ratio;
};

// The Rubric's names are accuracy_score and token_efficiency_ratio; null is not given.
const Case kCases[] = {
    {R"("accuracy_score":1)", 1, {}},
    {R"("correctness_score":2)", 2, {}},
    {R"("accuracy_score":1,"correctness_score":1)", 1, {}},
    {R"("accuracy_score":1,"correctness_score":2)", 1, {}},
    {R"("correctness_score":2,"accuracy_score":1)", 1, {}},
    {R"("accuracy_score":null,"correctness_score":2)", 2, {}},
    {R"("correctness_score":2,"accuracy_score":null)", 2, {}},
    {R"("accuracy_score":0,"correctness_score":null)", 0, {}},
    {R"("accuracy_score":null,"correctness_score":null)", {}, {}},
    {R"("accuracy_score":2.0,"correctness_score":0.0)", 2, {}},
    {R"("token_efficiency_ratio":0.5)", {}, 0.5},
    {R"("output_input_ratio":0.25)", {}, 0.25},
    {R"("token_efficiency_ratio":0.5,"output_input_ratio":0.25)", {}, 0.5},
    {R"("output_input_ratio":0.25,"token_efficiency_ratio":0.5)", {}, 0.5},
    {R"("token_efficiency_ratio":null,"output_input_ratio":0.25)", {}, 0.25},
    {R"("token_efficiency_ratio":0.5,"output_input_ratio":null)", {}, 0.5},
    {R"("evaluator_notes":"b","rationale":"a")", {}, {}},
};

struct Reader {
    const char* name;
    Result<Read> (*read)(const std::string& line);
};

class RecordReaders : public ::testing::TestWithParam<Reader> {};

std::string record_with(std::string_view members) {
    return fmt::format(R"({{"evaluation_schema_version":"1.0","sample_index":0,"repeat":1,)"
                       R"("answer":"x","rubric_passed":true,"spec_passed":true,{}}})",
                       members);
}

TEST_P(RecordReaders, TakeTheRubricsNameWhereBothAreGiven) {
    for (const Case& example : kCases) {
        const auto read = GetParam().read(record_with(example.members));
        ASSERT_TRUE(read) << example.members << ": " << read.error().message;
        EXPECT_EQ(read->accuracy, example.accuracy) << example.members;
        EXPECT_EQ(read->ratio, example.ratio) << example.members;
    }
}

TEST_P(RecordReaders, RefuseAKeyThatIsGivenTwice) {
    EXPECT_FALSE(GetParam().read(record_with(R"("accuracy_score":1,"accuracy_score":1)")));
}

INSTANTIATE_TEST_SUITE_P(All, RecordReaders,
                         ::testing::Values(Reader{"record", read_as_record},
                                           Reader{"row", read_as_row},
                                           Reader{"entry", read_as_entry}),
                         [](const auto& chosen) { return std::string(chosen.param.name); });

TEST(RecordNames, KeepTheRubricsTextWhereBothAreGiven) {
    for (const char* members :
         {R"("evaluator_notes":"b","rationale":"a")", R"("rationale":"a","evaluator_notes":"b")"}) {
        const auto document = json::Document::parse(record_with(members)).value();
        EXPECT_EQ(job::read_trial_record(document.root())->rationale, "a") << members;
    }
}

}  // namespace
}  // namespace evalfleet::records
