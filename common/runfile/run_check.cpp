#include "common/runfile/run_check.hpp"

#include "common/job/sample.hpp"
#include "common/json/document.hpp"
#include "common/providers/model_names.hpp"
#include "common/providers/price_table.hpp"
#include "common/providers/request_members.hpp"
#include "common/runfile/run_bounds.hpp"
#include "common/runfile/yaml_place.hpp"
#include "common/scoring/prompt_template.hpp"
#include "common/text/nearest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

namespace evalfleet::runfile {

namespace {

using config::YamlNode;
using Path = std::filesystem::path;

class RunCheck {
  public:
    RunCheck(RunFile& file, const YamlNode& root, const CheckTerms& terms, FaultList& faults)
        : file_(file), root_(root), terms_(terms), faults_(faults) {
        for (const Fault& fault : faults.kept())
            wrong_.push_back(fault.field);
    }

    void run() {
        if (!check_size()) return;
        check_scope();
        check_providers();
        check_prices();
        check_templates();
        check_twins();
        if (terms_.has_files) check_files();
        check_baseline();
        check_timeouts();
        check_formats();
        check_generation();
        warn_about_judge();
        warn_about_prices();
    }

  private:
    [[nodiscard]] std::string name() const { return file_.path.string(); }

    /// Whether `path` and all in it could be read: of what could not, the spec has something else
    /// than the file, and what follows from that is no fault of the user's.
    [[nodiscard]] bool is_sound(const std::string& path) const {
        return std::ranges::none_of(wrong_, [&](const std::string& field) {
            return field == path || field.starts_with(path + '.') || field.starts_with(path + '[');
        });
    }
    /// The same of the model or prompt `index`, given alone or in a list.
    [[nodiscard]] bool is_sound(const std::string& singular, std::size_t index) const {
        if (root_.find(singular)) return is_sound(singular);
        return std::ranges::find(wrong_, singular + 's') == wrong_.end() &&
               is_sound(fmt::format("{}s[{}]", singular, index));
    }
    [[nodiscard]] bool has_sound_judge() const { return file_.spec.judge && is_sound("judge"); }

    void add(const YamlNode& node, std::string message) {
        faults_.add(fault_at(node, std::move(message)));
    }

    [[nodiscard]] Fault fault_at(const YamlNode& node, std::string message) const {
        return runfile::fault_at(name(), node, std::move(message));
    }

    /// The node at a path; the root if the file does not have it.
    [[nodiscard]] YamlNode place(const std::string& path) const {
        return place_message(root_, path + ": ").node;
    }
    /// Of the model or prompt `index`, given alone or in a list.
    [[nodiscard]] YamlNode place(std::string_view singular, std::size_t index,
                                 std::string_view member) const {
        if (root_.find(singular)) return place(fmt::format("{}.{}", singular, member));
        return place(fmt::format("{}s[{}].{}", singular, index, member));
    }

    /// Before everything else: what follows takes time for each model and prompt.
    bool check_size() {
        const std::size_t before = faults_.total();
        const RunExtent extent = RunExtent::of(file_.spec);
        const std::size_t models = file_.spec.models.size();
        const std::size_t prompts = file_.spec.prompts.size();
        const YamlNode list = place(prompts > models ? "prompts" : "models");
        const std::string product =
            fmt::format("found {} models x {} prompts = {} runs", models, prompts, extent.runs);
        if (extent.file_bytes > kMaxRunFileBytes) {
            add(root_, fmt::format("found {} bytes of JSON, allowed: at most {}", extent.file_bytes,
                                   kMaxRunFileBytes));
        } else if (extent.runs > kMaxGroupRuns) {
            add(list, fmt::format("{}, allowed: at most {} in one group", product, kMaxGroupRuns));
        } else if (extent.bytes > kMaxGroupBytes) {
            add(list, fmt::format("{} of {} bytes together, allowed: at most {} bytes", product,
                                  extent.bytes, kMaxGroupBytes));
        }
        const YamlNode repeats = place("repeats");
        file_.trials_place = fault_at(repeats.path().empty() ? place("dataset") : repeats, "");
        file_.last_assistant_place = fault_at(place("dataset.last_assistant"), "");
        const auto judge = root_.find("judge");
        file_.names_profile = judge && judge->find("profile");
        return faults_.total() == before;
    }

    /// What a coordinator enters itself, when it makes a run out of another one.
    void check_scope() {
        const job::RunSpec& spec = file_.spec;
        const auto refuse = [this](const char* key, bool is_given) {
            if (is_given) add(place(key), "is set by the coordinator; see `evalfleet rejudge`");
        };
        refuse("rejudged_from", spec.rejudged_from.has_value());
        refuse("judged_answers", spec.judged_answers.has_value());
        refuse("originals_key_id", spec.originals_key_id.has_value());
    }

    void check_files() {
        std::string& dataset = file_.spec.dataset.path;
        if (!dataset.empty()) {
            resolve(dataset, place("dataset.path"));
        } else if (is_local() && is_sound("dataset") && file_.spec.dataset.id) {
            add(place("dataset"),
                "\"path\" is required but missing; only a coordinator knows data sets by their id");
        }
        if (file_.spec.labels && !file_.spec.labels->path.empty())
            resolve(file_.spec.labels->path, place("labels.path"));
    }

    /// Whether a fleet of its own does the run, as far as that is known.
    [[nodiscard]] bool is_local() const {
        return terms_.providers == ProvidersFrom::run_file ||
               (terms_.providers == ProvidersFrom::either && root_.find("providers"));
    }

    /// Names of baselines are a coordinator's, folders are this machine's.
    void check_baseline() {
        if (!is_sound("baseline")) return;
        if (file_.spec.baseline_path) check_baseline_folder(is_local());
        if (!file_.spec.baseline || !is_local()) return;
        add(place("baseline"),
            fmt::format("found the baseline \"{}\", which only a coordinator knows by its name; "
                        "for a run of your own give its folder: baseline: {{path: FOLDER}}",
                        *file_.spec.baseline));
    }

    /// A folder is known on this machine only.
    void check_baseline_folder(bool is_local) {
        const YamlNode node = place("baseline.path");
        std::string& path = *file_.spec.baseline_path;
        if (!is_local) {
            add(node,
                fmt::format("found the folder \"{}\", which only a run with a fleet of its own "
                            "knows; a coordinator knows baselines by their names",
                            path));
        }
        if (!is_local || !terms_.has_files) return;
        std::error_code failure;
        const Path folder = std::filesystem::absolute(file_.path, failure).parent_path();
        const Path resolved = (folder / path).lexically_normal();
        if (!std::filesystem::is_regular_file(resolved / "run.json", failure)) {
            add(node, fmt::format("found \"{}\", but there is no run in {}; allowed: the folder of "
                                  "a run that is over, with its run.json",
                                  path, resolved.string()));
        }
        path = resolved.string();
    }

    /// Where the model `index` has its version, or should have one.
    [[nodiscard]] YamlNode place_of_version(std::size_t index) const {
        if (file_.spec.models[index].version) return place("model", index, "version");
        return root_.find("model") ? place("model") : place(fmt::format("models[{}]", index));
    }

    void check_providers() {
        const auto document = json::Document::parse(file_.spec.providers);
        for (const auto [provider, value] : *document.value().root().as_object())
            file_.provider_names.emplace_back(provider);
        if (terms_.providers == ProvidersFrom::operator_file) {
            if (!file_.provider_names.empty()) {
                add(place("providers"),
                    "a coordinator's providers belong to its operator; remove the block, or use "
                    "`evalfleet run`");
            }
            if (!terms_.operators) return warn_about_versions();
            file_.providers = *terms_.operators;
            file_.provider_names.clear();
            for (const auto& [name, provider] : file_.providers)
                file_.provider_names.push_back(name);
            if (!file_.providers.empty())
                check_named_providers("which the operator's providers do not have");
            check_pinned();
            return;
        }
        if (terms_.providers == ProvidersFrom::either && !root_.find("providers"))
            return warn_about_versions();
        read_providers();
        check_named_providers("which is not under \"providers\"");
        check_pinned();
    }

    /// A provider that was named wrongly, or is wrong itself: that was said, and nothing follows.
    [[nodiscard]] bool is_refused(const std::string& provider) const {
        const bool no_names_are = terms_.operators && terms_.operators->empty();
        return !no_names_are && !file_.providers.contains(provider);
    }

    void check_pinned() {
        if (file_.spec.allow_floating_model) return;
        for (std::size_t i = 0; i < file_.spec.models.size(); ++i) {
            const job::ModelRef& model = file_.spec.models[i];
            const auto reason = providers::floating_reason(file_.providers, model);
            if (!reason || is_refused(model.provider) || !is_sound("model", i)) continue;
            add(place_of_version(i),
                fmt::format("the model {} is not pinned, so its results cannot be repeated: {}; "
                            "pin it, or set allow_floating_model: true",
                            model.id(), *reason));
        }
    }

    /// Whether a model without a version is pinned is for its provider's type to say.
    void warn_about_versions() {
        if (file_.spec.allow_floating_model) return;
        for (std::size_t i = 0; i < file_.spec.models.size(); ++i) {
            const job::ModelRef& model = file_.spec.models[i];
            if (!job::is_floating(model) || !is_sound("model", i)) continue;
            const YamlNode node = place_of_version(i);
            file_.warnings.push_back(Fault{
                name(), static_cast<std::size_t>(node.line()), 0, node.path(),
                fmt::format("the model {} has no version: it will be refused unless it is one "
                            "that its provider pins by name",
                            model.id())}
                                         .text());
        }
    }

    /// A budget of money needs prices.
    void check_prices() {
        const bool is_known = !file_.providers.empty() || terms_.operators;
        if (file_.spec.limits.max_cost_usd == 0 || !is_known || !is_sound("limits")) return;
        for (const std::string& name : providers_without_prices(file_.spec, file_.providers)) {
            if (name.empty() || is_refused(name)) continue;
            add(place("limits.max_cost_usd"),
                fmt::format("found a limit of cost, but the provider \"{}\" has no prices", name));
        }
    }

    void check_named_providers(std::string_view why) {
        for (std::size_t i = 0; i < file_.spec.models.size(); ++i)
            check_provider(file_.spec.models[i].provider, place("model", i, "provider"), why);
        if (file_.spec.judge)
            check_provider(file_.spec.judge->model.provider, place("judge.provider"), why);
    }

    void read_providers() {
        const auto block = root_.find("providers");
        if (!block || file_.provider_names.empty()) return;
        auto providers = providers::read_providers(*block);
        if (!providers) return add_lines(providers.error().message);
        file_.providers = std::move(*providers);
        const Status loaded =
            providers::blocking_load_price_tables(file_.providers, file_.path.parent_path());
        if (!loaded) add_table_faults(loaded.error().message);
    }

    /// Each at its line of the table of prices, or where the run file names it.
    void add_table_faults(const std::string& message) {
        for (const std::string_view line : lines_of(message)) {
            const auto is_of = [&](const auto& known) {
                return known.second.prices_file && line.starts_with(table_of(known.second) + ":");
            };
            const auto found = std::find_if(file_.providers.begin(), file_.providers.end(), is_of);
            if (found != file_.providers.end()) {
                faults_.add(read_fault(table_of(found->second), line, nullptr));
            } else {
                const PlacedMessage placed = place_message(root_, line);
                add(placed.node, placed.message);
            }
        }
    }

    [[nodiscard]] std::string table_of(const providers::ProviderConfig& provider) const {
        return (file_.path.parent_path() / *provider.prices_file).string();
    }

    void add_lines(const std::string& message) {
        for (const std::string_view line : lines_of(message))
            faults_.add(read_fault(name(), line, &root_));
    }

    void check_provider(const std::string& provider, const YamlNode& node, std::string_view why) {
        if (provider.empty()) return;  // which was said
        const auto& known = file_.provider_names;
        if (std::find(known.begin(), known.end(), provider) != known.end()) return;
        if (known.empty()) {
            add(node,
                fmt::format("found \"{}\", but the file has no \"providers\" block to name it",
                            provider));
            return;
        }
        add(node, fmt::format("found \"{}\", {}; {}allowed: {}", provider, why,
                              text::did_you_mean(provider, known), fmt::join(known, ", ")));
    }

    void check_templates() {
        for (std::size_t i = 0; i < file_.spec.prompts.size(); ++i) {
            if (!is_sound("prompt", i)) continue;
            const job::PromptSpec& prompt = file_.spec.prompts[i];
            const YamlNode node = place("prompt", i, "template");
            bool shows_task = check_template(prompt.text, node);
            if (prompt.system)
                shows_task |= check_template(*prompt.system, place("prompt", i, "system"));
            if (shows_task) continue;
            file_.prompts_without_task.push_back(
                fault_at(node,
                         "shows neither the task nor messages; write {{task}} where the "
                         "task belongs"));
        }
    }

    /// True if it shows the task.
    bool check_template(const std::string& text, const YamlNode& node) {
        const scoring::PromptTemplate prompt(text);
        if (const auto left = prompt.leftover()) {
            add(node, fmt::format("found \"{}\", which is no placeholder: {{{{name}}}} with one of "
                                  "these names: {}",
                                  *left, fmt::join(job::kTemplateNames, ", ")));
        }
        std::set<std::string_view> refused;
        for (const std::string_view field : prompt.names()) {
            const bool known = std::find(job::kTemplateNames.begin(), job::kTemplateNames.end(),
                                         field) != job::kTemplateNames.end();
            if (known || !refused.insert(field).second) continue;
            const auto nearest = text::nearest(field, job::kTemplateNames);
            const std::string hint =
                nearest ? fmt::format("did you mean {{{{{}}}}}? ", *nearest) : "";
            add(node, fmt::format("found {{{{{}}}}}, which no sample can have; {}allowed: {}",
                                  field, hint, fmt::join(job::kTemplateNames, ", ")));
        }
        return prompt.has("task");
    }

    /// Two runs of one group that could not be told apart.
    void check_twins() {
        std::set<std::string> models;
        for (std::size_t i = 0; i < file_.spec.models.size(); ++i) {
            const std::string id = file_.spec.models[i].id();
            if (!is_sound("model", i) || models.insert(id).second) continue;
            add(place("model", i, "name"), fmt::format("the model {} stands twice", id));
        }
        std::set<std::pair<std::string, std::string>> prompts;
        for (std::size_t i = 0; i < file_.spec.prompts.size(); ++i) {
            const job::PromptSpec& prompt = file_.spec.prompts[i];
            if (!is_sound("prompt", i) || prompts.insert({prompt.id, prompt.version}).second)
                continue;
            add(place("prompt", i, "id"),
                fmt::format("the prompt {} version {} stands twice", prompt.id, prompt.version));
        }
    }

    void resolve(std::string& path, const YamlNode& node) {
        std::error_code failure;
        const Path folder = std::filesystem::absolute(file_.path, failure).parent_path();
        const Path resolved = (folder / path).lexically_normal();
        if (!std::filesystem::exists(resolved, failure)) {
            add(node,
                fmt::format("found \"{}\", but there is no file {}", path, resolved.string()));
        } else if (!std::filesystem::is_regular_file(resolved, failure)) {
            add(node, fmt::format("found \"{}\", but {} is not a file", path, resolved.string()));
        }
        path = resolved.string();
    }

    void check_timeouts() {
        if (!is_sound("limits")) return;
        const job::CallLimits& limits = file_.spec.limits;
        if (limits.attempt_timeout > limits.timeout) {
            add(place("limits.attempt_timeout_ms"),
                fmt::format("found {}, allowed: at most timeout_ms, {}",
                            limits.attempt_timeout.count(), limits.timeout.count()));
        }
        if (!has_sound_judge()) return;
        const auto& attempt = file_.spec.judge->limits.attempt_timeout;
        const auto whole = job::limits_of_judge(limits, file_.spec.judge->limits).timeout;
        if (!attempt || *attempt <= whole) return;
        add(place("judge.limits.attempt_timeout_ms"),
            fmt::format("found {}, allowed: at most timeout_ms, {}", attempt->count(),
                        whole.count()));
    }

    /// What a run adds to requests must leave alone what they have by themselves.
    void check_generation() {
        for (const job::ModelRef& model : file_.spec.models) {
            if (is_sound("generation"))
                check_generation(model, file_.spec.generation, "generation");
        }
        if (has_sound_judge())
            check_generation(file_.spec.judge->model, file_.spec.judge->generation,
                             "judge.generation");
    }

    void check_generation(const job::ModelRef& model, const job::GenerationParams& generation,
                          const std::string& path) {
        if (generation.thinking_budget.value_or(0) >= generation.max_tokens) {
            add(place(path + ".thinking_budget"),
                fmt::format("found {}, allowed: less than max_tokens, {}",
                            *generation.thinking_budget, generation.max_tokens));
        }
        const auto found = file_.providers.find(model.provider);
        if (found == file_.providers.end()) return;
        const providers::ProviderConfig& provider = found->second;
        if (const auto fault =
                providers::extra_fault(provider.type, provider.extra_body, generation.extra))
            add_at_member(place(path + ".extra"), *fault);
        const providers::ProtocolTraits& traits = providers::traits_of(provider.type);
        if (generation.thinking_budget && !traits.has_thinking_budget)
            warn_unsent(path + ".thinking_budget", provider.type);
        if (generation.prompt_cache && !traits.has_prompt_cache)
            warn_unsent(path + ".prompt_cache", provider.type);
        if (generation.reasoning_effort && !traits.has_reasoning_effort)
            warn_unsent(path + ".reasoning_effort", provider.type);
        if (generation.stop && !traits.has_stop) warn_unsent(path + ".stop", provider.type);
    }

    /// At the line of the member, if the map has more lines than one.
    void add_at_member(const YamlNode& map, const providers::ExtraFault& fault) {
        Fault found = fault_at(map, fault.message);
        if (const auto line = line_of_path(map, fault.path); line && *line != map.line()) {
            found.line = static_cast<std::size_t>(*line);
            found.column = 0;
        }
        faults_.add(std::move(found));
    }

    void warn_unsent(const std::string& path, providers::ProviderType type) {
        const YamlNode node = place(path);
        file_.warnings.push_back(
            Fault{name(), static_cast<std::size_t>(node.line()), 0, node.path(),
                  fmt::format("is not sent: providers of type {} have no such parameter",
                              job::to_string(type))}
                .text());
    }

    /// A JSON mode that somebody insists on must be there.
    void check_formats() {
        const job::RunSpec& spec = file_.spec;
        for (const job::ModelRef& model : spec.models) {
            if (is_sound("generation"))
                check_format(model, spec.generation.response_format, "generation.response_format");
        }
        if (!has_sound_judge()) return;
        check_format(spec.judge->model, spec.judge->generation.response_format,
                     "judge.generation.response_format");
        if (spec.judge->response_format == job::JudgeFormat::json)
            check_format(spec.judge->model, job::ResponseFormat{}, "judge.response_format");
    }

    void check_format(const job::ModelRef& model, const std::optional<job::ResponseFormat>& format,
                      const std::string& path) {
        const auto provider = file_.providers.find(model.provider);
        if (!format || provider == file_.providers.end()) return;
        const providers::ProtocolTraits& traits = providers::traits_of(provider->second.type);
        const bool has_schema = !format->json_schema.empty();
        if (has_schema ? traits.has_json_schema : traits.has_json_mode) return;
        const bool is_judge = path == "judge.response_format";
        if (!traits.has_json_schema) {
            add(place(path), fmt::format("found a format, but providers of type {} have no JSON "
                                         "mode, allowed: {}",
                                         traits.name, is_judge ? "auto, none" : "none at all"));
            return;
        }
        add(place(path), fmt::format("found json, but providers of type {} have no JSON without a "
                                     "schema, allowed: {}",
                                     traits.name, is_judge ? "auto, none" : "{json_schema: ...}"));
    }

    void warn_about_judge() {
        if (!has_sound_judge()) return;
        if (!providers::floating_reason(file_.providers, file_.spec.judge->model)) return;
        file_.warnings.push_back(
            Fault{name(), static_cast<std::size_t>(place("judge").line()), 0, "judge",
                  fmt::format("the judge {} is not pinned to a version; its scores may change "
                              "between runs",
                              file_.spec.judge->model.id())}
                .text());
    }

    /// A table of prices that does not have a model would leave its costs out without a word.
    void warn_about_prices() {
        const std::vector<job::ModelRef> called = providers::models_called(file_.spec);
        for (const auto& [provider, config] : file_.providers) {
            if (!config.price_source) continue;
            for (const std::string& model : providers::models_not_priced(config, called))
                file_.warnings.push_back(fmt::format(
                    "{}: providers.{}.prices_file: {} (as of {}) has no prices for {}: what it "
                    "costs will not be known",
                    name(), provider, config.price_source->file, config.price_source->as_of,
                    model));
        }
    }

    RunFile& file_;
    const YamlNode& root_;
    const CheckTerms& terms_;
    FaultList& faults_;
    std::vector<std::string> wrong_;  ///< fields that could not be read
};

}  // namespace

std::set<std::string> providers_without_prices(const job::RunSpec& spec,
                                               const providers::Providers& known) {
    std::set<std::string> without;
    for (const job::ModelRef& model : providers::models_called(spec)) {
        const auto provider = known.find(model.provider);
        const bool has_prices =
            provider != known.end() &&
            scoring::find_prices(provider->second.prices, provider->second.model_prices, model.name,
                                 model.version) != nullptr;
        if (!has_prices) without.insert(model.provider);
    }
    return without;
}

void check_run(RunFile& file, const YamlNode& root, const CheckTerms& terms, FaultList& faults) {
    RunCheck(file, root, terms, faults).run();
}

}  // namespace evalfleet::runfile
