#include "cli/simulator/player.hpp"

#include "common/scoring/evaluator_templates.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace evalfleet::simulator {
namespace {

using namespace std::chrono_literals;

ChatRequest ask(const std::string& prompt) {
    ChatRequest request("m");
    request.add("user", prompt);
    return request;
}

Outcome play(Player& player, const std::string& prompt) {
    return player.play(ask(prompt), {}).value();
}

std::string content(const Outcome& outcome) {
    return outcome.completion.content;
}

TEST(Player, CountsTokens) {
    Player player({.correctness = 1}, {});
    const Outcome outcome = play(player, "Four words of text");
    EXPECT_EQ(outcome.completion.model, "m");
    EXPECT_EQ(outcome.completion.tokens.prompt, 5U);
    EXPECT_EQ(outcome.completion.tokens.total(), 10U);
}

TEST(Player, GivesTheSameReplyWhateverWasAskedBefore) {
    SimulatorConfig config;
    config.latency_median = 10ms;
    config.latency_sigma = 0.5;
    Player one(config, {}), other(config, {});
    static_cast<void>(play(other, "something else"));
    const Outcome first = play(one, "What?"), second = play(other, "What?");
    EXPECT_EQ(content(first), content(second));
    EXPECT_EQ(first.completion.id, second.completion.id);
    EXPECT_EQ(first.delay, second.delay);
    config.seed = 2;
    Player third(config, {});
    EXPECT_NE(play(third, "What?").delay, first.delay);
}

TEST(Player, IsRightAsOftenAsConfigured) {
    ReferenceBook book;
    for (int i = 0; i < 1000; ++i)
        book.add(fmt::format("Question number {} of a thousand", i), fmt::format("right {}", i));
    Player player({.correctness = 0.7}, std::move(book));
    int right = 0;
    for (int i = 0; i < 1000; ++i) {
        const Outcome outcome = play(player, fmt::format("Question number {} of a thousand", i));
        right += content(outcome) == fmt::format("right {}", i) ? 1 : 0;
    }
    EXPECT_NEAR(right, 700, 60);
}

TEST(Player, RepeatsItsAnswerUnlessRepeatsVary) {
    ReferenceBook book;
    book.add("A question that is asked again", "right");
    Player steady({.correctness = 0.5}, book);
    Player varied({.correctness = 0.5, .vary_repeats = true}, book);
    std::set<std::string> steady_answers, varied_answers;
    for (int i = 0; i < 40; ++i) {
        steady_answers.insert(content(play(steady, "A question that is asked again")));
        varied_answers.insert(content(play(varied, "A question that is asked again")));
    }
    EXPECT_EQ(steady_answers.size(), 1U);
    EXPECT_GT(varied_answers.size(), 1U);
}

TEST(Player, DrawsLatenciesAroundTheirMedian) {
    SimulatorConfig config;
    config.latency_median = 100ms;
    config.latency_sigma = 0.5;
    Player player(config, {});
    int below = 0;
    for (int i = 0; i < 1000; ++i)
        below += play(player, std::to_string(i)).delay < 100ms ? 1 : 0;
    EXPECT_NEAR(below, 500, 70);
    config.latency_sigma = 0;
    Player constant(config, {});
    EXPECT_EQ(play(constant, "x").delay, 100ms);
}

TEST(Player, DrawsFaultsAtTheirRates) {
    SimulatorConfig config;
    config.faults = {.too_many = 0.2, .internal = 0.1, .hang = 0.1, .reset = 0.1, .malformed = 0.1};
    Player player(config, {});
    std::map<std::string, int> seen;
    for (int i = 0; i < 4000; ++i) {
        const Outcome outcome = play(player, std::to_string(i));
        ++seen[fmt::format("{}/{}", outcome.status, static_cast<int>(outcome.fault))];
        EXPECT_EQ(outcome.retry_after.has_value(), outcome.status == 429);
    }
    EXPECT_NEAR(seen["429/0"], 800, 120);
    EXPECT_NEAR(seen["500/0"], 400, 90);
    EXPECT_NEAR(seen["200/1"], 400, 90);
    EXPECT_NEAR(seen["200/2"], 400, 90);
    EXPECT_NEAR(seen["200/4"], 400, 90);
    EXPECT_NEAR(seen["200/0"], 1600, 150);
}

TEST(Player, LetsEqualRequestsFailAsOftenAsConfigured) {
    SimulatorConfig config;
    config.faults.internal = 0.5;
    config.fault_times = FaultTimes::parse("2").value();
    Player player(config, {});
    int hit = 0;
    for (int i = 0; i < 1000; ++i) {
        const std::string prompt = std::to_string(i);
        const int first = play(player, prompt).status;
        EXPECT_EQ(play(player, prompt).status, first);
        EXPECT_EQ(play(player, prompt).status, 200);
        hit += first == 500 ? 1 : 0;
    }
    EXPECT_NEAR(hit, 500, 70);
}

TEST(Player, TellsHowLongToWaitWhereItIsConfigured) {
    SimulatorConfig config;
    config.faults.unavailable = 1;
    EXPECT_EQ(Player(config, {}).play(ask("x"), {}).value().status, 503);
    EXPECT_FALSE(Player(config, {}).play(ask("x"), {}).value().retry_after);
    config.retry_after = RetryAfter::parse("0.5").value();
    EXPECT_EQ(Player(config, {}).play(ask("x"), {}).value().retry_after, 500ms);
}

TEST(Player, TakesTimeForEachToken) {
    SimulatorConfig config;
    config.latency_median = 10ms;
    config.ms_per_token = 2.5;
    Player player(config, {});
    EXPECT_EQ(play(player, "[[simulate answer=12345678]]").delay, 15ms);
    EXPECT_EQ(play(player, "[[simulate answer=12345678 reasoning=2]]").delay, 20ms);
    EXPECT_EQ(play(player, "[[simulate answer=12345678 delay_ms=1]]").delay, 1ms);
    EXPECT_EQ(play(player, "[[simulate status=500]]").delay, 10ms);
}

TEST(Player, DrawsTheLengthOfAnswersButNotOfVerdicts) {
    SimulatorConfig config;
    config.correctness = 1;
    config.answer_tokens = TokenRange{10, 1000};
    Player player(config, {});
    int below_middle = 0;
    for (int i = 0; i < 1000; ++i) {
        const auto tokens = play(player, fmt::format("Question {}", i)).completion.tokens.output;
        EXPECT_GE(tokens, 10U);
        EXPECT_LE(tokens, 1000U);
        below_middle += tokens < 100 ? 1 : 0;
    }
    EXPECT_NEAR(below_middle, 500, 70);
    EXPECT_EQ(content(play(player, "Question 1")), content(play(player, "Question 1")));
    EXPECT_EQ(content(play(player, "[[simulate answer=short]]")), "short");
    const std::string verdict = content(play(
        player, scoring::evaluator_prompt(job::EvaluatorProfile::rubric_v1, {"t", "r", "c", "r"})));
    EXPECT_TRUE(verdict.ends_with('}')) << verdict;
}

TEST(Player, ObeysDirectivesAsOftenAsTheySay) {
    Player player({}, {});
    const std::string prompt = "Why? [[simulate status=429 times=2 retry_after=3]]";
    for (int i = 0; i < 2; ++i) {
        const Outcome outcome = play(player, prompt);
        EXPECT_EQ(outcome.status, 429);
        EXPECT_EQ(outcome.retry_after, 3s);
    }
    EXPECT_EQ(play(player, prompt).status, 200);
    EXPECT_EQ(play(player, "[[simulate answer=\"forty two\"]]").status, 200);
    EXPECT_EQ(content(play(player, "[[simulate answer=\"forty two\"]]")), "forty two");
    EXPECT_EQ(play(player, "[[simulate fault=reset]]").fault, Fault::reset);
    EXPECT_EQ(play(player, "[[simulate delay_ms=250]]").delay, 250ms);
    EXPECT_EQ(content(play(player, "[[simulate fault=empty]]")), "");
    EXPECT_FALSE(play(player, "[[simulate usage=none]]").completion.has_usage);
    EXPECT_FALSE(player.play(ask("[[simulate nonsense=1]]"), {}));
}

TEST(Player, TellsTheJudgesDirectivesFromTheModels) {
    Player player({}, {});
    const auto judge_prompt = [](std::string_view task) {
        return scoring::evaluator_prompt(job::EvaluatorProfile::rubric_v1, {task, "r", "c", "r"});
    };
    const Outcome spared = play(player, judge_prompt("x [[simulate status=500]]"));
    EXPECT_TRUE(spared.is_judge);
    EXPECT_EQ(spared.status, 200);
    const std::string hit = judge_prompt("x [[simulate judge_status=503 judge_times=1]]");
    EXPECT_EQ(play(player, hit).status, 503);
    EXPECT_EQ(play(player, hit).status, 200);
    Directive header;
    header.model.status = 502;
    EXPECT_EQ(player.play(ask(judge_prompt("y")), header).value().status, 502);
}

TEST(Player, CutsAnswersAtTheTokenLimit) {
    Player player({}, {});
    ChatRequest request = ask("[[simulate answer=\"äöüäöü\"]]");
    request.max_tokens = 1;
    const Outcome outcome = player.play(request, {}).value();
    EXPECT_EQ(content(outcome), "äö");
    EXPECT_EQ(outcome.completion.finish_reason, "length");
}

TEST(Player, DeclinesAndFiltersAsOrdered) {
    Player player({}, {});
    const auto finish = [&](const std::string& order) {
        return play(player, "[[simulate " + order + "]]").completion.finish_reason;
    };
    EXPECT_EQ(finish("fault=refusal"), "refusal");
    EXPECT_EQ(finish("fault=content_filter"), "content_filter");
    EXPECT_EQ(finish("fault=prompt_filter"), "prompt_blocked");
    EXPECT_EQ(finish("finish=strange"), "strange");
    EXPECT_EQ(content(play(player, "[[simulate fault=content_filter]]")), "");
}

TEST(Player, TurnsAnErrorUnderWayIntoAStatusWhereNothingIsStreamed) {
    Player player({}, {});
    ChatRequest request = ask("[[simulate fault=mid_error code=busy]]");
    EXPECT_EQ(player.play(request, {}).value().status, 500);
    request.stream = true;
    const Outcome outcome = player.play(request, {}).value();
    EXPECT_EQ(outcome.status, 200);
    EXPECT_EQ(outcome.fault, Fault::mid_error);
    EXPECT_EQ(outcome.error_code, "busy");
}

TEST(Player, CountsCachedAndReasonedTokensAsOrdered) {
    Player player({}, {});
    const TokenCounts tokens =
        play(player, "[[simulate cached=3 cache_write=2 reasoning=7]]").completion.tokens;
    EXPECT_EQ(tokens.cache_read, 3U);
    EXPECT_EQ(tokens.cache_write, 2U);
    EXPECT_EQ(tokens.reasoning, 7U);
}

TEST(Player, ThinksOutOfTheLimitOfTokens) {
    Player player({.reasoning_tokens = 10}, {});
    ChatRequest request = ask("[[simulate answer=12345678]]");
    request.max_tokens = 11;
    const Outcome cut = player.play(request, {}).value();
    EXPECT_EQ(content(cut), "1234");
    EXPECT_EQ(cut.completion.finish_reason, "length");
    request.max_tokens = 8;
    const Outcome empty = player.play(request, {}).value();
    EXPECT_EQ(content(empty), "");
    EXPECT_EQ(empty.completion.finish_reason, "length");
    EXPECT_EQ(empty.completion.tokens.reasoning, 8U);
    request.max_tokens = 12;
    EXPECT_EQ(content(player.play(request, {}).value()), "12345678");
}

TEST(Player, WritesNoProseInJsonMode) {
    Player player({}, {});
    ChatRequest request = ask(scoring::evaluator_prompt(
        job::EvaluatorProfile::rubric_v1, {"[[simulate judge=prose]]", "r", "", "r"}));
    EXPECT_FALSE(content(player.play(request, {}).value()).starts_with('{'));
    request.wants_json = true;
    EXPECT_TRUE(content(player.play(request, {}).value()).starts_with('{'));
}

}  // namespace
}  // namespace evalfleet::simulator
