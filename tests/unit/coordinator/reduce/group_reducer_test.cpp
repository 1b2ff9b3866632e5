#include "coordinator/reduce/group_reducer.hpp"

#include "common/json/document.hpp"
#include "coordinator/reduce/reducer.hpp"
#include "tests/unit/coordinator/reduce/scratch_folder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

namespace evalfleet::reduce {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Trial {
    bool passed = true;
    double score = 0.9;
    double latency = 1000;
};
using TrialOf = std::function<Trial(int sample, int repeat)>;

constexpr int kSamples = 120;
constexpr int kRepeats = 2;

std::vector<std::string> make_records(const TrialOf& trial_of) {
    std::vector<std::string> lines;
    for (int i = 0; i < kSamples * kRepeats; ++i) {
        const Trial trial = trial_of(i / kRepeats, i % kRepeats + 1);
        lines.push_back(fmt::format(
            R"({{"sample_index":{},"repeat":{},"answer":"x","sample_score":{},)"
            R"("latency_e2e_ms":{},"total_tokens":3,"accuracy_score":{},"rubric_passed":{},)"
            R"("spec_passed":{},"failure_label":{}}})"
            "\n",
            i / kRepeats, i % kRepeats + 1, trial.score, trial.latency, trial.passed ? 2 : 0,
            trial.passed, trial.passed, trial.passed ? "null" : "\"other\""));
    }
    return lines;
}

std::string join(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines)
        text += line;
    return text;
}

class GroupReducer : public testing::Test {
  protected:
    GroupMember member(const std::string& id, const std::string& model, const std::string& prompt,
                       const TrialOf& trial_of) {
        GroupMember result;
        job::RunMetadata& run = result.metadata;
        run.run_id = id;
        run.group_id = "g";
        run.dataset_hash = "abc";
        run.sample_count = kSamples;
        run.repeats = kRepeats;
        run.model = {"p", model, "1"};
        run.prompt_template = {
            .id = "t", .version = prompt, .system = {}, .text = "", .sha256 = ""};
        run.policy.bootstrap.replicates = 300;
        result.records = {folder_.write(id + ".jsonl", join(make_records(trial_of)))};
        return result;
    }

    // Two models with two prompts each; the second model fails more often.
    std::vector<GroupMember> matrix() {
        const auto trial_of = [](int model, int prompt) {
            return [model, prompt](int sample, int repeat) {
                const int roll = (sample * 7 + repeat * 3 + prompt) % 20;
                return Trial{roll >= 2 + model * 6,
                             0.2 + 0.03 * roll - 0.1 * model + 0.001 * prompt,
                             500.0 + 13 * ((sample * 31 + repeat) % 97) + 100 * model};
            };
        };
        return {member("r1", "big", "1", trial_of(0, 0)), member("r2", "big", "2", trial_of(0, 1)),
                member("r3", "small", "1", trial_of(1, 0)),
                member("r4", "small", "2", trial_of(1, 1))};
    }

    static const MetricDifference& metric(const RankedRun& ranked, std::string_view name) {
        return *std::ranges::find(ranked.differences, name, &MetricDifference::name);
    }

    ScratchFolder folder_;
};

TEST_F(GroupReducer, SlicesByModelAndByPromptTemplateVersion) {
    const auto summary = reduce_group(matrix());
    ASSERT_TRUE(summary) << summary.error().message;
    EXPECT_EQ(summary->group_id, "g");
    ASSERT_EQ(summary->models.size(), 2U);
    ASSERT_EQ(summary->prompt_templates.size(), 2U);
    const job::Blocks& big = summary->models.at("p/big@1");
    EXPECT_EQ(big.rubric.total_count, 2U * kSamples * kRepeats);
    EXPECT_EQ(big.rubric.pass_count, summary->runs[0].blocks.rubric.pass_count +
                                         summary->runs[1].blocks.rubric.pass_count);
    EXPECT_EQ(big.rubric.tokens.total, 3 * 2 * kSamples * kRepeats);
    EXPECT_EQ(summary->prompt_templates.at("t@2").rubric.total_count, 2U * kSamples * kRepeats);
}

// The same trials as one run with twice the repeats: its unit of resampling is the sample, too.
TEST_F(GroupReducer, DrawsTheTrialsOfOneDatasetLineTogether) {
    auto members = matrix();
    members.resize(2);
    std::string text;
    for (int run = 0; run < 2; ++run) {
        std::ifstream in(members[static_cast<std::size_t>(run)].records[0]);
        for (std::string line; std::getline(in, line); text += line + '\n') {
            if (run == 0) continue;
            const auto at = line.find("\"repeat\":") + 9;
            line[at] = static_cast<char>(line[at] + kRepeats);
        }
    }
    const auto pooled = folder_.write("pooled.jsonl", text);
    const auto alone = reduce_files(std::array{pooled}, members[0].metadata.policy);
    ASSERT_TRUE(alone) << alone.error().message;
    const auto summary = reduce_group(members);
    ASSERT_TRUE(summary) << summary.error().message;
    EXPECT_EQ(summary->models.at("p/big@1"), alone->all);
}

TEST_F(GroupReducer, ReducesARunAsTheRunsOwnSummaryDoes) {
    const auto members = matrix();
    const auto summary = reduce_group(members);
    const auto alone = reduce_files(members[2].records, members[2].metadata.policy);
    ASSERT_TRUE(summary && alone);
    EXPECT_EQ(summary->runs[2].blocks, alone->all);
    EXPECT_EQ(summary->runs[2].gates, alone->gates);
}

TEST_F(GroupReducer, GivesTheSameBytesForAnyOrderThreadsAndSplit) {
    auto members = matrix();
    const std::string expected = to_json(*reduce_group(members, {.threads = 1}));
    std::mt19937 random(7);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same test every time
    for (const unsigned threads : {1U, 2U, 5U, 8U}) {
        for (GroupMember& member : members) {
            std::vector<std::string> lines;
            for (const auto& path : member.records) {
                std::ifstream in(path);
                for (std::string line; std::getline(in, line);)
                    lines.push_back(line + '\n');
            }
            std::ranges::shuffle(lines, random);
            const auto middle = lines.begin() + static_cast<std::ptrdiff_t>(threads * 11);
            const std::string name = member.metadata.run_id;
            member.records = {folder_.write(name + "-a.jsonl", join({lines.begin(), middle})),
                              folder_.write(name + "-b.jsonl", join({middle, lines.end()}))};
        }
        EXPECT_EQ(to_json(*reduce_group(members, {.threads = threads})), expected);
    }
}

TEST_F(GroupReducer, SlicesDoNotDependOnTheOrderOfTheRuns) {
    auto members = matrix();
    const auto forwards = reduce_group(members);
    std::ranges::reverse(members);
    const auto backwards = reduce_group(members);
    ASSERT_TRUE(forwards && backwards);
    EXPECT_EQ(forwards->models, backwards->models);
    EXPECT_EQ(forwards->prompt_templates, backwards->prompt_templates);
}

TEST_F(GroupReducer, RanksByScoreAndTestsAgainstTheFirst) {
    const auto summary = reduce_group(matrix());
    ASSERT_TRUE(summary) << summary.error().message;
    const auto& ranking = summary->ranking;
    EXPECT_THAT((std::vector{ranking[0].rank, ranking[1].rank, ranking[2].rank, ranking[3].rank}),
                ElementsAre(1U, 2U, 3U, 4U));
    EXPECT_LT(ranking[0].run, 2U);
    EXPECT_LT(ranking[1].run, 2U);
    for (const RankedRun& ranked : ranking) {
        if (ranked.run == 0) {
            EXPECT_TRUE(ranked.differences.empty());
            continue;
        }
        const auto& score = metric(ranked, "aggregate_score");
        EXPECT_EQ(score.verdict == Finding::worse, ranked.run >= 2);
        EXPECT_GE(*score.p_value_holm, *score.p_value);
        EXPECT_EQ(metric(ranked, "rubric_pass_rate").verdict == Finding::worse, ranked.run >= 2);
        EXPECT_FALSE(metric(ranked, "latency_e2e_p95_ms").p_value);
        EXPECT_EQ(metric(ranked, "latency_e2e_p95_ms").verdict, Finding::cannot_tell);
    }
}

// Alone the difference would be significant; among many tests of nothing it is not.
TEST_F(GroupReducer, CorrectsOverAllTestsOfTheGroup) {
    const auto flat = [](int, int) { return Trial{}; };
    const auto nearly = [](int sample, int) { return Trial{sample % 20 != 0, 0.9, 1000}; };
    std::vector<GroupMember> pair{member("base", "m0", "1", flat),
                                  member("other", "m1", "1", nearly)};
    const auto alone = reduce_group(pair);
    ASSERT_TRUE(alone) << alone.error().message;
    std::vector<GroupMember> many = pair;
    for (int i = 0; i < 10; ++i)
        many.push_back(member(fmt::format("x{}", i), fmt::format("x{}", i), "1", nearly));
    const auto among = reduce_group(many);
    ASSERT_TRUE(among) << among.error().message;
    const auto pass_rate_of = [](const GroupSummary& summary) -> const MetricDifference& {
        return metric(*std::ranges::find(summary.ranking, 1U, &RankedRun::run), "rubric_pass_rate");
    };
    EXPECT_EQ(pass_rate_of(*alone).p_value, pass_rate_of(*among).p_value);
    EXPECT_LT(*pass_rate_of(*alone).p_value_holm, *pass_rate_of(*among).p_value_holm);
}

TEST_F(GroupReducer, EqualScoresShareARank) {
    const auto flat = [](int, int) { return Trial{}; };
    const auto summary = reduce_group(std::vector{
        member("a", "m1", "1", flat), member("b", "m2", "1", flat), member("c", "m3", "1", flat)});
    ASSERT_TRUE(summary) << summary.error().message;
    for (const RankedRun& ranked : summary->ranking) {
        EXPECT_EQ(ranked.rank, 1U);
        if (ranked.run == 0) continue;
        EXPECT_EQ(metric(ranked, "aggregate_score").p_value, 1.0);
    }
}

TEST_F(GroupReducer, SaysWhyRunsShouldNotBeCompared) {
    auto members = matrix();
    members[3].metadata.dataset_hash = "another";
    const auto summary = reduce_group(members);
    ASSERT_TRUE(summary) << summary.error().message;
    ASSERT_EQ(summary->incomparable.size(), 1U);
    EXPECT_THAT(summary->incomparable[0], HasSubstr("r4: dataset_hash differs"));
    EXPECT_THAT(to_text(*summary), HasSubstr("NOT COMPARABLE: r4"));
}

// The block's interval takes each repeat for a new sample, the gate's does not.
TEST_F(GroupReducer, PrintsTheIntervalOfAGateForARun) {
    auto summary = reduce_group(matrix());
    ASSERT_TRUE(summary) << summary.error().message;
    summary->runs[0].blocks.rubric.pass_rate = {0.9, statistics::Interval{0.85, 0.94}};
    summary->runs[0].gates.pass_rate.observed = {0.9, statistics::Interval{0.79, 0.97}};
    EXPECT_THAT(to_text(*summary), HasSubstr("0.9 [0.79, 0.97]"));
}

TEST_F(GroupReducer, PrintsNoControlCharacterOfAName) {
    const auto flat = [](int, int) { return Trial{}; };
    const std::string hostile = "m\x1b[2J\n\xC2\x9B";
    const auto summary = reduce_group(
        std::vector{member("a", hostile, "1", flat), member("b", "m2", hostile, flat)});
    ASSERT_TRUE(summary) << summary.error().message;
    const std::string text = to_text(*summary);
    EXPECT_THAT(text, HasSubstr("p/m?[2J??@1"));
    for (const char c : text)
        EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
}

TEST_F(GroupReducer, RefusesARunTwiceAndNoRunAtAll) {
    auto members = matrix();
    members[1].metadata.run_id = "r1";
    EXPECT_THAT(reduce_group(members).error().message, HasSubstr("r1 is given twice"));
    EXPECT_EQ(reduce_group({}).error().kind, ErrorKind::invalid);
}

TEST_F(GroupReducer, CountsWhatARunLacks) {
    auto members = matrix();
    members[0].metadata.sample_count = kSamples + 5;
    const auto summary = reduce_group(members);
    ASSERT_TRUE(summary) << summary.error().message;
    EXPECT_EQ(summary->runs[0].missing_count, 5U * kRepeats);
    EXPECT_EQ(summary->runs[1].missing_count, 0U);
}

}  // namespace
}  // namespace evalfleet::reduce
