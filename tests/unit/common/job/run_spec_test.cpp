#include "common/job/run_spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::job {
namespace {

using testing::HasSubstr;

constexpr const char* kMinimal = R"({
    "version": 1, "name": "nightly", "dataset": {"path": "qa.jsonl"},
    "model": {"provider": "main", "name": "gpt-4o", "version": "2024-08-06"},
    "judge": {"provider": "main", "name": "gpt-4o", "version": "2024-08-06"})";

Result<RunSpec> with(const std::string& more) {
    return parse_run_spec(kMinimal + more + "}");
}

std::string refusal(const std::string& more) {
    const auto spec = with(more);
    return spec ? "accepted" : spec.error().message;
}

std::string written(const RunSpec& spec) {
    std::string out;
    json::Writer writer(out);
    write(writer, spec);
    return out;
}

TEST(RunSpec, FillsInTheDefaults) {
    const RunSpec spec = with("").value();
    EXPECT_EQ(spec.generation.temperature, 0);
    EXPECT_EQ(spec.generation.top_p, 1);
    EXPECT_EQ(spec.generation.max_tokens, 1024);
    EXPECT_EQ(spec.generation.seed, 42);
    EXPECT_EQ(spec.generation, GenerationParams{}) << "and nothing else";
    EXPECT_EQ(spec.repeats, 1);
    EXPECT_EQ(spec.priority, 5);
    EXPECT_EQ(spec.limits.timeout, std::chrono::minutes(2));
    EXPECT_EQ(spec.policy, Policy{});
    EXPECT_EQ(spec.judge->profile, EvaluatorProfile::rubric_v1);
    EXPECT_TRUE(spec.redaction.pii);
    EXPECT_EQ(spec.models.at(0).id(), "main/gpt-4o@2024-08-06");
    EXPECT_EQ(spec.prompts.at(0).text, "{{task}}");
}

TEST(RunSpec, NamesABaselineAloneOrWithMargins) {
    EXPECT_EQ(with(R"(, "baseline": "main")").value().baseline, "main");
    EXPECT_EQ(with(R"(, "baseline": null)").value().baseline, std::nullopt);
    const RunSpec spec =
        with(R"(, "baseline": {"name": "main", "margin": {"aggregate_score": 0.02}})").value();
    EXPECT_EQ(spec.baseline, "main");
    EXPECT_EQ(spec.baseline_margin, (Margins{{"aggregate_score", 0.02}}));
    EXPECT_EQ(parse_run_spec(written(spec)).value(), spec);
    EXPECT_THAT(refusal(R"(, "baseline": {"margin": {}})"), HasSubstr("\"name\" is required"));
    EXPECT_THAT(refusal(R"(, "baseline": {"name": "main", "margin": {"aggregate_score": 2}})"),
                HasSubstr("baseline.margin.aggregate_score: expected a number above 0 and at most "
                          "1, found 2"));
    EXPECT_THAT(refusal(R"(, "baseline": {"name": "main", "margin": {"score": 0.1}})"),
                HasSubstr("unknown key \"score\""));
    EXPECT_THAT(refusal(R"(, "baseline": 3)"), HasSubstr("baseline"));
}

TEST(RunSpec, TakesTheFolderOfABaselineInThePlaceOfItsName) {
    const RunSpec spec = with(R"(, "baseline": {"path": "../main"})").value();
    EXPECT_EQ(spec.baseline, std::nullopt);
    EXPECT_EQ(spec.baseline_path, "../main");
    EXPECT_EQ(parse_run_spec(written(spec)).value(), spec);
    EXPECT_EQ(with(R"(, "baseline": "main")").value().baseline_path, std::nullopt);
    EXPECT_THAT(refusal(R"(, "baseline": {"path": "a", "name": "b"})"),
                HasSubstr("baseline: has both \"name\" and \"path\"; give one"));
    EXPECT_THAT(refusal(R"(, "baseline": {"path": ""})"), HasSubstr("baseline.path"));
}

TEST(RunSpec, TakesADescriptionAndLabels) {
    const RunSpec spec =
        with(R"(, "description": "why", "run_labels": {"commit": "41ed580", "pr": "7"})").value();
    EXPECT_EQ(spec.description, "why");
    EXPECT_EQ(spec.run_labels, (RunLabels{{"commit", "41ed580"}, {"pr", "7"}}));
    EXPECT_EQ(parse_run_spec(written(spec)).value(), spec);
}

TEST(RunSpec, SaysWhichLabelIsWrong) {
    EXPECT_THAT(refusal(R"(, "run_labels": {"pr": 7})"),
                HasSubstr("run_labels.pr: expected a string, found 7"));
    EXPECT_THAT(refusal(R"(, "run_labels": {"a b": "1"})"),
                HasSubstr("run_labels: found the key \"a b\"; allowed: 1 to 64 of letters"));
    EXPECT_THAT(refusal(R"(, "run_labels": {"a": "x\u001b"})"),
                HasSubstr("run_labels.a: allowed: at most 256 bytes"));
    EXPECT_THAT(refusal(R"(, "description": ")" + std::string(1025, 'x') + "\""),
                HasSubstr("description: allowed: at most 1024 bytes"));
}

TEST(RunSpec, GivesAnAttemptTheTimeOfTheWholeCallIfThatIsShorter) {
    using std::chrono::milliseconds;
    const auto attempt_timeout = [](const std::string& limits) {
        return with(R"(, "limits": )" + limits).value().limits.attempt_timeout;
    };
    EXPECT_EQ(attempt_timeout(R"({"timeout_ms": 20000})"), milliseconds(20'000));
    EXPECT_EQ(attempt_timeout(R"({"timeout_ms": 500000})"), milliseconds(120'000));
    EXPECT_EQ(attempt_timeout(R"({"timeout_ms": 20000, "attempt_timeout_ms": 50})"),
              milliseconds(50));
    EXPECT_EQ(attempt_timeout(R"({"attempt_timeout_ms": 300, "timeout_ms": 200})"),
              milliseconds(300))
        << "what somebody wrote is not changed in silence";
}

TEST(RunSpec, PutsATrialBackForHalfAnHourUnlessTheRunSaysOtherwise) {
    using std::chrono::milliseconds;
    EXPECT_EQ(with("").value().limits.give_up_after, std::chrono::minutes(30));
    EXPECT_EQ(with(R"(, "limits": {"give_up_after_ms": 0})").value().limits.give_up_after,
              milliseconds(0));
    EXPECT_THAT(refusal(R"(, "limits": {"give_up_after_ms": -1})"),
                HasSubstr("limits.give_up_after_ms: "));
}

TEST(RunSpec, ReadsBackWhatItWrites) {
    const RunSpec spec =
        with(R"(, "prompts": [{"id": "a", "version": "1", "system": "s", "template": "{{task}}"},
                {"id": "b", "version": "2", "template": "{{context}} {{task}}"}],
                "generation": {"seed": null, "temperature": 0.5},
                "repeats": 3, "policy": {"gates": {"min_pass_rate": 0.5}},
                "limits": {"timeout_ms": 5, "give_up_after_ms": 9, "max_in_flight": 7, "max_cost_usd": 2.5,
                           "max_total_tokens": 1000},
                "providers": {"main": {"type": "openai", "rpm": 10}}, "redaction": {"pii": false})")
            .value();
    EXPECT_EQ(spec.prompts.size(), 2U);
    EXPECT_FALSE(spec.generation.seed);
    EXPECT_EQ(parse_run_spec(written(spec)).value(), spec);
}

TEST(RunSpec, RefusesUnknownKeysEverywhere) {
    EXPECT_THAT(refusal(R"(, "repeat": 3)"), HasSubstr("did you mean \"repeats\"?"));
    EXPECT_THAT(refusal(R"(, "policy": {"gates": {"pass_rate": 1}})"), HasSubstr("policy.gates: "));
    EXPECT_THAT(refusal(R"(, "generation": {"temprature": 1})"),
                HasSubstr("did you mean \"temperature\"?"));
}

TEST(RunSpec, RefusesValuesOutOfRange) {
    EXPECT_THAT(refusal(R"(, "priority": 10)"),
                HasSubstr("priority: expected a number from 0 to 9"));
    EXPECT_THAT(refusal(R"(, "repeats": 0)"), HasSubstr("repeats: "));
    EXPECT_THAT(refusal(R"(, "limits": {"timeout_ms": 0})"), HasSubstr("limits.timeout_ms: "));
    EXPECT_THAT(refusal(R"(, "models": [])"), HasSubstr("models: "));
}

TEST(RunSpec, RefusesContradictions) {
    EXPECT_THAT(refusal(R"(, "models": [{"provider": "p", "name": "n", "version": "1"}])"),
                HasSubstr("has both \"model\" and \"models\""));
    EXPECT_THAT(refusal(R"(, "labels": {"path": "l.jsonl", "version": "1"})"),
                HasSubstr("has both \"judge\" and \"labels\""));
    EXPECT_THAT(parse_run_spec(R"({"version": 1, "name": "n", "dataset": {"path": "d"},
        "model": {"provider": "p", "name": "m", "version": "1"}})")
                    .error()
                    .message,
                HasSubstr("\"judge\" or \"labels\" is required"));
}

TEST(RunSpec, RefusesTheLatestModelUnlessAllowed) {
    constexpr const char* kFloating = R"({"version": 1, "name": "n", "dataset": {"path": "d"},
        "model": {"provider": "p", "name": "m-latest"}, "labels": {"path": "l", "version": "1"})";
    EXPECT_THAT(parse_run_spec(std::string(kFloating) + "}").error().message,
                HasSubstr("p/m-latest is not pinned"));
    EXPECT_TRUE(parse_run_spec(std::string(kFloating) + R"(, "allow_floating_model": true})"));
}

TEST(RunSpec, LeavesAModelWithoutAVersionToWhoKnowsItsProvider) {
    EXPECT_TRUE(parse_run_spec(R"({"version": 1, "name": "n", "dataset": {"path": "d"},
        "model": {"provider": "p", "name": "claude-opus-4-6"},
        "labels": {"path": "l", "version": "1"}})"));
}

TEST(ModelRef, IsFloatingWithoutAFixedVersion) {
    EXPECT_TRUE(is_floating({"p", "m", std::nullopt}));
    EXPECT_TRUE(is_floating({"p", "m", "latest"}));
    EXPECT_TRUE(is_floating({"p", "chat-latest", "1"}));
    EXPECT_TRUE(is_floating({"p", "llama3:latest", "1"}));
    EXPECT_FALSE(is_floating({"p", "m", "2024-08-06"}));
    EXPECT_FALSE(is_floating({"p", "thelatest", "1"}));
}

TEST(ModelRef, NamesLatestInItsNameOrVersionOnly) {
    EXPECT_TRUE(names_latest({"p", "m", "latest"}));
    EXPECT_TRUE(names_latest({"p", "chat-latest", std::nullopt}));
    EXPECT_TRUE(names_latest({"p", "latest", "1"}));
    EXPECT_FALSE(names_latest({"p", "m", std::nullopt}));
    EXPECT_FALSE(names_latest({"p", "thelatest", std::nullopt}));
}

TEST(RunSpec, ReadsHowTheJudgeIsAsked) {
    const auto judged = [](const std::string& more) {
        return parse_run_spec(R"({"version": 1, "name": "n", "dataset": {"path": "d"},
            "model": {"provider": "p", "name": "m", "version": "1"},
            "judge": {"provider": "p", "name": "j", "version": "1")" +
                              more + "}}");
    };
    const RunSpec usual = judged("").value();
    EXPECT_EQ(usual.judge->generation, GenerationParams{});
    EXPECT_EQ(usual.judge->response_format, JudgeFormat::automatic);
    const RunSpec spec = judged(R"(, "generation": {"max_tokens": 8192, "seed": null,
        "stop": "END", "temperature": 1}, "limits": {"timeout_ms": 5000, "max_attempts": 2},
        "response_format": "none")")
                             .value();
    EXPECT_EQ(spec.judge->generation.max_tokens, 8192);
    EXPECT_FALSE(spec.judge->generation.seed);
    EXPECT_EQ(spec.judge->generation.stop, (StopSequences{{"END"}}));
    EXPECT_EQ(spec.judge->response_format, JudgeFormat::none);
    EXPECT_EQ(parse_run_spec(written(spec)).value(), spec);
    EXPECT_EQ(spec.generation, GenerationParams{}) << "the model's are its own";
    const auto refused = [&](const std::string& more) { return judged(more).error().message; };
    EXPECT_THAT(refused(R"(, "response_format": "yes")"),
                HasSubstr("judge.response_format: expected one of auto, json, none"));
    EXPECT_THAT(refused(R"(, "generation": {"max_tokens": 0})"),
                HasSubstr("judge.generation.max_tokens: "));
    EXPECT_THAT(refused(R"(, "limits": {"max_cost_usd": 1})"),
                HasSubstr("judge.limits: unknown key \"max_cost_usd\""));
    EXPECT_THAT(refused(R"(, "limits": {"timeout_ms": 0})"), HasSubstr("judge.limits.timeout_ms"));
}

TEST(RunSpec, LeavesWhatTheJudgesLimitsDoNotSayToTheRunsOwn) {
    using std::chrono::milliseconds;
    CallLimits run;
    run.max_attempts = 9;
    EXPECT_EQ(limits_of_judge(run, {}), run);
    JudgeLimits judge;
    judge.timeout = milliseconds(500);
    const CallLimits limits = limits_of_judge(run, judge);
    EXPECT_EQ(limits.timeout, milliseconds(500));
    EXPECT_EQ(limits.attempt_timeout, milliseconds(500)) << "an attempt lasts no longer";
    EXPECT_EQ(limits.max_attempts, 9);
}

TEST(RunSpec, ReadsWhereAModelStopsAndTheFormOfItsAnswer) {
    const RunSpec spec = with(R"(, "generation": {"stop": ["a", "b"],
        "response_format": {"json_schema": {"type": "object"}}})")
                             .value();
    EXPECT_EQ(spec.generation.stop, (StopSequences{{"a", "b"}}));
    EXPECT_EQ(spec.generation.response_format, ResponseFormat{R"({"type":"object"})"});
    EXPECT_EQ(parse_run_spec(written(spec)).value(), spec);
    EXPECT_EQ(
        with(R"(, "generation": {"response_format": "json"})").value().generation.response_format,
        ResponseFormat{});
    EXPECT_THAT(refusal(R"(, "generation": {"stop": []})"),
                HasSubstr("generation.stop: expected a text, or 1 to 16 texts"));
    EXPECT_THAT(refusal(R"(, "generation": {"stop": [""]})"), HasSubstr("generation.stop[0]: "));
    EXPECT_THAT(refusal(R"(, "generation": {"response_format": "xml"})"),
                HasSubstr("generation.response_format: expected json, or a map of json_schema"));
}

TEST(RunSpec, ReadsWhatIsPassedThroughToProviders) {
    const RunSpec spec = with(R"(, "generation": {"reasoning_effort": "high",
        "thinking_budget": 512, "prompt_cache": "1h", "extra": {"top_k": 5, "a": {"b": [1, null]}}})")
                             .value();
    EXPECT_EQ(spec.generation.reasoning_effort, "high");
    EXPECT_EQ(spec.generation.thinking_budget, 512);
    EXPECT_EQ(spec.generation.prompt_cache, PromptCache::hour);
    EXPECT_EQ(spec.generation.extra, JsonObject{R"({"top_k":5,"a":{"b":[1,null]}})"});
    EXPECT_EQ(parse_run_spec(written(spec)).value(), spec);
    EXPECT_THAT(refusal(R"(, "generation": {"extra": [1]})"),
                HasSubstr("generation.extra: expected an object"));
    EXPECT_THAT(refusal(R"(, "generation": {"prompt_cache": "2h"})"),
                HasSubstr("generation.prompt_cache: expected one of 5m, 1h"));
    EXPECT_THAT(refusal(R"(, "generation": {"reasoning_effort": ""})"),
                HasSubstr("generation.reasoning_effort: "));
}

}  // namespace
}  // namespace evalfleet::job
