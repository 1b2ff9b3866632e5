#include "cli/simulator/player.hpp"

#include "common/json/document.hpp"
#include "common/scoring/evaluator_templates.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace evalfleet::simulator {
namespace {

using namespace std::chrono_literals;

constexpr async::TimePoint kStart{1h};

ChatRequest ask(const std::string& prompt) {
    ChatRequest request;
    request.model = "m";
    request.prompt = prompt;
    request.key = stable_hash(prompt);
    request.input_bytes = prompt.size();
    return request;
}

Outcome play(Player& player, const std::string& prompt, async::TimePoint now = kStart) {
    return player.play(ask(prompt), {}, now).value();
}

std::string content(const Outcome& outcome) {
    const auto document = json::Document::parse(outcome.body);
    const auto choices = document.value().root().get<json::Array>("choices").value();
    return (*choices.begin()).required("message")->get<std::string>("content").value();
}

TEST(Player, AnswersInTheShapeOfOpenAi) {
    Player player({.correctness = 1}, {});
    const auto document = json::Document::parse(play(player, "Four words of text").body);
    const json::Value root = document.value().root();
    EXPECT_EQ(root.get<std::string>("model").value(), "simulated/m");
    EXPECT_EQ(root.get<std::string>("object").value(), "chat.completion");
    EXPECT_EQ(root.required("usage")->get<int>("prompt_tokens").value(), 5);
    EXPECT_EQ(root.required("usage")->get<int>("total_tokens").value(), 10);
}

TEST(Player, GivesTheSameReplyWhateverWasAskedBefore) {
    SimulatorConfig config;
    config.latency_median = 10ms;
    config.latency_sigma = 0.5;
    Player one(config, {}), other(config, {});
    static_cast<void>(play(other, "something else"));
    const Outcome first = play(one, "What?"), second = play(other, "What?");
    EXPECT_EQ(first.body, second.body);
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
        EXPECT_EQ(outcome.retry_after_s.has_value(), outcome.status == 429);
    }
    EXPECT_NEAR(seen["429/0"], 800, 120);
    EXPECT_NEAR(seen["500/0"], 400, 90);
    EXPECT_NEAR(seen["200/1"], 400, 90);
    EXPECT_NEAR(seen["200/2"], 400, 90);
    EXPECT_NEAR(seen["200/3"], 400, 90);
    EXPECT_NEAR(seen["200/0"], 1600, 150);
}

TEST(Player, ObeysDirectivesAsOftenAsTheySay) {
    Player player({}, {});
    const std::string prompt = "Why? [[simulate status=429 times=2 retry_after=3]]";
    for (int i = 0; i < 2; ++i) {
        const Outcome outcome = play(player, prompt);
        EXPECT_EQ(outcome.status, 429);
        EXPECT_EQ(outcome.retry_after_s, 3U);
    }
    EXPECT_EQ(play(player, prompt).status, 200);
    EXPECT_EQ(play(player, "[[simulate answer=\"forty two\"]]").status, 200);
    EXPECT_EQ(content(play(player, "[[simulate answer=\"forty two\"]]")), "forty two");
    EXPECT_EQ(play(player, "[[simulate fault=reset]]").fault, Fault::reset);
    EXPECT_EQ(play(player, "[[simulate delay_ms=250]]").delay, 250ms);
    EXPECT_EQ(content(play(player, "[[simulate fault=empty]]")), "");
    EXPECT_FALSE(json::Document::parse(play(player, "[[simulate fault=malformed]]").body));
    EXPECT_EQ(play(player, "[[simulate usage=none]]").body.find("usage\":"), std::string::npos);
    EXPECT_FALSE(player.play(ask("[[simulate nonsense=1]]"), {}, kStart));
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
    EXPECT_EQ(player.play(ask(judge_prompt("y")), header, kStart).value().status, 502);
}

TEST(Player, CutsAnswersAtTheTokenLimit) {
    Player player({}, {});
    ChatRequest request = ask("[[simulate answer=\"äöüäöü\"]]");
    request.max_tokens = 1;
    const Outcome outcome = player.play(request, {}, kStart).value();
    EXPECT_EQ(content(outcome), "äö");
    EXPECT_NE(outcome.body.find("\"finish_reason\":\"length\""), std::string::npos);
}

TEST(Player, HoldsItsRequestsToTheRateLimit) {
    Player player({.rpm = 2}, {});
    EXPECT_EQ(play(player, "a", kStart).status, 200);
    EXPECT_EQ(play(player, "b", kStart + 20s).status, 200);
    const Outcome refused = play(player, "c", kStart + 30s);
    EXPECT_EQ(refused.status, 429);
    EXPECT_EQ(refused.retry_after_s, 30U);
    EXPECT_EQ(play(player, "c", kStart + 60s).status, 200);
    EXPECT_EQ(play(player, "d", kStart + 61s).status, 429);
}

}  // namespace
}  // namespace evalfleet::simulator
