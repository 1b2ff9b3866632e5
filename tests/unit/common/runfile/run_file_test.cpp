#include "common/runfile/run_file.hpp"

#include "common/files/atomic_file.hpp"
#include "common/json/writer.hpp"
#include "common/runfile/prompt_check.hpp"
#include "tests/support/temporary_folder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::runfile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kHead =
    "version: 1\n"
    "name: test\n"
    "dataset: {path: d.jsonl}\n";
constexpr std::string_view kModel = "model: {provider: main, name: m, version: \"1\"}\n";
constexpr std::string_view kJudge = "judge: {provider: main, name: j, version: \"1\"}\n";
constexpr std::string_view kProviders =
    "providers:\n"
    "  main: {type: openai, base_url: \"http://127.0.0.1:1/v1\"}\n";

class RunFileTest : public ::testing::Test {
  protected:
    RunFileTest() { write("d.jsonl", "{\"task\":\"a\"}\n"); }

    std::filesystem::path write(std::string_view name, std::string_view content) {
        const auto path = folder_ / name;
        EXPECT_TRUE(files::blocking_write_atomically(path, content));
        return path;
    }
    /// What is wrong with a run file of that content, without the folder's name.
    std::string faults(std::string_view content, std::string_view name = "r.yaml",
                       ProvidersFrom providers = ProvidersFrom::run_file) {
        const auto file = blocking_read_run_file(write(name, content), providers);
        if (file) return "";
        std::string text = file.error().text();
        const std::string prefix = folder_.path().string() + "/";
        for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix))
            text.erase(at, prefix.size());
        return text;
    }
    static std::string whole(std::string_view more = "") {
        return std::string(kHead).append(kModel).append(kJudge).append(kProviders).append(more);
    }
    static std::string with(std::string_view model, std::string_view judge = kJudge) {
        return std::string(kHead).append(model).append(judge).append(kProviders);
    }

    ::evalfleet::testing::TemporaryFolder folder_;
};

TEST_F(RunFileTest, ReadsAWholeFile) {
    const auto file = blocking_read_run_file(write("r.yaml", whole("repeats: 3\n")));
    ASSERT_TRUE(file) << file.error().text();
    EXPECT_EQ(file->spec.name, "test");
    EXPECT_EQ(file->spec.repeats, 3);
    EXPECT_EQ(file->spec.dataset.path, (folder_ / "d.jsonl").string());
    EXPECT_THAT(file->provider_names, ElementsAre("main"));
    EXPECT_TRUE(file->providers.contains("main"));
    EXPECT_TRUE(file->warnings.empty());
}

TEST_F(RunFileTest, TellsWhereWhatIsWrong) {
    struct Case {
        std::string content;
        std::string message;
    };
    const std::vector<Case> cases{
        {whole("repeats: 0\n"), "r.yaml:8:10: repeats: expected a number from 1 to 10000, found 0"},
        {whole("repeats: many\n"),
         "r.yaml:8:10: repeats: expected an integer, found string \"many\""},
        {whole("repeat: 3\n"),
         "r.yaml:8: unknown key \"repeat\"; did you mean \"repeats\"? allowed: version, name, "
         "description, run_labels, dataset, model, models, prompt, prompts, generation, judge, "
         "labels, repeats, limits, "
         "policy, redaction, priority, allow_floating_model, baseline, early_stop, rejudged_from, "
         "judged_answers, originals_key_id, providers"},
        {whole("limits:\n  timeout_ms: -5\n"),
         "r.yaml:9:15: limits.timeout_ms: expected milliseconds from 1 to 86400000, found -5"},
        {whole("limits:\n  max_attempts: 3\n  time_out_ms: 7\n"),
         "r.yaml:10: limits: unknown key \"time_out_ms\"; did you mean \"timeout_ms\"? allowed: "
         "timeout_ms, attempt_timeout_ms, connect_timeout_ms, max_attempts, give_up_after_ms, "
         "max_in_flight, max_cost_usd, max_total_tokens"},
        {whole("limits: {give_up_after_ms: -1}\n"),
         "r.yaml:8:28: limits.give_up_after_ms: expected milliseconds from 0 to 2592000000, found "
         "-1"},
        {whole("limits: {timeout_ms: 1000, attempt_timeout_ms: 2000}\n"),
         "r.yaml:8:48: limits.attempt_timeout_ms: found 2000, allowed: at most timeout_ms, 1000"},
        {whole("limits: {max_cost_usd: 5}\n"),
         "r.yaml:8:24: limits.max_cost_usd: found a limit of cost, but the provider \"main\" has "
         "no "
         "prices"},
        {whole("policy:\n  weights: {accuracy: 45, faithfulness: 30, latency: 15, "
               "token_efficiency: 10}\n"),
         "r.yaml:9:12: policy.weights: expected weights that add up to 1, found accuracy 45 + "
         "faithfulness 30 + latency 15 + token_efficiency 10 = 100 (one that is left out keeps the "
         "Rubric's value)"},
        {whole("priority: 10\n"), "r.yaml:8:11: priority: expected a number from 0 to 9, found 10"},
        {whole("generation: {temperature: 3}\n"),
         "r.yaml:8:27: generation.temperature: expected a number from 0 to 2, found 3"},
        {with("model: {provider: main, name: m}\n"),
         "r.yaml:4:8: model: the model main/m is not pinned, so its results cannot be repeated: "
         "'m' has no version; pin it, or set allow_floating_model: true"},
        {with("model: {provider: main, name: gpt-4o, version: \"1\"}\n"),
         "r.yaml:4:48: model.version: the model main/gpt-4o@1 is not pinned, so its results cannot "
         "be repeated: 'gpt-4o' has no date, such as version: \"2024-08-06\"; pin it, or set "
         "allow_floating_model: true"},
        {with("models:\n  - {provider: main, name: a, version: \"1\"}\n"
              "  - {provider: main, name: b, version: latest}\n"),
         "r.yaml:6:5: models[1]: the model main/b@latest is not pinned to a version, so its "
         "results "
         "cannot be repeated; give \"version\" (not \"latest\"), or set allow_floating_model: "
         "true"},
        {with("model: {provider: mian, name: m, version: \"1\"}\n"),
         "r.yaml:4:19: model.provider: found \"mian\", which is not under \"providers\"; did you "
         "mean \"main\"? allowed: main"},
        {with(kModel, "judge: {provider: other, name: j, version: \"1\"}\n"),
         "r.yaml:5:19: judge.provider: found \"other\", which is not under \"providers\"; allowed: "
         "main"},
        {with(kModel, ""), "r.yaml:1:1: \"judge\" or \"labels\" is required but missing"},
        {whole("prompt: {id: p, version: \"1\", template: \"{{contxt}} {{task}}\"}\n"),
         "r.yaml:8:41: prompt.template: found {{contxt}}, which no sample can have; did you mean "
         "{{context}}? allowed: id, task, reference_answer, context, task_type"},
        {whole("prompt: {id: p, version: \"1\", template: \"{{task}} {{my task}}\"}\n"),
         "r.yaml:8:41: prompt.template: found \"{{my task}}\", which is no placeholder: {{name}} "
         "with one of these names: id, task, reference_answer, context, task_type"},
        {whole("prompt: {id: p, version: \"1\", template: \"{{ task }}\", system: \"{{\"}\n"),
         "r.yaml:8:63: prompt.system: found \"{{\", which is no placeholder: {{name}} with one of "
         "these names: id, task, reference_answer, context, task_type"},
        {whole("prompts:\n  - {id: p, version: \"1\", template: \"{{task}}\"}\n"
               "  - {id: p, version: \"1\", template: \"x\"}\n"),
         "r.yaml:10:10: prompts[1].id: the prompt p version 1 stands twice"},
    };
    for (const Case& one : cases)
        EXPECT_EQ(faults(one.content), one.message) << one.content;
}

TEST_F(RunFileTest, RefusesAPromptThatShowsNoTaskUnlessAllSamplesAreChats) {
    const auto faults_with = [this](std::string_view prompt, std::string_view samples) {
        const auto file = blocking_read_run_file(
            write("r.yaml", whole(fmt::format("prompt: {{id: p, version: \"1\", {}}}\n", prompt))));
        EXPECT_TRUE(file) << file.error().text();
        const auto dataset = Dataset::blocking_validate(write("d.jsonl", samples));
        EXPECT_TRUE(dataset);
        return check_prompts(*file, *dataset).text();
    };
    const std::string task = "{\"task\":\"a\"}\n";
    const std::string chat = "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}\n";
    const std::string blind = "template: \"{{context}}\"";
    EXPECT_THAT(faults_with(blind, task),
                HasSubstr("r.yaml:8:41: prompt.template: shows neither the task nor messages"));
    EXPECT_NE(faults_with(blind, chat + task), "");
    EXPECT_EQ(faults_with(blind, chat), "");
    EXPECT_EQ(faults_with("template: \"{{ task }}\"", task), "");
    EXPECT_EQ(faults_with("template: \"Answer.\", system: \"{{task}}\"", task), "");
}

TEST_F(RunFileTest, ReportsAllFaultsAtOnce) {
    EXPECT_EQ(faults("version: 2\n"
                     "dataset: {pth: d.jsonl}\n"
                     "model: {provider: main}\n"
                     "repeats: -1\n"),
              "r.yaml:1:1: \"name\" is required but missing\n"
              "r.yaml:1:1: \"judge\" or \"labels\" is required but missing\n"
              "r.yaml:1:10: version: found 2; this program reads version 1\n"
              "r.yaml:2: dataset: unknown key \"pth\"; did you mean \"path\"? allowed: path, id, "
              "version, hash, last_assistant\n"
              "r.yaml:2:10: dataset: \"path\" or \"id\" is required but missing\n"
              "r.yaml:3:8: model: \"name\" is required but missing\n"
              "r.yaml:3:19: model.provider: found \"main\", but the file has no \"providers\" "
              "block to name it\n"
              "r.yaml:4:10: repeats: expected a number from 1 to 10000, found -1");
}

TEST_F(RunFileTest, SaysNothingOfWhatOnlyFollowsFromAFault) {
    EXPECT_EQ(faults(whole("limits: {timeout_ms: x, attempt_timeout_ms: 200000}\n")),
              "r.yaml:8:22: limits.timeout_ms: expected an integer, found string \"x\"");
    EXPECT_EQ(
        faults("version: 1\nname: t\ndataset: 5\nmodel: 6\njudge: 7\n" + std::string(kProviders)),
        "r.yaml:3:10: dataset: expected an object, found 5\n"
        "r.yaml:4:8: model: expected an object, found 6\n"
        "r.yaml:5:8: judge: expected an object, found 7");
}

TEST_F(RunFileTest, RefusesWhatOnlyACoordinatorEnters) {
    EXPECT_EQ(faults(whole("rejudged_from: x\noriginals_key_id: y\n")),
              "r.yaml:8:16: rejudged_from: is set by the coordinator; see `evalfleet rejudge`\n"
              "r.yaml:9:19: originals_key_id: is set by the coordinator; see `evalfleet rejudge`");
}

TEST_F(RunFileTest, RefusesFilesThatAreNotThere) {
    const std::string content = "version: 1\nname: t\ndataset: {path: none.jsonl}\n" +
                                std::string(kModel).append(kJudge).append(kProviders);
    EXPECT_EQ(faults(content),
              "r.yaml:3:17: dataset.path: found \"none.jsonl\", but there is no "
              "file none.jsonl");
    const auto missing = blocking_read_run_file(folder_ / "none.yaml");
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().text(), HasSubstr("none.yaml"));
}

TEST_F(RunFileTest, NeedsAPathUnlessACoordinatorKnowsTheDataset) {
    const std::string content =
        "version: 1\nname: t\ndataset: {id: qa}\n" + std::string(kModel).append(kJudge);
    EXPECT_EQ(faults(content + std::string(kProviders)),
              "r.yaml:3:10: dataset: \"path\" is required but missing; only a coordinator knows "
              "data sets by their id");
    EXPECT_EQ(faults(content, "r.yaml", ProvidersFrom::operator_file), "");
    EXPECT_EQ(faults("version: 1\nname: t\ndataset: {version: \"1\"}\n" +
                     std::string(kModel).append(kJudge).append(kProviders)),
              "r.yaml:3:10: dataset: \"path\" or \"id\" is required but missing");
    EXPECT_EQ(faults("version: 1\nname: t\ndataset: {id: qa, hash: abc}\n" +
                     std::string(kModel).append(kJudge).append(kProviders)),
              "r.yaml:3:25: dataset.hash: expected 64 digits of lower-case hex, found string "
              "\"abc\"");
}

std::string text_faults(const RunText& text) {
    const auto file = read_run_text(text);
    return file ? "" : file.error().text();
}

/// An operator's, all of the type openai and without prices.
providers::Providers named(std::initializer_list<std::string> names) {
    providers::Providers providers;
    for (const std::string& name : names)
        providers[name].name = name;
    return providers;
}

TEST_F(RunFileTest, IsReadFromATextAsACoordinatorTakesIt) {
    const std::string good = std::string(kHead).append(kModel).append(kJudge);
    const auto file = read_run_text({.text = good, .providers = named({"main"})});
    ASSERT_TRUE(file) << file.error().text();
    EXPECT_EQ(file->spec.dataset.path, "d.jsonl") << "it is the coordinator's to resolve";
    EXPECT_EQ(text_faults({.text = good}), "") << "without providers every name is taken";
    EXPECT_EQ(text_faults({.text = good, .providers = named({})}), "");
    EXPECT_EQ(text_faults({.text = good, .providers = named({"mein", "other"})}),
              "run file:4:19: model.provider: found \"main\", which the operator's providers do "
              "not have; "
              "did you mean \"mein\"? allowed: mein, other\n"
              "run file:5:19: judge.provider: found \"main\", which the operator's providers do "
              "not have; "
              "did you mean \"mein\"? allowed: mein, other");
    EXPECT_THAT(text_faults({.text = good + std::string(kProviders)}),
                HasSubstr("a coordinator's providers belong to its operator"));
    EXPECT_THAT(text_faults({.text = "{\"version\": 1,", .is_json = true}),
                HasSubstr("run file:1"));
    EXPECT_THAT(text_faults({.text = "version: 1\nname: \"\xff\xfe\"\n"}), ::testing::Not(""));
}

TEST_F(RunFileTest, IsTakenByACoordinatorAsItWasWrittenOutWithItsDefaults) {
    for (const char* limits : {"{timeout_ms: 20000}", "{timeout_ms: 1}",
                               "{timeout_ms: 20000, connect_timeout_ms: 50000}", "{}"}) {
        auto file =
            blocking_read_run_file(write("r.yaml", whole(fmt::format("limits: {}\n", limits))));
        ASSERT_TRUE(file) << file.error().text();
        file->spec.providers = "{}";
        std::string handed_in;
        json::Writer writer(handed_in);
        job::write(writer, file->spec);
        EXPECT_EQ(text_faults({.text = handed_in, .is_json = true, .providers = named({"main"})}),
                  "")
            << limits;
    }
}

TEST_F(RunFileTest, RefusesMalformedYamlWithItsLine) {
    EXPECT_THAT(faults("version: 1\nname: [\n"), HasSubstr("r.yaml:"));
    EXPECT_EQ(faults("version: 1\nname: a\nname: b\n"), "r.yaml:3: the key 'name' stands twice");
    EXPECT_EQ(faults(""), "r.yaml: is empty");
}

TEST_F(RunFileTest, ChecksTheProvidersBlock) {
    const std::string content =
        std::string(kHead).append(kModel).append(kJudge) +
        "providers:\n  main: {type: opena, base_url: \"http://127.0.0.1:1/v1\"}\n";
    EXPECT_THAT(faults(content), HasSubstr("r.yaml:7: providers.main.type: "));
    EXPECT_THAT(faults(content), HasSubstr("opena"));
    EXPECT_EQ(
        faults(std::string(kHead).append(kModel).append(kJudge)),
        "r.yaml:4:19: model.provider: found \"main\", but the file has no \"providers\" block "
        "to name it\n"
        "r.yaml:5:19: judge.provider: found \"main\", but the file has no \"providers\" block "
        "to name it");
}

TEST_F(RunFileTest, LeavesProvidersOfACoordinatorToItsOperator) {
    const std::string without = std::string(kHead).append(kModel).append(kJudge);
    EXPECT_EQ(faults(without, "r.yaml", ProvidersFrom::operator_file), "");
    EXPECT_THAT(
        faults(whole(), "r.yaml", ProvidersFrom::operator_file),
        HasSubstr("r.yaml:7:3: providers: a coordinator's providers belong to its operator"));
}

TEST_F(RunFileTest, ReadsJsonOfTheSameShape) {
    const std::string good = R"({
  "version": 1, "name": "t\u00e9st\/",
  "dataset": {"path": "d.jsonl"},
  "model": {"provider": "main", "name": "m", "version": "1"},
  "judge": {"provider": "main", "name": "j", "version": "1"},
  "providers": {"main": {"type": "openai", "base_url": "http://127.0.0.1:1/v1"}})";
    EXPECT_EQ(faults(good + "}", "r.json"), "");
    EXPECT_EQ(faults(good + ",\n  \"repeats\": 0}", "r.json"),
              "r.json:7:14: repeats: expected a number from 1 to 10000, found 0");
    EXPECT_THAT(faults(good + ",}", "r.json"), HasSubstr("r.json:6:"));
}

TEST_F(RunFileTest, WarnsOfAJudgeThatIsNotPinned) {
    const auto file =
        blocking_read_run_file(write("r.yaml", with(kModel, "judge: {provider: main, name: j}\n")));
    ASSERT_TRUE(file) << file.error().text();
    ASSERT_EQ(file->warnings.size(), 1U);
    EXPECT_THAT(file->warnings[0], HasSubstr("r.yaml:5: judge: the judge main/j is not pinned"));
}

TEST_F(RunFileTest, AsksTheProvidersTypeWhetherAModelIsPinned) {
    struct Case {
        std::string type;
        std::string name;
    };
    for (const Case& one :
         {Case{"openai", "gpt-4o-2024-08-06"}, Case{"anthropic", "claude-opus-4-6"},
          Case{"gemini", "gemini-2.5-flash"}, Case{"ollama", "\"llama3.2:3b\""}}) {
        const std::string content = std::string(kHead) +
                                    "model: {provider: main, name: " + one.name + "}\n" +
                                    std::string(kJudge) + "providers:\n  main: {type: " + one.type +
                                    ", base_url: \"http://127.0.0.1:1/v1\"}\n";
        EXPECT_EQ(faults(content), "") << one.name;
    }
}

TEST_F(RunFileTest, RefusesAFloatingModelOfACoordinatorsProvider) {
    const std::string floating = std::string(kHead) +
                                 "model: {provider: main, name: gpt-4o, version: \"1\"}\n" +
                                 std::string(kJudge);
    EXPECT_THAT(text_faults({.text = floating, .providers = named({"main"})}),
                HasSubstr("run file:4:48: model.version: the model main/gpt-4o@1 is not pinned"));
    EXPECT_EQ(text_faults({.text = floating + "allow_floating_model: true\n",
                           .providers = named({"main"})}),
              "");
    const std::string dated = std::string(kHead) +
                              "model: {provider: main, name: gpt-4o-2024-08-06}\n" +
                              std::string(kJudge);
    EXPECT_EQ(text_faults({.text = dated, .providers = named({"main"})}), "");
    EXPECT_THAT(text_faults({.text = dated, .providers = named({})}),
                HasSubstr("run file:4:8: model: the model main/gpt-4o-2024-08-06 is not pinned"))
        << "nobody can tell its provider's type";
}

TEST_F(RunFileTest, WarnsOfAVersionThatOnlyTheProviderCanMiss) {
    const std::string content = std::string(kHead) +
                                "model: {provider: main, name: claude-opus-4-6}\n" +
                                std::string(kJudge);
    for (const ProvidersFrom from : {ProvidersFrom::operator_file, ProvidersFrom::either}) {
        const auto file = blocking_read_run_file(write("r.yaml", content), from);
        ASSERT_TRUE(file) << file.error().text();
        ASSERT_EQ(file->warnings.size(), 1U);
        EXPECT_THAT(file->warnings[0],
                    HasSubstr("r.yaml:4: model: the model main/claude-opus-4-6 has no version"));
    }
}

TEST_F(RunFileTest, RefusesALimitOfCostThatNoPricesOfTheOperatorBack) {
    const std::string content =
        std::string(kHead).append(kModel).append(kJudge) + "limits: {max_cost_usd: 5}\n";
    EXPECT_EQ(text_faults({.text = content}), "") << "who has the providers will tell";
    for (const auto& operators : {named({"main"}), named({})}) {
        EXPECT_EQ(text_faults({.text = content, .providers = operators}),
                  "run file:6:24: limits.max_cost_usd: found a limit of cost, but the provider "
                  "\"main\" has no prices");
    }
    providers::Providers priced = named({"main"});
    priced.at("main").prices.emplace();
    EXPECT_EQ(text_faults({.text = content, .providers = priced}), "");
}

TEST_F(RunFileTest, LetsAFloatingModelRunWhenAsked) {
    EXPECT_EQ(faults(with("model: {provider: main, name: m}\nallow_floating_model: true\n")), "");
}

TEST_F(RunFileTest, RefusesAJudgeThatCannotBeAskedAsItSays) {
    const auto judged = [&](std::string_view more) {
        return faults(std::string(kHead)
                          .append(kModel)
                          .append("judge: {provider: main, name: j, version: \"1\", ")
                          .append(more)
                          .append("}\nproviders:\n  main: {type: anthropic, base_url: "
                                  "\"http://127.0.0.1:1\"}\n"));
    };
    EXPECT_EQ(judged("response_format: auto, generation: {max_tokens: 9000}"), "");
    EXPECT_THAT(judged("response_format: json"),
                HasSubstr("r.yaml:5:65: judge.response_format: found json, but providers of type "
                          "anthropic have no JSON without a schema, allowed: auto, none"));
    EXPECT_THAT(judged("limits: {timeout_ms: 5, attempt_timeout_ms: 6}"),
                HasSubstr("judge.limits.attempt_timeout_ms: found 6, allowed: at most timeout_ms, "
                          "5"));
    EXPECT_THAT(judged("generation: {max_token: 1}"), HasSubstr("did you mean \"max_tokens\"?"));
}

TEST_F(RunFileTest, RefusesAdditionsThatWouldOverwriteARequestsOwn) {
    EXPECT_EQ(faults(whole("generation: {extra: {top_k: 5}}\n")), "");
    EXPECT_THAT(
        faults(whole("generation: {extra: {temperature: 1}}\n")),
        HasSubstr("r.yaml:8:21: generation.extra: found temperature, which requests have by "
                  "themselves, allowed: temperature instead"));
    EXPECT_THAT(
        faults(whole("generation:\n  extra:\n    top_k: 1\n    seed: 7\n")),
        HasSubstr("r.yaml:11: generation.extra: found seed, which requests have by themselves"));
    EXPECT_THAT(faults(whole("generation: {thinking_budget: 2048}\n")),
                HasSubstr("generation.thinking_budget: found 2048, allowed: less than max_tokens, "
                          "1024"));
    const auto file = blocking_read_run_file(
        write("r.yaml", whole("generation: {thinking_budget: 8, prompt_cache: 5m}\n")));
    ASSERT_TRUE(file) << file.error().text();
    ASSERT_EQ(file->warnings.size(), 2U);
    EXPECT_THAT(file->warnings[0],
                HasSubstr("generation.thinking_budget: is not sent: providers of type openai have "
                          "no such parameter"));
}

}  // namespace
}  // namespace evalfleet::runfile
