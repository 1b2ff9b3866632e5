#include "common/runfile/run_bounds.hpp"

#include "common/json/writer.hpp"

#include <fmt/format.h>

#include <utility>

namespace evalfleet::runfile {

namespace {

std::uint64_t json_bytes(const job::RunSpec& spec) {
    std::string text;
    json::Writer writer(text);
    job::write(writer, spec);
    return text.size();
}

/// Without models, prompts and anything that was asked for.
job::RunSpec nothing() {
    job::RunSpec spec;
    spec.prompts.clear();
    return spec;
}

template <class T>
std::uint64_t json_bytes(std::vector<T> job::RunSpec::*member, const std::vector<T>& all) {
    job::RunSpec spec = nothing();
    const std::uint64_t without = json_bytes(spec);
    spec.*member = all;
    return json_bytes(spec) - without;
}

}  // namespace

RunExtent RunExtent::of(const job::RunSpec& spec) {
    const std::uint64_t models = json_bytes(&job::RunSpec::models, spec.models);
    const std::uint64_t prompts = json_bytes(&job::RunSpec::prompts, spec.prompts);
    job::RunSpec handed_in = spec;
    handed_in.providers = "{}";
    RunExtent extent;
    extent.runs = spec.models.size() * spec.prompts.size();
    extent.file_bytes = json_bytes(handed_in);
    // Every model stands in as many runs as there are prompts, and the other way round.
    extent.bytes = extent.runs * (extent.file_bytes - models - prompts) +
                   models * spec.prompts.size() + prompts * spec.models.size();
    return extent;
}

FaultList check_trials(const RunFile& file, std::uint64_t samples, std::uint64_t max_trials) {
    FaultList faults;
    const auto repeats = static_cast<std::uint64_t>(file.spec.repeats);
    const std::uint64_t runs = file.spec.models.size() * file.spec.prompts.size();
    const std::uint64_t trials = samples * repeats * runs;
    if (trials <= max_trials) return faults;
    std::string product = fmt::format("{} samples x {} repeats", samples, repeats);
    if (runs > 1)
        product += fmt::format(" x {} models x {} prompts", file.spec.models.size(),
                               file.spec.prompts.size());
    Fault fault = file.trials_place;
    fault.message = fmt::format("found {} = {} trials, allowed: at most {} (--max-trials)", product,
                                trials, max_trials);
    faults.add(std::move(fault));
    return faults;
}

}  // namespace evalfleet::runfile
