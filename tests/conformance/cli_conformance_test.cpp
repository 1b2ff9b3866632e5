#include "common/scoring/json_schema.hpp"
#include "tests/conformance/comparison.hpp"
#include "tests/conformance/vectors.hpp"
#include "tests/integration/cli/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace evalfleet::conformance {
namespace {

using test::evalfleet;
using test::Outcome;
using testing::AnyOf;
using testing::IsEmpty;

scoring::JsonSchema published_schema(const std::string& name) {
    const auto docs = vectors().parent_path().parent_path() / "docs" / "schemas";
    return scoring::JsonSchema::compile(read_file(docs / (name + ".schema.json"))).value();
}

/// What a schema has against a text; empty if it follows it.
std::string violation(const scoring::JsonSchema& schema, const std::string& json) {
    return schema.violation(scoring::parse_json_tree(json).value()).value_or("");
}

class ReduceVectors : public testing::TestWithParam<std::string> {
  protected:
    [[nodiscard]] std::filesystem::path folder() const { return vectors() / "reduce" / GetParam(); }
    [[nodiscard]] std::string file(const std::string& name) const {
        return (folder() / name).string();
    }
    [[nodiscard]] Outcome reduce(const std::string& records) const {
        Outcome outcome = evalfleet({"reduce", records, "--policy", file("policy.json")});
        EXPECT_THAT(outcome.exit_code, AnyOf(0, 1)) << outcome.err;
        return outcome;
    }
};

TEST_P(ReduceVectors, DeriveGivesTheExpectedRecords) {
    const Outcome outcome =
        evalfleet({"derive", file("trials.jsonl"), "--policy", file("policy.json")});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(record_differences(read_file(folder() / "expected-records.jsonl"), outcome.out),
                IsEmpty());
    const scoring::JsonSchema schema = published_schema("record");
    for (const std::string& line : split_lines(outcome.out)) {
        EXPECT_EQ(violation(schema, line), "");
    }
}

TEST_P(ReduceVectors, ReduceGivesTheExpectedSummary) {
    const Outcome outcome = reduce(file("expected-records.jsonl"));
    const json::Document expected = parse(read_file(folder() / "expected-summary.json"));
    const json::Document summary = parse(outcome.out);
    EXPECT_THAT(differences(expected.root(), summary.root(), "summary"), IsEmpty());
    EXPECT_EQ(violation(published_schema("summary"), outcome.out), "");
    const bool ready = summary.root().get<bool>("release_ready").value();
    EXPECT_EQ(outcome.exit_code, ready ? 0 : 1);
}

TEST_P(ReduceVectors, ReduceGivesTheSameBytesForRecordsInReversedOrder) {
    std::vector<std::string> lines = split_lines(read_file(folder() / "expected-records.jsonl"));
    std::reverse(lines.begin(), lines.end());
    std::string reversed;
    for (const std::string& line : lines)
        reversed += line + '\n';
    const test::ScratchFolder scratch;
    EXPECT_EQ(reduce(scratch.put("records.jsonl", reversed)).out,
              reduce(file("expected-records.jsonl")).out);
}

TEST_P(ReduceVectors, ReduceOfDerivedTrialsIsReduceOfTheExpectedRecords) {
    const test::ScratchFolder scratch;
    const std::string records = scratch.file("records.jsonl");
    ASSERT_EQ(evalfleet({"derive", file("trials.jsonl"), "--policy", file("policy.json"), "--out",
                         records})
                  .exit_code,
              0);
    EXPECT_EQ(reduce(records).out, reduce(file("expected-records.jsonl")).out);
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
    std::string name = info.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Cli, ReduceVectors, testing::ValuesIn(reduce_cases()), test_name);

TEST(JudgeVectors, AreParsedAsExpected) {
    const std::filesystem::path cases = vectors() / "judge" / "cases.jsonl";
    const Outcome outcome = evalfleet({"judge-parse", cases.string()});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(case_differences(read_file(cases), outcome.out), IsEmpty());
}

TEST(RenderVectors, AreRenderedAsExpected) {
    const std::filesystem::path cases = vectors() / "render" / "cases.jsonl";
    const Outcome outcome = evalfleet({"render", cases.string()});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(case_differences(read_file(cases), outcome.out), IsEmpty());
}

}  // namespace
}  // namespace evalfleet::conformance
