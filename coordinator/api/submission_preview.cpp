#include "coordinator/api/submission_preview.hpp"

#include "common/json/writer.hpp"
#include "common/runfile/dataset.hpp"
#include "common/scoring/cost.hpp"
#include "coordinator/api/submission_reader.hpp"
#include "coordinator/runs/operator_providers.hpp"

#include <algorithm>

namespace evalfleet::api {

namespace {

// What an answer and a judge's reply are taken to have: nobody knows before they are there.
constexpr std::int64_t kAnswerTokens = 256;
constexpr std::int64_t kVerdictTokens = 128;
constexpr std::int64_t kJudgePromptTokens = 600;

std::string faults_json(const runfile::FaultList& faults) {
    std::string text;
    json::Writer writer(text);
    writer.begin_object().member("valid", false).key("errors").begin_array();
    for (const runfile::Fault& fault : faults.kept()) {
        writer.begin_object().member("field", fault.field).key("line");
        fault.line > 0 ? writer.value(fault.line) : writer.null();
        writer.member("message", fault.message).end_object();
    }
    writer.end_array().member("errors_in_all", faults.total());
    for (const char* name : {"samples", "runs", "trials", "calls", "estimated_cost_usd"})
        writer.key(name).null();
    writer.end_object();
    return text;
}

const scoring::Prices* prices_of(const providers::Providers& known, const job::ModelRef& model) {
    const auto provider = known.find(model.provider);
    if (provider == known.end()) return nullptr;
    return scoring::find_prices(provider->second.prices, provider->second.model_prices, model.name,
                                model.version);
}

/// How many tokens the calls of a trial have, about.
struct TrialTokens {
    std::int64_t prompt = 0;
    std::int64_t answer = 0;
};

TrialTokens tokens_of(const job::RunSpec& spec, const runfile::Dataset& dataset) {
    const std::size_t samples = std::max<std::size_t>(dataset.size(), 1);
    const auto line = static_cast<std::size_t>(dataset.bytes() / samples);
    std::size_t prompt = 0;
    for (const job::PromptSpec& one : spec.prompts)
        prompt += one.text.size() + one.system.value_or("").size();
    prompt /= std::max<std::size_t>(spec.prompts.size(), 1);
    return {scoring::estimate_tokens(line + prompt),
            std::min<std::int64_t>(spec.generation.max_tokens, kAnswerTokens)};
}

// Nothing if the price of one of the models is not known.
std::optional<double> estimate_cost(const job::RunSpec& spec, const providers::Providers& known,
                                    const TrialTokens& tokens, std::uint64_t trials_of_a_model) {
    double total = 0;
    const auto add = [&](const job::ModelRef& model, std::int64_t input, std::int64_t output) {
        const scoring::Prices* prices = prices_of(known, model);
        if (prices == nullptr) return false;
        const auto call = scoring::call_cost_usd(*prices, input, output, {}, {});
        total += call.value_or(0) * static_cast<double>(trials_of_a_model);
        return true;
    };
    for (const job::ModelRef& model : spec.models) {
        if (!add(model, tokens.prompt, tokens.answer)) return std::nullopt;
        if (spec.judge && !add(spec.judge->model,
                               tokens.prompt + tokens.answer + kJudgePromptTokens, kVerdictTokens))
            return std::nullopt;
    }
    return total;
}

std::string plan_json(const job::RunSpec& spec, const runfile::Dataset& dataset,
                      const providers::Providers& known) {
    const std::uint64_t runs = spec.models.size() * spec.prompts.size();
    const std::uint64_t trials_of_a_run = dataset.size() * static_cast<std::uint64_t>(spec.repeats);
    const std::uint64_t trials = trials_of_a_run * runs;
    const std::uint64_t judge_calls = spec.judge ? trials : 0;
    const TrialTokens tokens = tokens_of(spec, dataset);
    std::string text;
    json::Writer writer(text);
    writer.begin_object()
        .member("valid", true)
        .key("errors")
        .begin_array()
        .end_array()
        .member("errors_in_all", 0)
        .member("name", spec.name)
        .member("samples", dataset.size())
        .member("runs", runs)
        .member("trials", trials)
        .member("calls", trials + judge_calls)
        .member("model_calls", trials)
        .member("judge_calls", judge_calls)
        .member("estimated_cost_usd",
                estimate_cost(spec, known, tokens, trials_of_a_run * spec.prompts.size()))
        .member("estimate_assumes", std::to_string(tokens.prompt) + " tokens a prompt and " +
                                        std::to_string(tokens.answer) +
                                        " an answer, no retries, no cache")
        .end_object();
    return text;
}

}  // namespace

Result<std::string> blocking_preview_json(Services& services, std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    const bool is_json = first != std::string_view::npos && text[first] == '{';
    auto spec = blocking_read_submission(services, text, is_json);
    if (!spec) return spec.error();
    if (!*spec) return faults_json(spec->error());
    const auto dataset = runfile::Dataset::blocking_open((*spec)->dataset.path);
    if (!dataset) return dataset.error();
    const auto known = runs::blocking_read_operator_providers(services.providers_file);
    if (!known) return known.error();
    return plan_json(**spec, *dataset, *known);
}

}  // namespace evalfleet::api
