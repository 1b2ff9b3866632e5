#include "common/runfile/run_bounds.hpp"

#include "common/json/writer.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::runfile {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kHead =
    "version: 1\n"
    "name: test\n"
    "dataset: {path: d.jsonl}\n"
    "judge: {provider: main, name: j, version: \"1\"}\n";

std::string models(int count) {
    std::string text = "models:\n";
    for (int i = 0; i < count; ++i)
        text += fmt::format("  - {{provider: main, name: m{}, version: \"1\"}}\n", i);
    return text;
}

/// `text` stands for the template: a text of its own, or an alias.
std::string prompts(int count, std::string_view text = "\"{{task}}\"") {
    std::string all = "prompts:\n";
    for (int i = 0; i < count; ++i)
        all += fmt::format("  - {{id: p{}, version: \"1\", template: {}}}\n", i, text);
    return all;
}

std::string faults_of(const std::string& text) {
    const auto file = read_run_text({.text = text, .name = "r.yaml"});
    return file ? "" : file.error().text();
}

RunFile read(const std::string& text) {
    return read_run_text({.text = text, .name = "r.yaml"}).value();
}

TEST(RunBounds, CountAnAliasWithAllItStandsFor) {
    const std::string head = std::string(kHead) + models(1);
    const std::string big = "prompts:\n  - {id: first, version: \"1\", template: &big \"{{task}} " +
                            std::string(3 << 20, 'x') + "\"}\n";
    std::string text = head + big;
    for (int i = 0; i < 1000; ++i)
        text += fmt::format("  - {{id: p{}, version: \"1\", template: *big}}\n", i);
    const std::string faults = faults_of(text);
    EXPECT_THAT(faults, StartsWith("r.yaml:9: prompts[1].template: found 31489"));
    EXPECT_THAT(faults, HasSubstr("bytes, aliases counted with all they stand for; allowed: at "
                                  "most 4194304"));
    EXPECT_EQ(faults_of(head + big), "") << "once it is allowed";
}

TEST(RunBounds, CountAliasesOfAliases) {
    std::string text =
        std::string(kHead) + models(1) + "x0: &x0 \"" + std::string(100'000, 'x') + "\"\n";
    for (int i = 1; i < 5; ++i)
        text += fmt::format("x{0}: &x{0} [*x{1}, *x{1}, *x{1}, *x{1}, *x{1}, *x{1}, *x{1}]\n", i,
                            i - 1);
    EXPECT_THAT(faults_of(text), HasSubstr(": found 280100"));
}

TEST(RunBounds, AreAboutTheFileAsJsonToo) {
    // A control character has one byte in YAML and six in JSON.
    const std::string text = std::string(kHead) + models(1) +
                             "prompt: {id: p, version: \"1\", template: \"{{task}} " +
                             std::string(1'000'000, '\x7f') + "\"}\n";
    EXPECT_EQ(faults_of(text), "");
    std::string escaped =
        std::string(kHead) + models(1) + "prompt: {id: p, version: \"1\", template: \"{{task}} ";
    for (int i = 0; i < 900'000; ++i)
        escaped += "\\x01";
    EXPECT_THAT(faults_of(escaped + "\"}\n"), HasSubstr("bytes of JSON, allowed: at most 4194304"));
}

TEST(RunBounds, HoldTheRunsOfAGroup) {
    EXPECT_EQ(faults_of(std::string(kHead) + models(16) + prompts(16)), "");
    EXPECT_EQ(faults_of(std::string(kHead) + models(300) + prompts(300)),
              "r.yaml:6:3: models: found 300 models x 300 prompts = 90000 runs, allowed: at most "
              "256 in one group");
    EXPECT_EQ(faults_of(std::string(kHead) + models(1) + prompts(257)),
              "r.yaml:8:3: prompts: found 1 models x 257 prompts = 257 runs, allowed: at most 256 "
              "in one group");
}

TEST(RunBounds, HoldWhatTheRunsOfAGroupHaveTogether) {
    const std::string large = "\"{{task}} " + std::string(400'000, 'x') + "\"";
    EXPECT_EQ(faults_of(std::string(kHead) + models(8) + prompts(8, large)), "");
    EXPECT_THAT(faults_of(std::string(kHead) + models(28) + prompts(8, large)),
                ::testing::MatchesRegex(
                    "r.yaml:6:3: models: found 28 models x 8 prompts = 224 runs of 89[0-9]+ bytes "
                    "together, allowed: at most 33554432 bytes"));
}

TEST(RunBounds, KnowHowLargeEachRunIs) {
    const RunFile file = read(std::string(kHead) + models(2) + prompts(3));
    std::uint64_t bytes = 0;
    for (const job::ModelRef& model : file.spec.models) {
        for (const job::PromptSpec& prompt : file.spec.prompts) {
            job::RunSpec run = file.spec;
            run.models = {model};
            run.prompts = {prompt};
            std::string json;
            json::Writer writer(json);
            job::write(writer, run);
            bytes += json.size();
        }
    }
    const RunExtent extent = RunExtent::of(file.spec);
    EXPECT_EQ(extent.runs, 6U);
    EXPECT_NEAR(static_cast<double>(extent.bytes), static_cast<double>(bytes), 12)
        << "but for commas";
}

TEST(RunBounds, HoldTheTrials) {
    const RunFile file = read(std::string(kHead) + models(1) + "repeats: 10000\n");
    EXPECT_TRUE(check_trials(file, 10'000, kDefaultMaxTrials).empty());
    EXPECT_EQ(check_trials(file, 30'000, kDefaultMaxTrials).text(),
              "r.yaml:7:10: repeats: found 30000 samples x 10000 repeats = 300000000 trials, "
              "allowed: at most 100000000 (--max-trials)");
    EXPECT_TRUE(check_trials(file, 30'000, 300'000'000).empty());
}

TEST(RunBounds, HoldTheTrialsOfAGroupTogether) {
    const RunFile file = read(std::string(kHead) + models(2) + prompts(3));
    EXPECT_TRUE(check_trials(file, 5, 30).empty());
    EXPECT_EQ(
        check_trials(file, 6, 30).text(),
        "r.yaml:3:10: dataset: found 6 samples x 1 repeats x 2 models x 3 prompts = 36 trials, "
        "allowed: at most 30 (--max-trials)");
}

TEST(RunBounds, OfManyFaultsKeepAFew) {
    std::string text = std::string(kHead) + "models:\n";
    for (int i = 0; i < 20'000; ++i)
        text += fmt::format("  - {{provider: main, name: m{}, version: latest}}\n", i);
    EXPECT_THAT(faults_of(text), HasSubstr("and 19980 more"));
}

}  // namespace
}  // namespace evalfleet::runfile
