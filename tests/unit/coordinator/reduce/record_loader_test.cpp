#include "coordinator/reduce/record_table.hpp"
#include "tests/unit/coordinator/reduce/scratch_folder.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace evalfleet::reduce {
namespace {

std::string record(int sample, int repeat = 1, std::string_view more = "") {
    return fmt::format(
        R"({{"sample_index":{},"repeat":{},"answer":"x","rubric_passed":true,"spec_passed":true{}}})",
        sample, repeat, more);
}

class RecordLoader : public testing::Test {
  protected:
    Result<RecordTable> load(std::string_view text, const LoadOptions& options = {.threads = 2}) {
        return load_records(std::array{folder_.write("r.jsonl", text)}, options);
    }

    // The message without the folder.
    std::string fault(std::string_view text, const LoadOptions& options = {.threads = 2}) {
        const auto table = load(text, options);
        if (table) return "no error";
        const std::string& message = table.error().message;
        return message.substr(message.rfind('/') + 1);
    }

    std::string fault_of_field(std::string_view more) { return fault(record(0, 1, more)); }

    ScratchFolder folder_;
};

TEST_F(RecordLoader, ReadsEveryLineOnceWhateverTheBlocksAndThreads) {
    std::string text;
    for (int i = 0; i < 300; ++i) {
        text += record(i, 1, fmt::format(R"(,"pad":"{}")", std::string(i % 97, 'p'))) + "\n";
        if (i % 7 == 0) text += i % 2 == 0 ? "\n" : "  \r\n";
    }
    for (const bool feed_at_end : {true, false}) {
        for (const std::size_t block : {1U, 7U, 64U, 100U, 1000U, 100000U}) {
            for (const unsigned threads : {1U, 3U}) {
                const auto table = load(feed_at_end ? text : text.substr(0, text.size() - 1),
                                        {.threads = threads, .block_bytes = block});
                ASSERT_TRUE(table) << table.error().message;
                ASSERT_EQ(table->rows().size(), 300U);
                for (std::uint32_t i = 0; i < 300; ++i) {
                    EXPECT_EQ(table->rows()[i].sample_index, i);
                }
            }
        }
    }
}

TEST_F(RecordLoader, AcceptsAnEmptyFileAndNoFile) {
    EXPECT_EQ(load("")->rows().size(), 0U);
    EXPECT_EQ(load("\n \n\n")->rows().size(), 0U);
    EXPECT_EQ(load_records({})->rows().size(), 0U);
}

TEST_F(RecordLoader, NamesFileLineAndFieldOfTheFirstFault) {
    std::string text;
    for (int i = 0; i < 50; ++i) {
        const bool bad = i == 30 || i == 41 || i == 49;
        text += record(i, 1, bad ? R"(,"latency_e2e_ms":"slow")" : "") + "\n\n";
    }
    for (const std::size_t block : {50U, 333U, 1000000U}) {
        EXPECT_EQ(fault(text, {.threads = 4, .block_bytes = block}),
                  "r.jsonl:61: latency_e2e_ms: expected a number from 0 to 1e+100, found \"slow\"");
    }
}

TEST_F(RecordLoader, ReportsMalformedLines) {
    EXPECT_TRUE(fault(record(0) + "\n" + R"({"sample_index":1)").starts_with("r.jsonl:2: column "));
    EXPECT_TRUE(fault(record(0) + record(1)).starts_with("r.jsonl:1: column "));
    EXPECT_EQ(fault("[]"), "r.jsonl:1: expected a JSON object");
    EXPECT_TRUE(fault(R"({"x":tru})").starts_with("r.jsonl:1: column "));
}

TEST_F(RecordLoader, RejectsWrongTypesAndRanges) {
    EXPECT_EQ(fault(R"({"repeat":1})"),
              "r.jsonl:1: sample_index: expected a whole number from 0, found nothing");
    EXPECT_EQ(fault(record(-1)),
              "r.jsonl:1: sample_index: expected a whole number from 0 to 4294967294, found -1");
    EXPECT_TRUE(fault(record(0, 0)).starts_with("r.jsonl:1: repeat: expected a whole number"));
    EXPECT_EQ(fault_of_field(R"(,"accuracy_score":3)"),
              "r.jsonl:1: accuracy_score: expected a whole number from 0 to 2, found 3");
    EXPECT_EQ(fault_of_field(R"(,"faithfulness_score":1.5)"),
              "r.jsonl:1: faithfulness_score: expected a whole number from 0 to 2, found 1.5");
    EXPECT_TRUE(
        fault_of_field(R"(,"latency_model_ms":-1)").starts_with("r.jsonl:1: latency_model"));
    EXPECT_TRUE(fault_of_field(R"(,"input_tokens":-1)").starts_with("r.jsonl:1: input_tokens: "));
    EXPECT_EQ(fault_of_field(R"(,"timed_out":0)"),
              "r.jsonl:1: timed_out: expected true or false, found 0");
    EXPECT_EQ(fault_of_field(R"(,"error_kind":false)"),
              "r.jsonl:1: error_kind: expected a string, found false");
    EXPECT_EQ(fault_of_field(R"(,"evaluator_error":"bad luck")"),
              "r.jsonl:1: evaluator_error: expected one of parse_error, call_error, missing_label, "
              "found \"bad luck\"");
    EXPECT_TRUE(fault_of_field(R"(,"error_kind":"bad luck")").starts_with("r.jsonl:1: error_kind"));
    EXPECT_TRUE(fault_of_field(R"(,"http_status":1000)").starts_with("r.jsonl:1: http_status: "));
    EXPECT_EQ(fault_of_field(R"(,"tags":["a"])"),
              "r.jsonl:1: tags: expected an object of strings, found an array");
    EXPECT_EQ(fault_of_field(R"(,"tags":{"lang":1})"), "r.jsonl:1: tags: lang: expected a string");
    EXPECT_EQ(fault_of_field(R"(,"tags":{"a":"1","a":"1"})"), "r.jsonl:1: tags: a: given twice");
    EXPECT_EQ(fault_of_field(R"(,"failure_label":"bad luck")"),
              "r.jsonl:1: failure_label: expected a label of the taxonomy, found \"bad luck\"");
    EXPECT_EQ(fault_of_field(R"(,"evaluation_schema_version":"2.0")"),
              "r.jsonl:1: evaluation_schema_version: expected one of 1.0, 1.1, found \"2.0\"");
}

TEST_F(RecordLoader, SaysThatARecordIsNotDerived) {
    EXPECT_EQ(fault(R"({"sample_index":0,"repeat":1})"),
              "r.jsonl:1: rubric_passed: expected true or false (is this a derived record?), "
              "found nothing");
    EXPECT_EQ(fault(R"({"sample_index":0,"repeat":1,"rubric_passed":true,"spec_passed":false})"),
              "r.jsonl:1: failure_label: expected a label, as the trial fails, found nothing");
}

TEST_F(RecordLoader, NamesTheSecondOfTwoEqualRecords) {
    const std::string text =
        record(5) + "\n" + record(4) + "\n" + record(5, 2) + "\n\n" + record(5);
    for (const std::size_t block : {10U, 100000U}) {
        EXPECT_EQ(fault(text, {.threads = 2, .block_bytes = block}),
                  "r.jsonl:5: sample_index 5, repeat 1: given twice");
    }
}

TEST_F(RecordLoader, RefusesLinesOverTheLimit) {
    const std::string text = record(1) + "\n" + record(2) + "\n" +
                             record(0, 1, R"(,"pad":")" + std::string(5000, 'x') + "\"") + "\n";
    for (const std::size_t block : {64U, 4096U}) {
        const LoadOptions options{.threads = 1, .block_bytes = block, .max_line_bytes = 1000};
        EXPECT_EQ(fault(text, options), "r.jsonl:3: a line of more than 1000 bytes");
        EXPECT_EQ(load(text, options).error().kind, ErrorKind::too_large);
    }
    EXPECT_TRUE(load(text, {.threads = 1, .block_bytes = 64, .max_line_bytes = 6000}));
}

TEST_F(RecordLoader, TellsAMissingFileFromAFaultyOne) {
    const auto missing = load_records(std::array{folder_.path() / "none.jsonl"});
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().kind, ErrorKind::not_found);
    const auto folder = load_records(std::array{folder_.path()});
    ASSERT_FALSE(folder);
    EXPECT_EQ(folder.error().kind, ErrorKind::invalid);
}

TEST_F(RecordLoader, RefusesTokenSumsBeyond64Bits) {
    const std::string_view huge = R"(,"input_tokens":9223372036854775807)";
    const std::string text = record(0, 1, huge) + "\n" + record(1, 1, huge);
    EXPECT_EQ(fault(text, {.threads = 1}), "r.jsonl:2: the sum of tokens leaves 64 bits");
}

}  // namespace
}  // namespace evalfleet::reduce
