#include "coordinator/reduce/reducer.hpp"

#include "common/job/run_metadata.hpp"
#include "coordinator/reduce/record_table.hpp"
#include "tests/unit/coordinator/reduce/scratch_folder.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <sstream>

namespace evalfleet::reduce {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> lines_of(const std::string& name) {
    std::ifstream in(fs::path(EVALFLEET_TEST_DATA_DIR) / "conformance/reduce" / name /
                     "expected-records.jsonl");
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

job::Policy quick_policy() {
    job::Policy policy;
    policy.bootstrap.replicates = 200;
    return policy;
}

std::string reduce_text(std::span<const fs::path> files, unsigned threads) {
    const auto summary = reduce_files(files, quick_policy(), {threads});
    return summary ? job::to_json(*summary) : summary.error().message;
}

class ReducerOrder : public testing::TestWithParam<const char*> {};

TEST_P(ReducerOrder, AnyOrderSplitAndThreadsGiveTheSameBytes) {
    std::vector<std::string> lines = lines_of(GetParam());
    const ScratchFolder folder;
    const auto write = [&](std::size_t parts) {
        std::vector<std::string> texts(parts);
        for (std::size_t i = 0; i < lines.size(); ++i) {
            texts[i * parts / lines.size()] += lines[i] + "\n";
        }
        std::vector<fs::path> files;
        for (std::size_t part = 0; part < parts; ++part) {
            files.push_back(folder.write(fmt::format("{}.jsonl", part), texts[part]));
        }
        return files;
    };
    const std::string expected = reduce_text(write(1), 1);
    ASSERT_TRUE(expected.starts_with("{")) << expected;
    std::mt19937 random(17);
    for (unsigned threads = 1; threads <= 8; ++threads) {
        std::shuffle(lines.begin(), lines.end(), random);
        EXPECT_EQ(reduce_text(write(1 + threads % 4), threads), expected);
    }
}

INSTANTIATE_TEST_SUITE_P(Runs, ReducerOrder,
                         testing::Values("06-populations", "12-slices-and-tags", "13-sparse-values",
                                         "16-extreme-latencies", "21-large"),
                         [](const auto& name) {
                             std::string text = name.param;
                             std::ranges::replace(text, '-', '_');
                             return text;
                         });

class ReducerTest : public testing::Test {
  protected:
    job::Summary reduce_lines(std::string_view text, const job::Policy& policy = quick_policy()) {
        const auto summary = reduce_files(std::array{folder_.write("r.jsonl", text)}, policy, {2});
        EXPECT_TRUE(summary) << summary.error().message;
        return summary ? *summary : job::Summary();
    }

    static std::string scored(std::int64_t sample, int repeat, bool passed, double score) {
        return fmt::format(
            R"({{"sample_index":{},"repeat":{},"answer":"x","sample_score":{},"rubric_passed":{},)"
            R"("spec_passed":{},"failure_label":{}}})"
            "\n",
            sample, repeat, score, passed, passed, passed ? "null" : "\"other\"");
    }

    static std::string unscored(int sample, double latency, std::string_view tokens) {
        return fmt::format(
            R"({{"sample_index":{},"repeat":1,"answer":"x","evaluator_error":"parse_error",)"
            R"("latency_e2e_ms":{},"total_tokens":{},"sample_score":null,"rubric_passed":false,)"
            R"("spec_passed":false,"failure_label":"other"}})"
            "\n",
            sample, latency, tokens);
    }

    /// A perfect one.
    static std::string measured(int sample) {
        return fmt::format(
            R"({{"sample_index":{},"repeat":1,"answer":"x","latency_e2e_ms":100,"sample_score":1,)"
            R"("accuracy_score":2,"faithfulness_score":2,"rubric_passed":true,"spec_passed":true}})"
            "\n",
            sample);
    }

    static std::string failed(int sample, std::string_view kind, std::string_view status) {
        return fmt::format(
            R"({{"sample_index":{},"repeat":1,"error_kind":"{}","http_status":{},"sample_score":0,)"
            R"("rubric_passed":false,"spec_passed":false,"failure_label":"other"}})"
            "\n",
            sample, kind, status);
    }

    ScratchFolder folder_;
};

TEST_F(ReducerTest, BoundsWhatUnscoredTrialsCouldChange) {
    const auto summary = reduce_lines(scored(0, 1, true, 1.0) + scored(1, 1, false, 0.5) +
                                      unscored(2, 6000, "4000") + unscored(3, 9000, "null"));
    const job::Extra& extra = summary.extra;
    EXPECT_EQ(extra.unscored_count, 2U);
    EXPECT_EQ(extra.aggregate_score_bounds, (statistics::Interval{1.5 / 4, 3.5 / 4}));
    EXPECT_EQ(extra.rubric_pass_rate_bounds, (statistics::Interval{0.25, 0.75}));
    EXPECT_EQ(extra.spec_pass_rate_bounds, (statistics::Interval{0.25, 0.75}));
}

TEST_F(ReducerTest, BoundsOfTheSpecificationsPassRateDoNotAskForFaithfulness) {
    // Correctness and hallucination are what its condition needs, and both are known.
    const std::string passed =
        R"({"sample_index":0,"repeat":1,"answer":"x","accuracy_score":2,"hallucination_score":0,)"
        R"("hallucination_source":"judge","rubric_passed":false,"spec_passed":true,"failure_label":"other"})"
        "\n";
    const std::string unknown =
        R"({"sample_index":1,"repeat":1,"answer":"x","accuracy_score":2,"faithfulness_score":2,)"
        R"("rubric_passed":false,"spec_passed":false,"failure_label":"other"})"
        "\n";
    const auto bounds = [&](const std::string& line) {
        return reduce_lines(line).extra.spec_pass_rate_bounds;
    };
    EXPECT_EQ(bounds(passed), (statistics::Interval{1, 1}));
    EXPECT_EQ(bounds(unknown), (statistics::Interval{0, 1}));
}

TEST_F(ReducerTest, BoundsAreTheFiguresThemselvesWhenEverythingIsScored) {
    const auto summary = reduce_lines(scored(0, 1, true, 1.0) + scored(1, 1, false, 0.25));
    EXPECT_EQ(summary.extra.aggregate_score_bounds, (statistics::Interval{0.625, 0.625}));
    EXPECT_EQ(summary.extra.spec_pass_rate_bounds, (statistics::Interval{0.5, 0.5}));
}

TEST_F(ReducerTest, IsMeasuredIfNothingThatIsMissingCouldTurnAGate) {
    std::string lines;
    for (int sample = 0; sample < 100; ++sample)
        lines += measured(sample);
    EXPECT_EQ(reduce_lines(lines).extra.measured, job::Measured::complete);
    EXPECT_EQ(reduce_lines(lines).extra.could_measure, job::Measured::complete);
    const auto few = reduce_lines(lines + failed(100, "connect", "null") + unscored(101, 5, "9"));
    EXPECT_EQ(few.extra.measured, job::Measured::complete);
    EXPECT_EQ(few.extra.unmeasured_count, 2U);
    EXPECT_EQ(few.extra.unmeasured_by_reason,
              (std::map<std::string, std::uint64_t>{{"connect", 1}, {"judge parse_error", 1}}));
    EXPECT_TRUE(few.release_ready);
}

TEST_F(ReducerTest, IsPartlyMeasuredWhileAGateIsOpenForWantOfAScore) {
    std::string lines = unscored(0, 5, "9");
    for (int sample = 1; sample < 40; ++sample) {
        lines += fmt::format(
            R"({{"sample_index":{},"repeat":1,"answer":"x","latency_e2e_ms":9,"sample_score":0.816,)"
            R"("accuracy_score":2,"faithfulness_score":2,"rubric_passed":true,"spec_passed":true}})"
            "\n",
            sample);
    }
    const auto summary = reduce_lines(lines);
    EXPECT_TRUE(summary.gates.aggregate_score.passed);
    EXPECT_EQ(summary.gates.aggregate_score.open_because, std::vector{job::OpenReason::unscored});
    EXPECT_EQ(summary.extra.measured, job::Measured::partial);
}

TEST_F(ReducerTest, IsReadyForReleaseOnlyIfEveryGatePasses) {
    std::string lines;
    for (int sample = 0; sample < 20; ++sample)
        lines += measured(sample);
    lines +=
        R"({"sample_index":20,"repeat":1,"answer":"x","latency_e2e_ms":100,"sample_score":0.5,)"
        R"("accuracy_score":0,"faithfulness_score":0,"rubric_passed":false,)"
        R"("spec_passed":false,"failure_label":"other"})"
        "\n";
    EXPECT_TRUE(reduce_lines(lines).release_ready);
    const auto ready_with = [&](double job::Policy::Gates::*threshold, double value) {
        job::Policy policy = quick_policy();
        policy.gates.*threshold = value;
        return reduce_lines(lines, policy).release_ready;
    };
    EXPECT_FALSE(ready_with(&job::Policy::Gates::min_aggregate_score, 0.99));
    EXPECT_FALSE(ready_with(&job::Policy::Gates::min_pass_rate, 0.99));
    EXPECT_FALSE(ready_with(&job::Policy::Gates::max_faithfulness_failure_rate, 0.01));
    EXPECT_FALSE(ready_with(&job::Policy::Gates::max_latency_e2e_p95_ms, 99));
}

TEST_F(ReducerTest, IsPartlyMeasuredIfAGateTurnsWithWhatIsMissing) {
    std::string lines;
    for (int sample = 0; sample < 100; ++sample)
        lines += measured(sample);
    std::string lost;
    for (int sample = 100; sample < 106; ++sample)
        lost += failed(sample, "http_5xx", "503");
    const auto summary = reduce_lines(lines + lost);
    EXPECT_EQ(summary.extra.measured, job::Measured::partial);
    EXPECT_EQ(summary.extra.could_measure, job::Measured::partial)
        << "six of them unfaithful are more than 5 %, and six that never end are its p95";
    EXPECT_EQ(summary.extra.unmeasured_by_reason,
              (std::map<std::string, std::uint64_t>{{"http_5xx 503", 6}}));
    EXPECT_TRUE(summary.release_ready) << "the gates are what they are";
    EXPECT_EQ(summary.extra.aggregate_score_bounds->lower, 100 / 106.0);
    EXPECT_EQ(summary.extra.aggregate_score_bounds->upper, 1);
}

TEST_F(ReducerTest, IsMeasuredByTrialsThatTheModelItselfSpoilt) {
    std::string lines;
    for (int sample = 0; sample < 60; ++sample)
        lines += measured(sample);
    for (int sample = 60; sample < 100; ++sample) {
        lines += sample % 2 == 0 ? failed(sample, "empty_response", "200")
                                 : failed(sample, "http_4xx", "400");
    }
    const auto summary = reduce_lines(lines);
    EXPECT_EQ(summary.extra.could_measure, job::Measured::complete);
    EXPECT_EQ(summary.extra.measured, job::Measured::partial)
        << "with answers to all it might be ready";
    EXPECT_EQ(summary.extra.unmeasured_count, 0U);
    EXPECT_FALSE(summary.release_ready);
    EXPECT_EQ(summary.extra.aggregate_score_bounds, (statistics::Interval{0.6, 1}));
    EXPECT_EQ(summary.extra.rubric_pass_rate_bounds, (statistics::Interval{0.6, 1}));
    EXPECT_EQ(summary.extra.spec_pass_rate_bounds, (statistics::Interval{0.6, 1}));
}

TEST_F(ReducerTest, BoundsCountTimeOutsAsFailedAndAsPerfect) {
    std::string lines;
    for (int sample = 0; sample < 90; ++sample)
        lines += measured(sample);
    for (int sample = 90; sample < 100; ++sample) {
        lines +=
            fmt::format(R"({{"sample_index":{},"repeat":1,"timed_out":true,"error_kind":"timeout",)"
                        R"("latency_e2e_ms":60000,"sample_score":0,"rubric_passed":false,)"
                        R"("spec_passed":false,"failure_label":"timeout_or_latency_exceeded"}})"
                        "\n",
                        sample);
    }
    const auto summary = reduce_lines(lines);
    EXPECT_EQ(summary.extra.rubric_pass_rate_bounds, (statistics::Interval{0.9, 1}));
    EXPECT_FALSE(summary.gates.latency_e2e_p95_ms.passed);
    EXPECT_EQ(summary.extra.measured, job::Measured::partial)
        << "had they been answered at once, p95 were within its limit";
    EXPECT_EQ(summary.extra.could_measure, job::Measured::complete);
}

TEST_F(ReducerTest, IsNotMeasuredWithoutAnAnswerThatHasAScore) {
    using enum job::Measured;
    struct Case {
        std::string lines;
        job::Measured measured;
        job::Measured could_measure;
    };
    for (const Case& one :
         {Case{"", not_measured, complete},
          Case{failed(0, "http_4xx", "401") + failed(1, "http_4xx", "401"), not_measured,
               not_measured},
          Case{failed(0, "malformed_response", "200"), not_measured, not_measured},
          Case{unscored(0, 5, "9") + failed(1, "connect", "null"), partial, not_measured}}) {
        const auto summary = reduce_lines(one.lines);
        EXPECT_EQ(summary.extra.measured, one.measured) << one.lines;
        EXPECT_EQ(summary.extra.could_measure, one.could_measure) << one.lines;
    }
}

TEST_F(ReducerTest, CouldMeasureExactlyWhereNoGateTurnsWithWhatInfrastructureTook) {
    using enum job::Measured;
    const std::string timed_out =
        R"({"sample_index":900,"repeat":1,"timed_out":true,"error_kind":"timeout",)"
        R"("latency_e2e_ms":60000,"sample_score":0,"rubric_passed":false,"spec_passed":false,)"
        R"("failure_label":"timeout_or_latency_exceeded"})"
        "\n";
    const auto many = [](int count, int from, auto make) {
        std::string lines;
        for (int sample = from; sample < from + count; ++sample)
            lines += make(sample);
        return lines;
    };
    const auto lost = [](int sample) { return failed(sample, "connect", "null"); };
    const auto own = [](int sample) { return failed(sample, "empty_response", "200"); };
    struct Case {
        std::string lines;
        job::Measured could_measure;
        std::string why;
    };
    for (const Case& one :
         {Case{timed_out, complete, "the model was too slow for all of them"},
          Case{timed_out + lost(0), partial, "the other might have been in time"},
          Case{lost(0) + lost(1), not_measured, "nothing was seen of the model"},
          Case{many(100, 0, measured) + lost(100), complete, "one in a hundred turns nothing"},
          Case{many(100, 0, measured) + many(6, 100, lost), partial, "faithfulness, p95"},
          Case{many(100, 0, measured) + many(6, 100, own), complete, "they are the model's"},
          Case{many(10, 0, measured) + many(90, 100, own) + lost(300), partial,
               "the p95 of those that ended"},
          Case{many(10, 0, measured) + unscored(30, 5, "9"), partial, "one unfaithful of 11"}}) {
        EXPECT_EQ(reduce_lines(one.lines).extra.could_measure, one.could_measure) << one.why;
    }
}

TEST_F(ReducerTest, IsNotWhollyMeasuredWhereTrialsWereNotMade) {
    using enum job::Measured;
    std::string lines;
    for (int sample = 0; sample < 40; ++sample)
        lines += measured(sample);
    const fs::path path = folder_.write("records.jsonl", lines);
    for (const std::uint64_t expected : {40U, 41U, 1000U}) {
        ReduceOptions options;
        options.expected_trials = expected;
        const auto summary = reduce_files(std::array{path}, quick_policy(), options);
        ASSERT_TRUE(summary);
        const auto as_it_is = expected == 40 ? complete : partial;
        EXPECT_EQ(summary->extra.measured, as_it_is) << expected;
        EXPECT_EQ(summary->extra.could_measure, as_it_is) << expected;
        options.saved_calls = 1;
        const auto certain = reduce_files(std::array{path}, quick_policy(), options);
        ASSERT_TRUE(certain);
        EXPECT_EQ(certain->extra.could_measure, complete) << "the verdict was certain without them";
    }
}

TEST_F(ReducerTest, ResamplesSamplesForThePassRateOnlyWithRepeats) {
    std::string once;
    std::string thrice;
    for (int sample = 0; sample < 30; ++sample) {
        once += scored(sample, 1, sample % 3 != 0, 0.5);
        for (int repeat = 1; repeat <= 3; ++repeat) {
            thrice += scored(sample, repeat, sample % 3 != 0, 0.5);
        }
    }
    EXPECT_EQ(reduce_lines(once).extra.rubric_pass_rate_cluster_ci95, std::nullopt);
    const auto summary = reduce_lines(thrice);
    const auto cluster = summary.extra.rubric_pass_rate_cluster_ci95;
    ASSERT_TRUE(cluster);
    const auto wilson = *summary.all.rubric.pass_rate.ci95;
    // Repeats that always agree bring no information, which Wilson does not know.
    EXPECT_GT(cluster->upper - cluster->lower, 1.4 * (wilson.upper - wilson.lower));
    EXPECT_DOUBLE_EQ(summary.extra.power.rubric_pass_rate.detectable.value(),
                     reduce_lines(once).extra.power.rubric_pass_rate.detectable.value())
        << "nor do they make a difference easier to find";
}

TEST_F(ReducerTest, SaysWhichRunItIsOfIfThatIsKnown) {
    const auto bare = reduce_lines(scored(0, 1, true, 1));
    EXPECT_EQ(bare.run_id, std::nullopt);
    EXPECT_EQ(bare.dataset_hash, std::nullopt);
    EXPECT_EQ(bare.policy_hash.size(), 64U) << "the policy is always known";
    job::Policy other = quick_policy();
    EXPECT_EQ(reduce_lines("", other).policy_hash, bare.policy_hash);
    other.gates.min_pass_rate = 0.9;
    EXPECT_NE(reduce_lines("", other).policy_hash, bare.policy_hash);

    job::RunMetadata metadata;
    metadata.run_id = "r-7";
    metadata.dataset_hash = "abc";
    metadata.sample_count = 3;
    const auto known = reduce_files(std::array{folder_.write("r.jsonl", scored(0, 1, true, 1))},
                                    quick_policy(), options_of(metadata));
    ASSERT_TRUE(known);
    EXPECT_EQ(known->run_id, "r-7");
    EXPECT_EQ(known->dataset_hash, "abc");
    EXPECT_EQ(known->extra.missing_count, 2U);
}

TEST_F(ReducerTest, CountsTokensOfTrialsWithoutAnAnswer) {
    const std::string thought =
        R"({"sample_index":0,"repeat":1,"answer":"","finish_reason":"length",)"
        R"("input_tokens":10,"output_tokens":1024,"total_tokens":1034,"cost_usd":0.5,)"
        R"("accuracy_score":0,"sample_score":0,"rubric_passed":false,"spec_passed":false,)"
        R"("failure_label":"other"})"
        "\n";
    const auto summary = reduce_lines(thought + measured(1));
    EXPECT_EQ(summary.all.rubric.tokens.total, 1034);
    EXPECT_EQ(summary.all.rubric.tokens_per_correct_answer, 1034.0);
    EXPECT_EQ(summary.extra.cost_usd, 0.5);
}

TEST_F(ReducerTest, NoRecordsHaveNoFiguresAndFailTheGates) {
    const auto summary = reduce_lines("");
    EXPECT_FALSE(summary.release_ready);
    EXPECT_EQ(summary.extra.aggregate_score_bounds, std::nullopt);
    EXPECT_EQ(summary.extra.power, job::RunPower{});
    EXPECT_TRUE(summary.task_types.empty());
}

TEST_F(ReducerTest, SparseSampleIndicesAndRepeatsAreJustNames) {
    const auto summary = reduce_lines(scored(4000000000, 7, true, 1) + scored(12, 900, true, 0.5));
    EXPECT_EQ(summary.repeatability.per_repeat.size(), 2U);
    EXPECT_EQ(summary.all.rubric.aggregate_score.value, 0.75);
}

}  // namespace
}  // namespace evalfleet::reduce
