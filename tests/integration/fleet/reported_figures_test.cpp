#include "common/files/atomic_file.hpp"
#include "common/files/file.hpp"
#include "common/json/document.hpp"
#include "tests/integration/worker/model_server.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using worker::Action;
using worker::SeenCall;

constexpr int kSamples = 8;

/// A run against a scripted provider, with a fleet of its own.
class ReportedFigures : public ::testing::Test {
  protected:
    /// Runs and returns the exit code.
    int run(worker::ModelServer::Script script) {
        worker::ModelServer server(std::move(script));
        std::string lines;
        for (int i = 0; i < kSamples; ++i)
            lines += "{\"task\":\"#" + std::to_string(i) + "#\"}\n";
        files::blocking_write_atomically(home_ / "qa.jsonl", lines).value();
        files::blocking_write_atomically(
            home_ / "run.yaml",
            "version: 1\nname: figures\ndataset: {path: qa.jsonl}\n"
            "model: {provider: own, name: m, version: \"1\"}\n"
            "judge: {provider: own, name: j, version: \"1\"}\n"
            "limits: {max_attempts: 1, give_up_after_ms: 0}\n"
            "providers:\n  own: {type: openai, stream: false, base_url: \"" +
                server.base_url() + "\"}\n")
            .value();
        testing::Process process(
            {EVALFLEET_BIN_DIR "/evalfleet", "run", (home_ / "run.yaml").string(), "--no-progress",
             "--out", out_.string()},
            home_ / "log");
        const int code = process.wait();
        printed_ = process.output();
        return code;
    }

    [[nodiscard]] std::string content(const char* name) const {
        return files::blocking_read_file(out_ / name, 1 << 24).value();
    }
    [[nodiscard]] json::Document document(const char* name) const {
        return json::Document::parse(content(name)).value();
    }

    testing::TemporaryFolder home_;
    fs::path out_ = home_ / "out";
    std::string printed_;
};

Action judged() {
    return {.body = worker::completion(worker::verdict(2, 2))};
}

TEST_F(ReportedFigures, TellDriftOfBuildsApartFromDriftOfModels) {
    const int code = run([](const SeenCall& call) -> Action {
        if (call.model == "j") return judged();
        const std::string build = call.number % 2 == 0 ? "fp_even" : "fp_odd";
        return {.body = worker::completion("yes", R"("system_fingerprint": ")" + build + "\"")};
    });
    EXPECT_TRUE(code == 0 || code == 1) << printed_;
    const auto metadata = document("run.json");
    const auto summary = document("summary.json");
    const json::Value extra = summary.root().find("extra").value();
    for (const json::Value place : {metadata.root(), extra}) {
        EXPECT_TRUE(place.get<bool>("model_version_drift").value());
        const json::Value builds = place.find("system_fingerprints_reported").value();
        EXPECT_EQ(builds.get<int>("fp_even").value(), kSamples / 2);
        EXPECT_EQ(builds.get<int>("fp_odd").value(), kSamples / 2);
        const json::Value models = place.find("model_versions_reported").value();
        EXPECT_EQ(models.get<int>("served-model-1").value(), kSamples);
    }
    const std::string warning = "more than one build ";
    for (const std::string& text : {content("report.html"), content("report.md"), printed_})
        EXPECT_THAT(text, AllOf(HasSubstr(warning), Not(HasSubstr("more than one version"))));
}

TEST_F(ReportedFigures, AreCompleteWhereEveryTrialHasAnAnswerAndAScore) {
    const int code = run([](const SeenCall& call) -> Action {
        return call.model == "j" ? judged() : Action{.body = worker::completion("yes")};
    });
    EXPECT_TRUE(code == 0 || code == 1) << printed_;
    const auto summary = document("summary.json");
    const json::Value extra = summary.root().find("extra").value();
    EXPECT_EQ(extra.get<std::string>("measured").value(), "complete");
    EXPECT_EQ(extra.get<std::string>("could_measure").value(), "complete");
    EXPECT_FALSE(extra.get<bool>("model_version_drift").value());
}

TEST_F(ReportedFigures, HaveTheOutcomesInEveryReport) {
    run([](const SeenCall& call) -> Action {
        const bool is_cut = call.prompt.find("#1#") != std::string::npos;
        const bool is_lost = call.prompt.find("#2#") != std::string::npos;
        const bool is_odd = call.prompt.find("#3#") != std::string::npos;
        if (call.model == "j")
            return is_odd ? Action{.body = worker::completion("well")} : judged();
        if (is_cut)
            return {.body = R"({"choices": [{"index": 0, "finish_reason": "length",)"
                            R"("message": {"content": ""}}], "usage": {"prompt_tokens": 7,)"
                            R"("completion_tokens": 1024, "total_tokens": 1031,)"
                            R"("completion_tokens_details": {"reasoning_tokens": 1024}}})"};
        if (is_lost) return {.status = 503, .body = "{}"};
        return {.body = worker::completion("yes")};
    });
    const auto summary = document("summary.json");
    const json::Value outcomes = summary.root().find("outcomes").value();
    EXPECT_EQ(outcomes.get<int>("answered_count").value(), kSamples - 2) << printed_;
    EXPECT_EQ(outcomes.find("error_kinds")->get<int>("http_5xx").value(), 1);
    EXPECT_EQ(outcomes.find("error_kinds")->get<int>("empty_response").value(), 1);
    EXPECT_EQ(outcomes.find("evaluator_errors")->get<int>("parse_error").value(), 1);
    EXPECT_EQ(outcomes.get<int>("token_limit_count").value(), 1);
    EXPECT_EQ(outcomes.find("other_reasons")->get<int>("infrastructure").value(), 1);
    EXPECT_EQ(outcomes.find("other_reasons")->get<int>("token_limit").value(), 1);
    EXPECT_EQ(outcomes.find("other_reasons")->get<int>("evaluator").value(), 1);
    EXPECT_EQ(summary.root().find("extra")->get<std::string>("measured").value(), "partial");
    EXPECT_GE(summary.root().find("rubric")->get<int>("total_output_tokens").value(), 1024)
        << "the empty answer was billed";
    for (const std::string& text : {content("report.html"), content("report.md"), printed_}) {
        EXPECT_THAT(
            text,
            AllOf(HasSubstr("Outcomes"), HasSubstr("Call error"), HasSubstr("Evaluator error"),
                  HasSubstr("Cut off at the token limit"), HasSubstr("Answered trials alone")));
    }
    EXPECT_THAT(content("junit.xml"),
                AllOf(HasSubstr("name=\"outcomes.answered_count\" value=\"6\""),
                      HasSubstr("name=\"outcomes.error_kinds.http_5xx\" value=\"1\""),
                      HasSubstr("name=\"outcomes.other_reasons.token_limit\" value=\"1\"")));
    EXPECT_THAT(content("records.jsonl"), HasSubstr("\"reasoning_tokens\":1024"));
}

}  // namespace
}  // namespace evalfleet
