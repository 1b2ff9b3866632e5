#include "worker/trial/run_context.hpp"

#include "tests/unit/worker/fixtures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

using ::testing::HasSubstr;

std::string error_of(const std::string& spec) {
    const ProviderSet providers = make_providers();
    const auto context = RunContext::create("r1", spec, providers, Redactors(providers.secrets()));
    return context ? "no error" : context.error().message;
}

TEST(RunContext, FindsTheProvidersOfModelAndJudge) {
    const TestRun run;
    EXPECT_EQ(run.context.provider, run.providers.find("main"));
    EXPECT_EQ(run.context.judge_provider, run.providers.find("main"));
    EXPECT_EQ(run.context.run_id, "r1");
}

TEST(RunContext, RedactsAsTheRunSays) {
    const std::string text = "mail bob@example.com, key " + std::string(kKey);
    EXPECT_EQ(TestRun().context.redactor.redact(text).text,
              "mail [REDACTED:email], key [REDACTED:secret]");
    EXPECT_EQ(TestRun(R"("redaction": {"pii": false})").context.redactor.redact(text).text,
              "mail bob@example.com, key [REDACTED:secret]");
}

TEST(RunContext, NeedsNoJudgeWherePeopleScore) {
    EXPECT_EQ(error_of(R"({"version": 1, "name": "n", "dataset": {"path": "d"},
        "model": {"provider": "main", "name": "m", "version": "1"},
        "labels": {"path": "l", "version": "1"}})"),
              "no error");
}

TEST(RunContext, RefusesWhatItCannotWorkFor) {
    EXPECT_THAT(error_of("{"), HasSubstr("spec"));
    EXPECT_THAT(error_of(R"({"version": 1, "name": "n", "dataset": {"path": "d"},
        "model": {"provider": "other", "name": "m", "version": "1"},
        "judge": {"provider": "main", "name": "j", "version": "1"}})"),
                HasSubstr("no provider 'other'; it has: main"));
    EXPECT_THAT(error_of(R"({"version": 1, "name": "n", "dataset": {"path": "d"},
        "models": [{"provider": "main", "name": "m", "version": "1"},
                   {"provider": "main", "name": "m2", "version": "1"}],
        "judge": {"provider": "main", "name": "j", "version": "1"}})"),
                HasSubstr("one model"));
}

}  // namespace
}  // namespace evalfleet::worker
