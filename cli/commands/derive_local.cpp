#include "cli/commands/derive_local.hpp"

#include "cli/checked_run.hpp"
#include "cli/fleet/store_seed.hpp"
#include "cli/local_session.hpp"
#include "common/config/yaml.hpp"
#include "common/files/file.hpp"
#include "common/json/document.hpp"
#include "common/json/writer.hpp"
#include "common/providers/price_table.hpp"
#include "common/providers/provider_config.hpp"

#include <filesystem>
#include <utility>

namespace evalfleet::cli {

namespace fs = std::filesystem;

namespace {

Error invalid(std::string message) {
    return {ErrorKind::invalid, std::move(message)};
}

/// Scores of people and a policy need nobody to answer.
Result<bool> asks_a_model(const std::string& how, const std::string& body) {
    if (how == "retry") return true;
    const auto document = json::Document::parse(body);
    if (!document) return document.error();
    return document->root().find("judge").has_value();
}

/// A fleet has providers, also where no call is made: that of the run, by name alone.
std::string unasked_provider(const std::string& name) {
    std::string json;
    json::Writer writer(json);
    writer.begin_object().key(name).begin_object();
    writer.member("type", "openai").member("base_url", "http://127.0.0.1:1/unasked");
    writer.end_object().end_object();
    return json;
}

/// The `providers` block of a run file or a providers file, with absolute paths of keys.
Result<std::string> blocking_read_providers(const std::optional<std::string>& file) {
    if (!file) {
        return invalid(
            "--providers: is required: the run file, or another file with a providers "
            "block, as who answers is not kept with a run");
    }
    const auto root = config::read_yaml_file(*file);
    if (!root) return root.error();
    const auto block = root->find("providers");
    if (!block) return invalid(*file + ": has no providers");
    auto read = providers::read_providers(*block);
    if (!read) return read.error();
    const fs::path folder = fs::absolute(*file).parent_path();
    const Status priced = providers::blocking_load_price_tables(*read, folder);
    if (!priced) return priced.error();
    return with_absolute_key_files(block->to_json(), folder);
}

/// A run that fell behind its baseline, or did not, is held against the same one again.
Status blocking_add_baseline(const job::RunMetadata& run, const std::optional<std::string>& folder,
                             fleet::StoreSeed& seed) {
    if (!run.baseline_run_id) {
        if (!folder) return {};
        return invalid("--baseline: the run was compared with none");
    }
    if (!folder) {
        return invalid("--baseline: is required: the run was compared with " +
                       *run.baseline_run_id + "; give the folder of that run");
    }
    auto baseline = fleet::blocking_read_seed(*folder);
    if (!baseline) return baseline.error().within("--baseline");
    if (baseline->run_id != *run.baseline_run_id) {
        return invalid("--baseline: found the run " + baseline->run_id +
                       ", allowed: " + *run.baseline_run_id);
    }
    seed.runs.push_back(std::move(*baseline));
    return {};
}

Status check_source(const fleet::SeedRun& run) {
    std::error_code ignored;
    for (const char* name : {"work/spec.json", "work/dataset.jsonl"}) {
        if (fs::is_regular_file(run.folder / name, ignored)) continue;
        return invalid(run.folder.string() + ": has no " + name +
                       ", without which the run cannot go on; runs of earlier versions lack it");
    }
    return {};
}

Result<fleet::SessionConfig> blocking_plan(const std::string& folder, const std::string& how,
                                           std::string body, bool asks,
                                           const LocalDeriveOptions& options) {
    auto source = fleet::blocking_read_seed(folder);
    if (!source) return source.error();
    if (const Status whole = check_source(*source); !whole) return whole.error();
    fleet::SessionConfig config;
    config.providers_json = unasked_provider(source->metadata.model.provider);
    if (asks || options.providers) {
        auto providers = blocking_read_providers(options.providers);
        if (!providers) return providers.error();
        config.providers_json = std::move(*providers);
    }
    if (how == "retry") {
        const Status added = blocking_add_baseline(source->metadata, options.baseline, config.seed);
        if (!added) return added.error();
    } else if (options.baseline) {
        return invalid("--baseline: only for retry; what is judged anew is compared with none");
    }
    const std::string name = source->metadata.name.value_or("run") + "-" + how;
    config.out = fs::absolute(options.out.value_or(default_out(name)));
    if (const Status free = check_out_is_free(config.out); !free) return free.error();
    config.dataset = source->folder / "work" / "dataset.jsonl";
    config.derivation = fleet::Derivation{source->run_id, how, std::move(body)};
    config.seed.runs.push_back(std::move(*source));
    return config;
}

}  // namespace

void LocalDeriveOptions::add_to(config::Command& command) {
    constexpr const char* kGroup = "For the folder of a run";
    command.option("out", out, "folder for the result; new or empty")
        .value_name("DIR")
        .only_flag()
        .group(kGroup);
    command.option("providers", providers, "the run file, or another file with a providers block")
        .value_name("FILE")
        .only_flag()
        .group(kGroup);
    command
        .option("baseline", baseline, "the folder of the baseline that the run was compared with")
        .value_name("DIR")
        .only_flag()
        .group(kGroup);
    command.option("keep-originals", keep_originals, "key that answers were sealed with")
        .value_name("KEYFILE")
        .only_flag()
        .group(kGroup);
    command.option("workers", workers, "how many workers to start")
        .range(config::between(std::size_t{1}, std::size_t{256}))
        .only_flag()
        .group(kGroup);
    command.flag("simulate", simulate, "let a simulated provider answer for every provider")
        .group(kGroup);
}

std::optional<std::string> LocalDeriveOptions::given() const {
    if (out) return "--out";
    if (providers) return "--providers";
    if (baseline) return "--baseline";
    if (keep_originals) return "--keep-originals";
    if (simulate) return "--simulate";
    return std::nullopt;
}

Result<ExitCode> blocking_derive_local(const std::string& folder, const std::string& how,
                                       std::string body, const LocalDeriveOptions& options,
                                       bool json) {
    const auto asks = asks_a_model(how, body);
    if (!asks) return asks.error();
    auto config = blocking_plan(folder, how, std::move(body), *asks, options);
    if (!config) return config.error();
    FleetChoice choice;
    choice.workers = *asks ? options.workers : 0;
    choice.keep_originals = options.keep_originals;
    choice.simulate = options.simulate;
    choice.json = json;
    if (const Status equipped = blocking_equip(*config, choice); !equipped) return equipped.error();
    return blocking_run_session(*config, choice, std::nullopt);
}

}  // namespace evalfleet::cli
