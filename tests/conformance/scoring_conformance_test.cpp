#include "common/job/policy_json.hpp"
#include "common/job/trial_record_json.hpp"
#include "common/scoring/derive.hpp"
#include "tests/conformance/vectors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::conformance {
namespace {

class DeriveConformance : public testing::TestWithParam<std::string> {};

std::string derive_file(const std::filesystem::path& folder) {
    const job::Policy policy = job::parse_policy(read_file(folder / "policy.json")).value();
    std::string out;
    for (const std::string& line : split_lines(read_file(folder / "trials.jsonl"))) {
        const json::Document trial = parse(line);
        job::TrialRecord record = job::read_trial_record(trial.root()).value();
        scoring::derive(record, policy);
        out += job::to_json(record) + '\n';
    }
    return out;
}

TEST_P(DeriveConformance, FillsInTheExpectedRecords) {
    const std::filesystem::path folder = vectors() / "reduce" / GetParam();
    const auto found =
        record_differences(read_file(folder / "expected-records.jsonl"), derive_file(folder));
    EXPECT_THAT(found, testing::IsEmpty());
}

TEST_P(DeriveConformance, ChangesNothingInRecordsThatAreDerived) {
    const std::filesystem::path folder = vectors() / "reduce" / GetParam();
    const job::Policy policy = job::parse_policy(read_file(folder / "policy.json")).value();
    for (const std::string& line : split_lines(read_file(folder / "expected-records.jsonl"))) {
        const json::Document document = parse(line);
        const job::TrialRecord record = job::read_trial_record(document.root()).value();
        job::TrialRecord again = record;
        scoring::derive(again, policy);
        EXPECT_EQ(job::to_json(again), job::to_json(record));
    }
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
    std::string name = info.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Vectors, DeriveConformance, testing::ValuesIn(reduce_cases()), test_name);

}  // namespace
}  // namespace evalfleet::conformance
