#include "common/job/run_metadata.hpp"
#include "common/json/document.hpp"
#include "tests/integration/cli/program.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>

namespace evalfleet::test {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Trial {
    bool passed = true;
    double latency = 1000;
};
using TrialOf = std::function<Trial(int sample)>;

struct Shape {
    int samples = 60;
    int repeats = 1;  ///< identical ones
    int first = 0;    ///< index of the first sample
    std::uint32_t replicates = 200;
    std::string id = "r";
    const char* more = "";  ///< members of every record
};

class FinishedRun {
  public:
    explicit FinishedRun(const TrialOf& trial_of, const Shape& shape = {}) {
        std::string records;
        for (int i = 0; i < shape.samples * shape.repeats; ++i) {
            const int sample = i / shape.repeats;
            const Trial trial = trial_of(sample);
            records += fmt::format(
                R"({{"sample_index":{},"repeat":{},"answer":"a","latency_e2e_ms":{},)"
                R"("sample_score":{},"rubric_passed":{},"spec_passed":{},"failure_label":{}{}}})"
                "\n",
                sample + shape.first, i % shape.repeats + 1, trial.latency,
                trial.passed ? 0.9 : 0.5, trial.passed, trial.passed,
                trial.passed ? "null" : "\"other\"", shape.more);
        }
        job::RunMetadata metadata;
        metadata.run_id = shape.id;
        metadata.timestamp_utc = "2026-01-02T03:04:05Z";
        metadata.dataset_hash = "d";
        metadata.model = {"p", "m", "1"};
        metadata.policy.bootstrap.replicates = shape.replicates;
        folder_.put("run.json", job::to_json(metadata));
        folder_.put("records.jsonl", records);
    }

    [[nodiscard]] std::string path() const { return folder_.path(); }

  private:
    ScratchFolder folder_;
};

Trial fine(int) {
    return {};
}
Trial wrong(int) {
    return {false, 1000};
}

// Seven samples lost, one won: as a split of eight that is chance, as one of 24 it would not be.
Trial lost_seven(int sample) {
    return {sample >= 7, 1000};
}
Trial lost_another(int sample) {
    return {sample != 30, 1000};
}

// Slower in a little more samples than chance would have it.
Trial uneven(int sample) {
    return {true, 1000 + (sample % 3 == 0 ? -100.0 : 100.0) + 5 * std::sin(sample)};
}

TEST(CompareRule, TakesRepeatsOfASampleForOneSampleInAGroup) {
    const Shape base{.repeats = 3};
    const Shape other{.repeats = 3, .id = "s"};
    const FinishedRun first(lost_another, base);
    const FinishedRun second(lost_seven, other);
    const Outcome outcome = evalfleet({"reduce", "--group", first.path(), second.path()});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
}

TEST(CompareRule, CorrectsForAllMetricsThatItTests) {
    const FinishedRun base(fine, {.samples = 27});
    const FinishedRun candidate(uneven, {.samples = 27, .id = "s"});
    const Outcome outcome = evalfleet({"compare", base.path(), candidate.path(), "--json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
}

// The rows of a comparison and of a group are the same text.
TEST(CompareRule, SaysTheSameAsAGroupOfTwo) {
    const FinishedRun base(lost_another, {.repeats = 3});
    const FinishedRun candidate(lost_seven, {.repeats = 3, .id = "s"});
    const auto rows = [](const std::string& out, std::string_view begin, std::string_view end) {
        std::string text;
        bool inside = false;
        for (std::size_t at = 0; at < out.size();) {
            const std::size_t next = out.find('\n', at);
            std::string line = out.substr(at, next - at);
            line.erase(0, line.find_first_not_of(' '));
            if (line.starts_with(end)) inside = false;
            if (inside) text += line + '\n';
            if (line.starts_with(begin) && text.empty()) inside = !line.ends_with("[]");
            at = next == std::string::npos ? out.size() : next + 1;
        }
        return text;
    };
    const std::string compared = rows(
        evalfleet({"compare", base.path(), candidate.path(), "--json"}).out, "\"metrics\"", "]");
    const std::string grouped =
        rows(evalfleet({"reduce", "--group", base.path(), candidate.path()}).out,
             "\"differences\": [", "]");
    EXPECT_THAT(compared, HasSubstr("\"rubric_pass_rate\""));
    EXPECT_EQ(compared, grouped);
}

TEST(CompareRule, EndsWithThreeWhereItCannotTell) {
    // Four tests: with seven samples the least p-value is 2 / 2^7, and 4 times that is above 0.05.
    for (const int samples : {1, 2, 5, 7}) {
        const FinishedRun base(fine, {.samples = samples});
        const FinishedRun bad(wrong, {.samples = samples, .id = "s"});
        for (const FinishedRun* candidate : {&base, &bad}) {
            const Outcome outcome = evalfleet({"compare", base.path(), candidate->path()});
            EXPECT_EQ(outcome.exit_code, 3) << samples << outcome.out;
            EXPECT_THAT(outcome.out, HasSubstr("Cannot tell")) << samples;
        }
    }
    const FinishedRun base(fine);
    const FinishedRun elsewhere(fine, {.first = 1000, .id = "s"});
    const Outcome apart = evalfleet({"compare", base.path(), elsewhere.path()});
    EXPECT_EQ(apart.exit_code, 3);
    EXPECT_THAT(apart.out, Not(HasSubstr("No metric is worse")));
    const FinishedRun unsure(fine, {.replicates = 0});
    const FinishedRun worse(wrong, {.replicates = 0, .id = "s"});
    EXPECT_EQ(evalfleet({"compare", unsure.path(), worse.path()}).exit_code, 3);
    EXPECT_EQ(evalfleet({"reduce", "--group", unsure.path(), worse.path()}).exit_code, 3);
    EXPECT_EQ(evalfleet({"compare", unsure.path(), worse.path(), "--bootstrap", "0"}).exit_code, 3);
    EXPECT_EQ(evalfleet({"compare", unsure.path(), worse.path(), "--bootstrap", "40"}).exit_code,
              1);
}

TEST(CompareRule, FindsAllOf26RunsThatAreSlowerByHalf) {
    std::vector<std::unique_ptr<FinishedRun>> runs;
    std::vector<std::string> arguments{"reduce", "--group"};
    for (int run = 0; run < 27; ++run) {
        const double factor = run == 0 ? 1.0 : 1.5;
        const auto trial_of = [&](int sample) {
            return Trial{true, factor * (1000 + 100 * std::sin(sample * (run + 1.0)))};
        };
        runs.push_back(std::make_unique<FinishedRun>(
            trial_of, Shape{.replicates = 2000, .id = fmt::format("r{}", run)}));
        arguments.push_back(runs.back()->path());
    }
    const Outcome outcome = evalfleet(arguments);
    EXPECT_EQ(outcome.exit_code, 1);
    std::size_t found = 0;
    for (std::size_t at = 0;
         (at = outcome.out.find("\"significant_regression\": true", at)) != std::string::npos; ++at)
        ++found;
    EXPECT_EQ(found, 26U);
}

TEST(CompareRule, HoldsTheCandidateAgainstMargins) {
    const FinishedRun base(fine, {.samples = 200});
    const FinishedRun candidate(
        [](int sample) {
            return Trial{sample % 50 != 0, 1000};
        },
        {.samples = 200, .id = "s"});
    const auto code = [&](const std::string& margin) {
        return evalfleet({"compare", base.path(), candidate.path(), "--margin", margin}).exit_code;
    };
    EXPECT_EQ(code("rubric_pass_rate=0.1"), 0);
    EXPECT_EQ(code("rubric_pass_rate=0.1,latency_e2e_ms=0.1"), 0);
    EXPECT_EQ(code("rubric_pass_rate=0.03"), 3);
    const Outcome shown =
        evalfleet({"compare", base.path(), candidate.path(), "--margin", "rubric_pass_rate=0.1"});
    EXPECT_THAT(shown.out, HasSubstr("no worse\n"));
}

TEST(CompareRule, EndsWithTwoForAMarginThatMakesNoSense) {
    const FinishedRun base(fine);
    for (const char* margin : {"speed=1", "rubric_pass_rate=-0.1", "rubric_pass_rate=x", "",
                               "rubric_pass_rate", "total_tokens=1,total_tokens=2"}) {
        const Outcome outcome =
            evalfleet({"compare", base.path(), base.path(), "--margin", margin});
        EXPECT_EQ(outcome.exit_code, 2) << margin;
        EXPECT_THAT(outcome.err, HasSubstr("margin")) << margin;
    }
    EXPECT_THAT(evalfleet({"compare", base.path(), base.path(), "--margin", "speed=1"}).err,
                testing::AllOf(HasSubstr("'speed'"), HasSubstr("allowed: aggregate_score")));
}

TEST(ComparePower, SaysHowManySamplesFindADifferenceThatIsNamed) {
    const FinishedRun base(fine, {.samples = 200});
    const FinishedRun candidate(
        [](int sample) {
            return Trial{sample % 50 != 0, 1000};
        },
        {.samples = 200, .id = "s"});
    const Outcome shown =
        evalfleet({"compare", base.path(), candidate.path(), "--detect", "rubric_pass_rate=0.01"});
    EXPECT_THAT(shown.out, HasSubstr("A true difference of this size is found 4 times of 5:"));
    EXPECT_THAT(shown.out, HasSubstr("    to find 0.01: "));
    EXPECT_THAT(shown.out, HasSubstr("no sample was repeated"));
    const Outcome json = evalfleet(
        {"compare", base.path(), candidate.path(), "--json", "--detect", "rubric_pass_rate=0.01"});
    EXPECT_THAT(json.out, HasSubstr("\"detect\": 0.01"));
    EXPECT_THAT(json.out, Not(HasSubstr("\"samples_to_detect\": 0")));
}

TEST(ComparePower, EndsWithTwoForADifferenceThatMakesNoSense) {
    const FinishedRun base(fine);
    for (const char* detect : {"speed=1", "rubric_pass_rate=0", "rubric_pass_rate"}) {
        const Outcome outcome =
            evalfleet({"compare", base.path(), base.path(), "--detect", detect});
        EXPECT_EQ(outcome.exit_code, 2) << detect;
        EXPECT_THAT(outcome.err, HasSubstr("--detect: ")) << detect;
    }
}

TEST(CompareRule, DoesNotCompareTheLatencyOfARejudgedRun) {
    const FinishedRun base(fine);
    const FinishedRun rejudged(
        [](int) {
            return Trial{true, 9000};
        },
        {.id = "s", .more = R"(,"rejudged_from":"r")"});
    const Outcome outcome = evalfleet({"compare", base.path(), rejudged.path()});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
    EXPECT_THAT(outcome.out, HasSubstr("not compared: the answers were taken over"));
}

}  // namespace
}  // namespace evalfleet::test
