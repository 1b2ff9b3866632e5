#include "cli/commands/local.hpp"
#include "common/files/atomic_file.hpp"
#include "common/json/document.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::cli {
namespace {

using ::testing::HasSubstr;

constexpr const char* kRunFile =
    "version: 1\n"
    "name: test\n"
    "dataset: {path: d.jsonl}\n"
    "model: {provider: main, name: m, version: \"1\"}\n"
    "judge: {provider: main, name: j, version: \"1\"}\n"
    "repeats: 3\n"
    "policy: {gates: {min_pass_rate: 0.9}}\n";

class ValidateTest : public ::testing::Test {
  protected:
    struct Printed {
        ExitCode code = ExitCode::unfinished;
        std::string out;
        std::string err;
    };

    std::string write(std::string_view name, std::string_view content) {
        const auto path = folder_ / name;
        EXPECT_TRUE(files::blocking_write_atomically(path, content));
        return path.string();
    }
    Printed validate(const ValidateOptions& options) {
        Printed printed;
        ::testing::internal::CaptureStdout();
        ::testing::internal::CaptureStderr();
        const auto outcome = run_validate(options);
        printed.out = ::testing::internal::GetCapturedStdout();
        printed.err = ::testing::internal::GetCapturedStderr();
        EXPECT_TRUE(outcome);
        if (outcome) printed.code = *outcome;
        return printed;
    }

    ::evalfleet::testing::TemporaryFolder folder_;
};

TEST_F(ValidateTest, SaysWhatLacksALabel) {
    write("d.jsonl", "{\"id\":\"a\",\"task\":\"a\"}\n{\"id\":\"b\",\"task\":\"b\"}\n");
    write("l.jsonl",
          "{\"sample_id\":\"b\",\"accuracy_score\":1,\"faithfulness_score\":1}\n"
          "{\"sample_id\":\"z\",\"accuracy_score\":1,\"faithfulness_score\":1}\n");
    std::string file = kRunFile;
    const std::string judge = "judge: {provider: main, name: j, version: \"1\"}\n";
    file.replace(file.find(judge), judge.size(), "labels: {path: l.jsonl, version: hand-v1}\n");
    const Printed printed = validate({write("r.yaml", file), {}, false});
    EXPECT_EQ(printed.code, ExitCode::done) << printed.err;
    EXPECT_THAT(printed.out, HasSubstr("1 of 2 samples lack a label, the first is \"a\""));
    EXPECT_THAT(printed.out, HasSubstr("1 labels belong to no sample"));
    EXPECT_THAT(printed.out, HasSubstr("6 to models, 0 to the judge"));
    write("l.jsonl", "{\"sample_id\":\"z\",\"accuracy_score\":1,\"faithfulness_score\":1}\n");
    EXPECT_EQ(validate({write("r.yaml", file), {}, false}).code, ExitCode::wrong_input);
    write("l.jsonl", "{\"sample_id\":\"a\",\"accuracy_score\":9,\"faithfulness_score\":1}\n");
    EXPECT_THAT(validate({write("r.yaml", file), {}, false}).err,
                HasSubstr("l.jsonl:1: accuracy_score: "));
}

TEST_F(ValidateTest, SaysWhatTheRunWouldDo) {
    write("d.jsonl", "{\"task\":\"a\",\"reference_answer\":\"b\"}\n{\"task\":\"b\"}\n");
    const Printed printed = validate({write("r.yaml", kRunFile), {}, false});
    EXPECT_EQ(printed.code, ExitCode::done);
    EXPECT_THAT(printed.out, HasSubstr("r.yaml: valid\n"));
    EXPECT_THAT(printed.out, HasSubstr("2 samples x 3 repeats = 6\n"));
    EXPECT_THAT(printed.out, HasSubstr("6 to models, 6 to the judge"));
    EXPECT_THAT(printed.out, HasSubstr("gates.min_pass_rate: 0.9 instead of 0.85\n"));
    EXPECT_EQ(printed.err, "");
}

TEST_F(ValidateTest, RefusesAPromptThatShowsNeitherTheTaskNorMessages) {
    write("d.jsonl", "{\"task\":\"a\"}\n");
    const std::string blind = "prompt: {id: p, version: \"1\", template: \"Answer.\"}\n";
    const Printed printed = validate({write("r.yaml", kRunFile + blind), {}, false});
    EXPECT_EQ(printed.code, ExitCode::wrong_input);
    EXPECT_THAT(printed.err, HasSubstr("shows neither the task nor messages"));
    write("d.jsonl", "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}\n");
    EXPECT_EQ(validate({write("r.yaml", kRunFile + blind), {}, false}).code, ExitCode::done);
}

TEST_F(ValidateTest, RefusesMoreTrialsThanAllowed) {
    write("d.jsonl", "{\"task\":\"a\"}\n{\"task\":\"b\"}\n");
    ValidateOptions options{write("r.yaml", kRunFile), {}, false};
    options.max_trials = 5;
    const Printed printed = validate(options);
    EXPECT_EQ(printed.code, ExitCode::wrong_input);
    EXPECT_THAT(printed.err, HasSubstr("r.yaml:6:10: repeats: found 2 samples x 3 repeats = 6 "
                                       "trials, allowed: at most 5 (--max-trials)"));
    options.max_trials = 6;
    EXPECT_EQ(validate(options).code, ExitCode::done);
}

TEST_F(ValidateTest, PrintsTheSameAsJson) {
    write("d.jsonl", "{\"task\":\"a\",\"refrence\":\"b\"}\n");
    const Printed printed = validate({write("r.yaml", kRunFile), {}, true});
    const auto document = json::Document::parse(printed.out);
    ASSERT_TRUE(document);
    EXPECT_TRUE(document->root().get<bool>("valid").value());
    EXPECT_EQ(document->root().get<int>("trials").value(), 3);
    const auto warnings = document->root().get<std::vector<std::string>>("warnings").value();
    EXPECT_THAT(warnings, ::testing::Contains(HasSubstr("d.jsonl:1: refrence: unknown field")));
}

TEST_F(ValidateTest, PrintsEveryErrorAndEndsWithTwo) {
    write("d.jsonl", "{\"task\":\"a\"}\n{}\n{\"task\":1}\n");
    const Printed printed = validate({write("r.yaml", kRunFile), {}, false});
    EXPECT_EQ(printed.code, ExitCode::wrong_input);
    EXPECT_EQ(printed.out, "");
    EXPECT_THAT(printed.err, HasSubstr("d.jsonl:2: \"task\" or \"messages\" is required"));
    EXPECT_THAT(printed.err, HasSubstr("d.jsonl:3: task: expected a string, found 1"));
    const Printed bad = validate({write("r.yaml", "version: 3\n"), {}, true});
    EXPECT_EQ(bad.code, ExitCode::wrong_input);
    const auto document = json::Document::parse(bad.out);
    ASSERT_TRUE(document);
    EXPECT_FALSE(document->root().get<bool>("valid").value());
    EXPECT_THAT(bad.out, HasSubstr("\"line\": 1"));
}

constexpr const char* kProviders =
    "providers:\n"
    "  main:\n"
    "    type: openai\n"
    "    base_url: http://127.0.0.1:1\n";

TEST_F(ValidateTest, RefusesKeysThatAreNotSetAsARunWould) {
    write("d.jsonl", "{\"task\":\"a\"}\n");
    const std::string keys =
        "    api_key_env: EVALFLEET_TEST_ABSENT\n"
        "    headers:\n"
        "      X-Team: {file: absent-team.txt}\n";
    ValidateOptions options{write("r.yaml", std::string(kRunFile) + kProviders + keys), {}, false};
    const Printed printed = validate(options);
    EXPECT_EQ(printed.code, ExitCode::wrong_input);
    EXPECT_THAT(printed.err,
                HasSubstr("r.yaml:12: providers.main.api_key_env: environment variable "
                          "EVALFLEET_TEST_ABSENT is not set"));
    EXPECT_THAT(printed.err, HasSubstr("r.yaml:14: providers.main.headers.X-Team.file: "));
    options.simulate = true;
    EXPECT_EQ(validate(options).code, ExitCode::done);
}

TEST_F(ValidateTest, RefusesTheNameOfABaselineInARunOfItsOwn) {
    write("d.jsonl", "{\"task\":\"a\"}\n");
    const std::string file = std::string(kRunFile) + "baseline: prod\n";
    EXPECT_EQ(validate({write("r.yaml", file), {}, false}).code, ExitCode::done);
    const Printed printed = validate({write("r.yaml", file + kProviders), {}, false});
    EXPECT_EQ(printed.code, ExitCode::wrong_input);
    EXPECT_THAT(printed.err, HasSubstr("r.yaml:8:11: baseline: found the baseline \"prod\""));
}

TEST_F(ValidateTest, KnowsTheFolderOfABaselineInARunOfItsOwnOnly) {
    write("d.jsonl", "{\"task\":\"a\"}\n");
    const std::string file = std::string(kRunFile) + "baseline: {path: main}\n";
    const Printed shared = validate({write("r.yaml", file), {}, false});
    EXPECT_EQ(shared.code, ExitCode::wrong_input);
    EXPECT_THAT(shared.err,
                HasSubstr("r.yaml:8:18: baseline.path: found the folder \"main\", which "
                          "only a run with a fleet of its own knows"));
    const Printed absent = validate({write("r.yaml", file + kProviders), {}, false});
    EXPECT_EQ(absent.code, ExitCode::wrong_input);
    EXPECT_THAT(absent.err, HasSubstr("r.yaml:8:18: baseline.path: found \"main\", but there is no "
                                      "run in "));
}

TEST_F(ValidateTest, SaysToQuoteNumbersAndDates) {
    write("d.jsonl", "{\"task\":\"a\"}\n");
    const auto complaint = [&](const std::string& version) {
        std::string file = kRunFile;
        const std::string quoted = "name: m, version: \"1\"";
        file.replace(file.find(quoted), quoted.size(), "name: m, version: " + version);
        return validate({write("r.yaml", file), {}, false}).err;
    };
    EXPECT_THAT(complaint("1"), HasSubstr("expected a string, found 1; quote it: version: \"1\""));
    EXPECT_THAT(complaint("1.0"), HasSubstr("found 1.0; quote it: version: \"1.0\""));
    EXPECT_THAT(complaint("2024-08-06"),
                HasSubstr("r.yaml:4:43: model.version: expected a string, found the date "
                          "2024-08-06; quote it: version: \"2024-08-06\""));
    EXPECT_EQ(complaint("\"2024-08-06\""), "");
    EXPECT_EQ(complaint("2024-08-06-preview"), "") << "is no date";
}

TEST_F(ValidateTest, LooksProvidersUpInTheOperatorsFile) {
    write("d.jsonl", "{\"task\":\"a\"}\n");
    const std::string file = write("r.yaml", kRunFile);
    const std::string good =
        write("p.yaml", "providers:\n  main: {type: openai, base_url: \"http://127.0.0.1:1\"}\n");
    EXPECT_EQ(validate({file, good, false}).code, ExitCode::done);
    const std::string other =
        write("q.yaml", "providers:\n  other: {type: openai, base_url: \"http://127.0.0.1:1\"}\n");
    const Printed printed = validate({file, other, false});
    EXPECT_EQ(printed.code, ExitCode::wrong_input);
    EXPECT_THAT(printed.err, HasSubstr("model.provider: found \"main\", which "
                                       "the operator's providers do not have; allowed: other"));
}

TEST_F(ValidateTest, RefusesABudgetOfMoneyWithoutTheOperatorsPrices) {
    write("d.jsonl", "{\"task\":\"a\"}\n");
    const std::string file = std::string(kRunFile) + "limits: {max_cost_usd: 5}\n";
    const std::string operators =
        write("p.yaml", "providers:\n  main: {type: openai, base_url: \"http://127.0.0.1:1\"}\n");
    const Printed printed = validate({write("r.yaml", file), operators, false});
    EXPECT_EQ(printed.code, ExitCode::wrong_input);
    EXPECT_THAT(printed.err,
                HasSubstr("limits.max_cost_usd: found a limit of cost, but the provider \"main\" "
                          "has no prices"));
}

}  // namespace
}  // namespace evalfleet::cli
