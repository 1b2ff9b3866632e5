#include "cli/commands/init.hpp"

#include <fmt/format.h>

namespace evalfleet::cli {

namespace {

constexpr std::string_view kRunFile =
    R"(# A first evaluation. Every field is in docs/run-file.md.
#
#   evalfleet validate run.yaml --simulate   # finds every mistake before anything is called
#   evalfleet run run.yaml --simulate        # a whole run without a key: a simulated model answers
#   evalfleet run run.yaml                   # the real one{key_step}
#
version: 1
name: first-run

# One JSON object a line: task, and if there is one context and reference_answer.
dataset: {{path: dataset.jsonl, id: first-dataset, version: "1"}}

# Pinned to a version, so that tomorrow's result can be compared with today's.
model: {{provider: {provider}, name: {model}{version}}}

# {{{{task}}}} and {{{{context}}}} are the sample's.
prompt:
  id: context-then-task
  version: "1"
  system: Answer from the context if there is one. Be brief.
  template: |-
    {{{{context}}}}

    {{{{task}}}}
generation: {{temperature: 0, max_tokens: 256}}

# The judge scores each answer against the reference. Better a model other than the one it judges.
judge: {{provider: {provider}, name: {judge}{judge_version}, profile: rubric-v1}}

# Each sample so many times: shows how steady the model is. More samples say more than more repeats.
repeats: 3
limits: {{timeout_ms: 60000}}

# When is it ready? Left out, these are the Rubric's thresholds (docs/semantics.md).
policy:
  gates: {{min_pass_rate: 0.85, max_latency_e2e_p95_ms: 10000}}

# Only for `evalfleet run`. A coordinator has its operator's file instead: see providers.yaml.
providers:
{providers})";

constexpr std::string_view kProvidersFile =
    R"(# The operator's file: `--providers providers.yaml` of a coordinator and its workers. See docs/providers.md.
# No key is in it: it names the environment variable (api_key_env) or the file (api_key_file) that holds one.
providers:
{providers})";

constexpr std::string_view kDataset =
    R"({"id": "harbour-range", "task": "What is the tidal range at spring tides?", "context": "The harbour has a tidal range of 6.2 metres at spring tides and 2.8 metres at neaps.", "reference_answer": "6.2 metres", "task_type": "qa"}
{"id": "harbour-neaps", "task": "What is the tidal range at neaps?", "context": "The harbour has a tidal range of 6.2 metres at spring tides and 2.8 metres at neaps.", "reference_answer": "2.8 metres", "task_type": "qa"}
{"id": "library-monday", "task": "Can I return a book on Monday at 20:00?", "context": "The library is closed on Mondays. The return box beside the door is open day and night.", "reference_answer": "Yes, in the return box beside the door", "task_type": "qa"}
{"id": "library-days", "task": "On which day is the library closed?", "context": "The library is closed on Mondays. The return box beside the door is open day and night.", "reference_answer": "On Mondays", "task_type": "qa"}
{"id": "kettle-fill", "task": "How much water may be in the kettle at most?", "context": "Fill the kettle with 0.5 to 1.7 litres. Below 0.5 litres it switches off by itself.", "reference_answer": "1.7 litres", "task_type": "qa"}
{"id": "kettle-off", "task": "What happens with 0.3 litres in the kettle?", "context": "Fill the kettle with 0.5 to 1.7 litres. Below 0.5 litres it switches off by itself.", "reference_answer": "It switches off by itself", "task_type": "qa"}
{"id": "bus-last", "task": "When does the last bus leave on Sundays?", "context": "Buses leave every 20 minutes until 23:40, on Sundays every 40 minutes until 21:20.", "reference_answer": "21:20", "task_type": "qa"}
{"id": "bus-interval", "task": "How often do buses leave on Sundays?", "context": "Buses leave every 20 minutes until 23:40, on Sundays every 40 minutes until 21:20.", "reference_answer": "Every 40 minutes", "task_type": "qa"}
{"id": "bread-rest", "task": "How long does the dough rest in the fridge?", "context": "Let the dough rest for 12 hours in the fridge, then one hour in the warm before it is baked.", "reference_answer": "12 hours", "task_type": "qa"}
{"id": "bread-unknown", "task": "At which temperature is the bread baked?", "context": "Let the dough rest for 12 hours in the fridge, then one hour in the warm before it is baked.", "reference_answer": "The text does not say", "task_type": "qa"}
{"id": "sum", "task": "What is 17 + 26?", "reference_answer": "43", "task_type": "arithmetic"}
{"id": "product", "task": "What is 12 times 12?", "reference_answer": "144", "task_type": "arithmetic"}
)";

std::string version_member(std::string_view version) {
    return version.empty() ? "" : fmt::format(", version: \"{}\"", version);
}

std::string providers_block(const StarterService& service) {
    std::string block = fmt::format("  {}:\n    type: {}\n    base_url: \"{}\"\n", service.name,
                                    service.name, service.base_url);
    if (!service.key_variable.empty())
        block += fmt::format("    api_key_env: {}\n", service.key_variable);
    return block;
}

}  // namespace

const std::vector<StarterService>& starter_services() {
    static const std::vector<StarterService> services{
        {"openai", "https://api.openai.com/v1", "OPENAI_API_KEY", "gpt-4o-mini", "2024-07-18",
         "gpt-4o", "2024-08-06"},
        {"anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY", "claude-haiku-4-5",
         "20251001", "claude-sonnet-4-5", "20250929"},
        {"gemini", "https://generativelanguage.googleapis.com", "GEMINI_API_KEY",
         "gemini-2.0-flash-001", "", "gemini-2.0-flash-001", ""},
        {"ollama", "http://127.0.0.1:11434", "", "llama3.2:3b-instruct-q8_0", "1",
         "qwen2.5:14b-instruct-q4_K_M", "1"},
    };
    return services;
}

std::vector<StarterFile> starter_files(const StarterService& service) {
    const std::string providers = providers_block(service);
    const std::string key_step = service.key_variable.empty()
                                     ? ""
                                     : fmt::format(", after: export {}=...", service.key_variable);
    return {
        {"run.yaml",
         fmt::format(kRunFile, fmt::arg("key_step", key_step), fmt::arg("provider", service.name),
                     fmt::arg("model", service.model),
                     fmt::arg("version", version_member(service.version)),
                     fmt::arg("judge", service.judge),
                     fmt::arg("judge_version", version_member(service.judge_version)),
                     fmt::arg("providers", providers))},
        {"dataset.jsonl", std::string(kDataset)},
        {"providers.yaml", fmt::format(kProvidersFile, fmt::arg("providers", providers))},
    };
}

}  // namespace evalfleet::cli
