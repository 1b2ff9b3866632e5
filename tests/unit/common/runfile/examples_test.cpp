#include "common/config/yaml.hpp"
#include "common/files/atomic_file.hpp"
#include "common/files/file.hpp"
#include "common/providers/provider_config.hpp"
#include "common/runfile/dataset.hpp"
#include "common/runfile/labels_file.hpp"
#include "common/runfile/run_file.hpp"
#include "tests/support/temporary_folder.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace evalfleet::runfile {
namespace {

using Path = std::filesystem::path;

constexpr std::uint64_t kMaxDocBytes = 1 << 20;

Path docs() {
    return Path(EVALFLEET_TEST_DATA_DIR).parent_path() / "docs";
}

/// The fenced blocks of one language in a Markdown file.
std::vector<std::string> blocks(const Path& file, const std::string& language) {
    const std::string text = files::blocking_read_file(file, kMaxDocBytes).value();
    const std::string open = "```" + language + "\n";
    std::vector<std::string> found;
    for (auto at = text.find(open); at != std::string::npos; at = text.find(open, at)) {
        const auto begin = at + open.size();
        const auto end = text.find("\n```", begin);
        found.push_back(text.substr(begin, end + 1 - begin));
        at = end;
    }
    return found;
}

TEST(Examples, TheDatasetIsValidAndVaried) {
    const auto dataset = Dataset::blocking_validate(docs() / "examples" / "qa.jsonl");
    ASSERT_TRUE(dataset) << dataset.error().text();
    EXPECT_GE(dataset->size(), 60U);
    EXPECT_EQ(dataset->content().with_reference, dataset->size());
    EXPECT_GE(dataset->content().with_context, 40U);
    EXPECT_GE(dataset->content().with_format, 10U);
    EXPECT_GE(dataset->content().chats, 2U);
    EXPECT_GE(dataset->content().task_types.size(), 6U);
    EXPECT_TRUE(dataset->content().unknown_members.empty());
}

TEST(Examples, TheRunFilesAreValid) {
    const auto demo = blocking_read_run_file(docs() / "examples" / "demo.yaml");
    ASSERT_TRUE(demo) << demo.error().text();
    EXPECT_EQ(demo->spec.repeats, 3);
    EXPECT_TRUE(demo->warnings.empty());
    const auto nightly =
        blocking_read_run_file(docs() / "examples" / "nightly.yaml", ProvidersFrom::operator_file);
    ASSERT_TRUE(nightly) << nightly.error().text();
    EXPECT_EQ(nightly->spec.models.size(), 2U);
    EXPECT_EQ(nightly->spec.prompts.size(), 2U);
}

TEST(Examples, TheProvidersFileNamesWhatTheNightlyRunUses) {
    const auto providers =
        providers::blocking_read_providers_file(docs() / "examples" / "providers.yaml");
    ASSERT_TRUE(providers) << providers.error().message;
    EXPECT_TRUE(providers->contains("openai-prod"));
    EXPECT_TRUE(providers->contains("anthropic-prod"));
}

TEST(RunFileReference, EveryYamlBlockIsAValidRunFile) {
    const auto found = blocks(docs() / "run-file.md", "yaml");
    ASSERT_GE(found.size(), 2U);
    ::evalfleet::testing::TemporaryFolder folder;
    ASSERT_TRUE(files::blocking_write_atomically(folder / "qa.jsonl", "{\"task\":\"a\"}\n"));
    for (const std::string& content : found) {
        const Path path = folder / "run.yaml";
        ASSERT_TRUE(files::blocking_write_atomically(path, content));
        const auto file = blocking_read_run_file(path);
        EXPECT_TRUE(file) << content << file.error().text();
    }
}

TEST(RunFileReference, EveryDatasetAndLabelsBlockIsValid) {
    const auto found = blocks(docs() / "run-file.md", "jsonl");
    ASSERT_GE(found.size(), 2U);
    ::evalfleet::testing::TemporaryFolder folder;
    for (const std::string& content : found) {
        const Path path = folder / "d.jsonl";
        ASSERT_TRUE(files::blocking_write_atomically(path, content));
        if (content.starts_with("{\"sample_id\"")) {
            const auto labels = LabelsFile::blocking_read(path);
            EXPECT_TRUE(labels) << content << labels.error().text();
            continue;
        }
        const auto dataset = Dataset::blocking_validate(path);
        EXPECT_TRUE(dataset) << content << dataset.error().text();
    }
}

/// A field that the reader knows but the reference does not mention would be a secret.
TEST(RunFileReference, MentionsEveryField) {
    const std::string text =
        files::blocking_read_file(docs() / "run-file.md", kMaxDocBytes).value();
    for (const char* field : {"version",
                              "name",
                              "description",
                              "run_labels",
                              "dataset",
                              "model",
                              "models",
                              "prompt",
                              "prompts",
                              "generation",
                              "judge",
                              "labels",
                              "repeats",
                              "limits",
                              "policy",
                              "redaction",
                              "priority",
                              "allow_floating_model",
                              "baseline",
                              "early_stop",
                              "providers",
                              "timeout_ms",
                              "attempt_timeout_ms",
                              "connect_timeout_ms",
                              "max_attempts",
                              "give_up_after_ms",
                              "max_in_flight",
                              "max_cost_usd",
                              "temperature",
                              "top_p",
                              "max_tokens",
                              "seed",
                              "profile",
                              "rationale_limit",
                              "template",
                              "system",
                              "pii",
                              "min_accuracy",
                              "min_faithfulness",
                              "max_latency_e2e_ms",
                              "max_total_tokens",
                              "latency_ref_ms",
                              "tokens_ref",
                              "min_aggregate_score",
                              "min_pass_rate",
                              "max_faithfulness_failure_rate",
                              "max_latency_e2e_p95_ms",
                              "replicates",
                              "reference_answer",
                              "context",
                              "task_type",
                              "tags",
                              "expected_format",
                              "last_assistant",
                              "messages",
                              "api_key_env",
                              "api_key_file",
                              "api_key_id",
                              "rpm",
                              "tpm",
                              "max_concurrent",
                              "stream",
                              "prices"}) {
        EXPECT_NE(text.find(fmt::format("`{}`", field)), std::string::npos) << field;
    }
}

TEST(Examples, OfEveryServiceAreGoodForARun) {
    const auto services =
        providers::blocking_read_providers_file(docs() / "examples" / "services.yaml");
    ASSERT_TRUE(services) << services.error().message;
    const std::vector<std::pair<const char*, const char*>> models{
        {"openai", "gpt-4o-2024-08-06"},
        {"azure", "my-deployment"},
        {"azure-entra", "my-deployment"},
        {"azure-responses", "my-deployment"},
        {"openai-responses", "gpt-4o-2024-08-06"},
        {"vertex", "gemini-2.5-flash"},
        {"vertex-claude", "claude-opus-4-6"},
        {"bedrock", "amazon.nova-pro-v1:0"},
        {"bedrock-role", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"},
        {"bedrock-key", "amazon.nova-pro-v1:0"},
        {"vllm-base", "meta-llama/Llama-3.1-8B"},
        {"own-program", "my-model"},
        {"anthropic", "claude-opus-4-6"},
        {"gemini", "gemini-2.5-flash"},
        {"ollama", "llama3.1"},
        {"vllm", "meta-llama/Llama-3.1-8B-Instruct"},
        {"llama-cpp", "qwen2.5"},
        {"litellm", "my-alias"},
        {"openrouter", "anthropic/claude-4.6-sonnet-20260217"},
        {"mistral", "mistral-large"},
        {"groq", "llama-3.3-70b-versatile"},
        {"xai", "grok-4"}};
    EXPECT_EQ(models.size(), services->size());
    for (const auto& [provider, model] : models) {
        const std::string named =
            std::string("{provider: ") + provider + ", name: \"" + model + "\", version: \"2411\"}";
        const std::string text = "version: 1\nname: n\ndataset: {id: d}\nmodel: " + named +
                                 "\njudge: " + named + "\nallow_floating_model: true\n";
        const auto file = read_run_text({.text = text, .providers = *services});
        EXPECT_TRUE(file) << provider << ": " << file.error().text();
    }
}

TEST(Examples, KnowEveryProtocolThatThereIs) {
    const auto services =
        providers::blocking_read_providers_file(docs() / "examples" / "services.yaml");
    ASSERT_TRUE(services) << services.error().message;
    const std::string page = files::blocking_read_file(docs() / "providers.md", 1 << 20).value();
    const std::string simulator =
        files::blocking_read_file(docs() / "simulator.md", 1 << 20).value();
    const std::string run_files =
        files::blocking_read_file(docs() / "run-file.md", 1 << 20).value();
    std::string types;
    for (const providers::ProtocolTraits& traits : providers::kProtocols)
        types += fmt::format("{}`{}`", types.empty() ? "" : ", ", traits.name);
    EXPECT_NE(run_files.find("| `type` | " + types), std::string::npos)
        << "docs/run-file.md must list: " << types;
    for (const providers::ProtocolTraits& traits : providers::kProtocols) {
        EXPECT_TRUE(std::any_of(services->begin(), services->end(), [&](const auto& each) {
            return each.second.type == traits.type;
        })) << traits.name;
        EXPECT_NE(page.find(fmt::format("| `{}` |", traits.name)), std::string::npos)
            << traits.name << " has no row in docs/providers.md";
        const bool is_simulated = traits.type != providers::ProviderType::command;
        EXPECT_TRUE(!is_simulated ||
                    simulator.find(fmt::format("`{}`", traits.name)) != std::string::npos)
            << traits.name << " has no row in docs/simulator.md";
    }
}

}  // namespace
}  // namespace evalfleet::runfile
