#include "common/runfile/run_file.hpp"

#include "common/config/yaml.hpp"
#include "common/files/file.hpp"
#include "common/http/headers.hpp"
#include "common/job/nearest_name.hpp"
#include "common/job/sample.hpp"
#include "common/json/document.hpp"
#include "common/providers/model_names.hpp"
#include "common/providers/request_members.hpp"
#include "common/runfile/run_bounds.hpp"
#include "common/runfile/yaml_place.hpp"
#include "common/scoring/prompt_template.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace evalfleet::runfile {

namespace {

using config::YamlNode;
using Path = std::filesystem::path;

/// Reads one run file and gathers its faults.
class Reader {
  public:
    Reader(Path path, ProvidersFrom providers) : providers_(providers) {
        file_.path = std::move(path);
        is_json_ = file_.path.extension() == ".json";
    }
    explicit Reader(const RunText& text)
        : providers_(ProvidersFrom::operator_file),
          given_(text.text),
          is_json_(text.is_json),
          operators_(text.providers) {
        file_.path = text.name;
    }

    boost::system::result<RunFile, FaultList> read() {
        if (parse() && read_spec() && check_size()) check();
        if (!faults_.empty()) return faults_;
        return std::move(file_);
    }

  private:
    [[nodiscard]] std::string name() const { return file_.path.string(); }

    /// An error that starts with the file's name, or with its name and line.
    void add_error(std::string_view message) {
        Fault fault{name(), 0, 0, "", std::string(message)};
        if (message.starts_with(fault.file + ":")) {
            message.remove_prefix(fault.file.size() + 1);
            fault.line = take_number(message);
            if (message.starts_with(':')) message.remove_prefix(1);
            fault.message = http::trim(message);
            if (root_) take_field(fault);
            if (!root_) take_path(fault);
        }
        faults_.add(std::move(fault));
    }

    /// The path that a message begins with, if it is one of this file.
    void take_field(Fault& fault) const {
        PlacedMessage placed = place_message(*root_, fault.message);
        fault.field = placed.node.path();
        fault.message = std::move(placed.message);
    }

    /// The same without a tree: "prompts[1].template: found ..."
    static void take_path(Fault& fault) {
        const auto end = fault.message.find(": found ");
        if (end == std::string::npos || fault.message.find(' ') < end) return;
        fault.field = fault.message.substr(0, end);
        fault.message.erase(0, end + 2);
    }

    static std::size_t take_number(std::string_view& text) {
        std::size_t number = 0;
        while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
            number = number * 10 + static_cast<std::size_t>(text[0] - '0');
            text.remove_prefix(1);
        }
        return number;
    }

    void add(const YamlNode& node, std::string message) {
        faults_.add(fault_at(node, std::move(message)));
    }

    [[nodiscard]] Fault fault_at(const YamlNode& node, std::string message) const {
        return {name(), static_cast<std::size_t>(std::max(node.line(), 1)),
                static_cast<std::size_t>(std::max(node.column(), 1)), node.path(),
                std::move(message)};
    }

    [[nodiscard]] Result<std::string> blocking_read() const {
        if (given_) return std::string(*given_);
        return files::blocking_read_file(file_.path, kMaxRunFileBytes);
    }

    bool parse() {
        const auto text = blocking_read();
        if (!text) return add_error(text.error().message), false;
        // A text that is not even JSON must not reach the YAML reader, whose bounds are its own.
        if (is_json_) return parse_json(*text);
        auto root = config::read_yaml(*text, name(), {.max_expanded_bytes = kMaxRunFileBytes});
        if (!root) return add_error(root.error().message), false;
        root_ = std::move(*root);
        json_ = root_->to_json();
        return true;
    }

    /// JSON is nearly, but not quite, YAML: its own reader has the last word, the YAML tree only
    /// knows the lines.
    bool parse_json(const std::string& text) {
        const auto document = json::Document::parse(text);
        if (!document) return add_json_error(document.error().message), false;
        auto lines = config::read_yaml(text, name());
        if (!lines) lines = config::read_yaml("{}", name());
        root_ = std::move(*lines);
        json_ = text;
        return true;
    }

    /// "line 3, column 14: ..."
    void add_json_error(std::string_view message) {
        Fault fault{name(), 0, 0, "", std::string(message)};
        constexpr std::string_view kLine = "line ", kColumn = ", column ";
        if (message.starts_with(kLine)) {
            message.remove_prefix(kLine.size());
            fault.line = take_number(message);
            if (message.starts_with(kColumn)) message.remove_prefix(kColumn.size());
            fault.column = take_number(message);
            fault.message = message.starts_with(": ") ? message.substr(2) : message;
        }
        faults_.add(std::move(fault));
    }

    bool read_spec() {
        auto spec = job::parse_run_spec(json_);
        if (!spec) {
            for_each_line(spec.error().message, [this](auto line) {
                // Those that nobody sees need no place, which takes long to find.
                if (faults_.total() < FaultList::kDefaultKept)
                    add_spec_error(line);
                else
                    faults_.add(Fault{});
            });
            return false;
        }
        file_.spec = std::move(*spec);
        return true;
    }

    template <class Take>
    static void for_each_line(std::string_view lines, Take take) {
        while (!lines.empty()) {
            const auto end = std::min(lines.find('\n'), lines.size());
            take(lines.substr(0, end));
            lines.remove_prefix(std::min(end + 1, lines.size()));
        }
    }

    void add_spec_error(std::string_view error) {
        PlacedMessage placed = place_message(*root_, error);
        constexpr std::string_view kUnknown = "unknown key \"";
        if (placed.message.starts_with(kUnknown)) {
            const auto end = placed.message.find("\";");
            const std::string key = placed.message.substr(kUnknown.size(), end - kUnknown.size());
            if (const auto line = line_of_key(placed.node, key)) {
                faults_.add({name(), static_cast<std::size_t>(*line), 0, placed.node.path(),
                             std::move(placed.message)});
                return;
            }
        }
        add(placed.node, std::move(placed.message));
    }

    /// Before everything else: what follows takes time for each model and prompt.
    bool check_size() {
        const RunExtent extent = RunExtent::of(file_.spec);
        const std::size_t models = file_.spec.models.size();
        const std::size_t prompts = file_.spec.prompts.size();
        const YamlNode list = place(prompts > models ? "prompts" : "models");
        const std::string product =
            fmt::format("found {} models x {} prompts = {} runs", models, prompts, extent.runs);
        if (extent.file_bytes > kMaxRunFileBytes) {
            add(*root_, fmt::format("found {} bytes of JSON, allowed: at most {}",
                                    extent.file_bytes, kMaxRunFileBytes));
        } else if (extent.runs > kMaxGroupRuns) {
            add(list, fmt::format("{}, allowed: at most {} in one group", product, kMaxGroupRuns));
        } else if (extent.bytes > kMaxGroupBytes) {
            add(list, fmt::format("{} of {} bytes together, allowed: at most {} bytes", product,
                                  extent.bytes, kMaxGroupBytes));
        }
        const YamlNode repeats = place("repeats");
        file_.trials_place = fault_at(repeats.path().empty() ? place("dataset") : repeats, "");
        return faults_.empty();
    }

    void check() {
        check_providers();
        check_prices();
        check_templates();
        check_twins();
        if (!given_) check_files();
        check_timeouts();
        check_formats();
        check_generation();
        warn_about_judge();
    }

    void check_files() {
        std::string& dataset = file_.spec.dataset.path;
        if (!dataset.empty()) {
            resolve(dataset, place("dataset.path"));
        } else if (providers_ != ProvidersFrom::operator_file) {
            add(place("dataset"),
                "\"path\" is required but missing; only a coordinator knows data sets by their id");
        }
        if (file_.spec.labels) resolve(file_.spec.labels->path, place("labels.path"));
    }

    /// The node at a path; the root if the file does not have it.
    [[nodiscard]] YamlNode place(const std::string& path) const {
        return place_message(*root_, path + ": ").node;
    }
    /// Of the model or prompt `index`, given alone or in a list.
    [[nodiscard]] YamlNode place(std::string_view singular, std::size_t index,
                                 std::string_view member) const {
        if (root_->find(singular)) return place(fmt::format("{}.{}", singular, member));
        return place(fmt::format("{}s[{}].{}", singular, index, member));
    }

    /// Where the model `index` has its version, or should have one.
    [[nodiscard]] YamlNode place_of_version(std::size_t index) const {
        if (file_.spec.models[index].version) return place("model", index, "version");
        return root_->find("model") ? place("model") : place(fmt::format("models[{}]", index));
    }

    void check_providers() {
        const auto document = json::Document::parse(file_.spec.providers);
        for (const auto [provider, value] : *document.value().root().as_object())
            file_.provider_names.emplace_back(provider);
        if (providers_ == ProvidersFrom::operator_file) {
            if (!file_.provider_names.empty()) {
                add(place("providers"),
                    "a coordinator's providers belong to its operator; remove the block, or use "
                    "`evalfleet run`");
            }
            if (!operators_) return warn_about_versions();
            file_.providers = *operators_;
            file_.provider_names.clear();
            for (const auto& [name, provider] : file_.providers)
                file_.provider_names.push_back(name);
            if (!file_.providers.empty())
                check_named_providers("which this coordinator does not have");
            check_pinned();
            return;
        }
        if (providers_ == ProvidersFrom::either && file_.provider_names.empty())
            return warn_about_versions();
        read_providers();
        check_named_providers("which is not under \"providers\"");
        check_pinned();
    }

    /// A provider that was named wrongly, or is wrong itself: that was said, and nothing follows.
    [[nodiscard]] bool is_refused(const std::string& provider) const {
        const bool no_names_are = operators_ && operators_->empty();
        return !no_names_are && !file_.providers.contains(provider);
    }

    void check_pinned() {
        if (file_.spec.allow_floating_model) return;
        for (std::size_t i = 0; i < file_.spec.models.size(); ++i) {
            const job::ModelRef& model = file_.spec.models[i];
            const auto reason = providers::floating_reason(file_.providers, model);
            if (!reason || is_refused(model.provider)) continue;
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
            if (!job::is_floating(model)) continue;
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
        const bool is_known = !file_.providers.empty() || operators_;
        if (file_.spec.limits.max_cost_usd == 0 || !is_known) return;
        for (const std::string& name : providers_without_prices(file_.spec, file_.providers)) {
            if (is_refused(name)) continue;
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
        const auto block = root_->find("providers");
        if (!block || file_.provider_names.empty()) return;
        auto providers = providers::read_providers(*block);
        if (providers) {
            file_.providers = std::move(*providers);
        } else {
            for_each_line(providers.error().message, [this](auto line) { add_error(line); });
        }
    }

    void check_provider(const std::string& provider, const YamlNode& node, std::string_view why) {
        const auto& known = file_.provider_names;
        if (std::find(known.begin(), known.end(), provider) != known.end()) return;
        if (known.empty()) {
            add(node,
                fmt::format("found \"{}\", but the file has no \"providers\" block to name it",
                            provider));
            return;
        }
        const std::vector<std::string_view> names(known.begin(), known.end());
        const auto nearest = job::nearest_name(provider, names);
        const std::string hint = nearest ? fmt::format("did you mean \"{}\"? ", *nearest) : "";
        add(node, fmt::format("found \"{}\", {}; {}allowed: {}", provider, why, hint,
                              fmt::join(known, ", ")));
    }

    void check_templates() {
        for (std::size_t i = 0; i < file_.spec.prompts.size(); ++i) {
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
            const auto nearest = job::nearest_name(field, job::kTemplateNames);
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
            if (models.insert(id).second) continue;
            add(place("model", i, "name"), fmt::format("the model {} stands twice", id));
        }
        std::set<std::pair<std::string, std::string>> prompts;
        for (std::size_t i = 0; i < file_.spec.prompts.size(); ++i) {
            const job::PromptSpec& prompt = file_.spec.prompts[i];
            if (prompts.insert({prompt.id, prompt.version}).second) continue;
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
        const job::CallLimits& limits = file_.spec.limits;
        if (limits.attempt_timeout > limits.timeout) {
            add(place("limits.attempt_timeout_ms"),
                fmt::format("found {}, allowed: at most timeout_ms, {}",
                            limits.attempt_timeout.count(), limits.timeout.count()));
        }
        if (!file_.spec.judge) return;
        const auto& attempt = file_.spec.judge->limits.attempt_timeout;
        const auto whole = job::limits_of_judge(limits, file_.spec.judge->limits).timeout;
        if (!attempt || *attempt <= whole) return;
        add(place("judge.limits.attempt_timeout_ms"),
            fmt::format("found {}, allowed: at most timeout_ms, {}", attempt->count(),
                        whole.count()));
    }

    /// What a run adds to requests must leave alone what they have by themselves.
    void check_generation() {
        for (const job::ModelRef& model : file_.spec.models)
            check_generation(model, file_.spec.generation, "generation");
        if (file_.spec.judge)
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
            add(place(path + ".extra"), *fault);
        using Type = providers::ProviderType;
        const bool thinks = provider.type == Type::anthropic || provider.type == Type::gemini;
        if (generation.thinking_budget && !thinks)
            warn_unsent(path + ".thinking_budget", provider.type);
        if (generation.prompt_cache && provider.type != Type::anthropic)
            warn_unsent(path + ".prompt_cache", provider.type);
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
        for (const job::ModelRef& model : spec.models)
            check_format(model, spec.generation.response_format, "generation.response_format");
        if (!spec.judge) return;
        check_format(spec.judge->model, spec.judge->generation.response_format,
                     "judge.generation.response_format");
        if (spec.judge->response_format == job::JudgeFormat::json)
            check_format(spec.judge->model, job::ResponseFormat{}, "judge.response_format");
    }

    void check_format(const job::ModelRef& model, const std::optional<job::ResponseFormat>& format,
                      const std::string& path) {
        const auto provider = file_.providers.find(model.provider);
        if (!format || !format->json_schema.empty() || provider == file_.providers.end()) return;
        if (providers::has_json_mode(provider->second.type)) return;
        add(place(path),
            fmt::format("found json, but providers of type {} have no JSON without a "
                        "schema, allowed: {}",
                        job::to_string(provider->second.type),
                        path == "judge.response_format" ? "auto, none" : "{json_schema: ...}"));
    }

    void warn_about_judge() {
        if (!file_.spec.judge) return;
        if (!providers::floating_reason(file_.providers, file_.spec.judge->model)) return;
        file_.warnings.push_back(
            Fault{name(), static_cast<std::size_t>(place("judge").line()), 0, "judge",
                  fmt::format("the judge {} is not pinned to a version; its scores may change "
                              "between runs",
                              file_.spec.judge->model.id())}
                .text());
    }

    ProvidersFrom providers_;
    std::optional<std::string_view> given_;  // instead of the file's content
    bool is_json_ = false;
    std::optional<providers::Providers> operators_;
    RunFile file_;
    FaultList faults_;
    std::optional<YamlNode> root_;
    std::string json_;
};

}  // namespace

std::set<std::string> providers_without_prices(const job::RunSpec& spec,
                                               const providers::Providers& known) {
    std::vector<job::ModelRef> called = spec.models;
    if (spec.judge) called.push_back(spec.judge->model);
    std::set<std::string> without;
    for (const job::ModelRef& model : called) {
        const auto provider = known.find(model.provider);
        const bool has_prices =
            provider != known.end() &&
            scoring::find_prices(provider->second.prices, provider->second.model_prices, model.name,
                                 model.version) != nullptr;
        if (!has_prices) without.insert(model.provider);
    }
    return without;
}

boost::system::result<RunFile, FaultList> blocking_read_run_file(const Path& path,
                                                                 ProvidersFrom providers) {
    return Reader(path, providers).read();
}

boost::system::result<RunFile, FaultList> read_run_text(const RunText& text) {
    return Reader(text).read();
}

void throw_exception_from_error(const FaultList& faults, const boost::source_location&) {
    throw BadResultAccess(Error{ErrorKind::invalid, faults.text()});
}

}  // namespace evalfleet::runfile
