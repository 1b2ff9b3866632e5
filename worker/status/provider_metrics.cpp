#include "worker/status/provider_metrics.hpp"

#include <chrono>

namespace evalfleet::worker {

namespace {

metrics::Counter tokens(metrics::Registry& registry, const std::string& provider,
                        const std::string& role, const std::string& kind) {
    return registry.counter("evalfleet_worker_tokens_total",
                            "Tokens used; cached ones are input tokens too",
                            {{"provider", provider}, {"role", role}, {"kind", kind}});
}

metrics::Counter attempts(metrics::Registry& registry, const std::string& provider,
                          std::string_view result) {
    return registry.counter("evalfleet_worker_call_attempts_total",
                            "Attempts of calls, by what came of them",
                            {{"provider", provider}, {"result", std::string(result)}});
}

std::vector<metrics::Counter> failed_attempts(metrics::Registry& registry,
                                              const std::string& provider) {
    std::vector<metrics::Counter> all;
    for (const std::string_view kind : job::Names<job::CallError>::values)
        all.push_back(attempts(registry, provider, kind));
    return all;
}

void observe_ms(metrics::Histogram& histogram, std::optional<double> milliseconds) {
    if (milliseconds) histogram.observe(*milliseconds / 1e3);
}

void add(metrics::Counter& counter, std::optional<std::int64_t> amount) {
    if (amount) counter.increment(static_cast<double>(*amount));
}

}  // namespace

RoleMetrics::RoleMetrics(metrics::Registry& registry, const std::string& provider,
                         const std::string& role)
    : duration(registry.histogram(
          "evalfleet_worker_call_duration_seconds", "Whole calls, retries and waits included",
          metrics::call_buckets(), {{"provider", provider}, {"role", role}})),
      input_tokens(tokens(registry, provider, role, "input")),
      output_tokens(tokens(registry, provider, role, "output")),
      cache_read_tokens(tokens(registry, provider, role, "cache_read")),
      cache_write_tokens(tokens(registry, provider, role, "cache_write")),
      cost(registry.counter("evalfleet_worker_cost_usd_total",
                            "What calls cost by the prices of the providers file",
                            {{"provider", provider}, {"role", role}})) {}

ProviderMetrics::ProviderMetrics(metrics::Registry& registry, const std::string& provider)
    : model(registry, provider, "model"),
      judge(registry, provider, "judge"),
      model_duration(registry.histogram("evalfleet_worker_model_duration_seconds",
                                        "The model's own time, as reported or measured",
                                        metrics::call_buckets(), {{"provider", provider}})),
      first_token_duration(registry.histogram("evalfleet_worker_first_token_duration_seconds",
                                              "Until the first token, where replies are streamed",
                                              metrics::call_buckets(), {{"provider", provider}})),
      attempts_ok(attempts(registry, provider, "ok")),
      attempts_failed(failed_attempts(registry, provider)),
      retries(registry.counter("evalfleet_worker_call_retries_total",
                               "Attempts of calls after the first one", {{"provider", provider}})) {
}

void ProviderMetrics::count_attempt(std::optional<job::CallError> failure) {
    if (failure)
        attempts_failed[static_cast<std::size_t>(*failure)].increment();
    else
        attempts_ok.increment();
}

void count_usage(const job::TrialRecord& record, ProviderMetrics& model, ProviderMetrics& judge) {
    if (!record.rejudged_from) {
        observe_ms(model.model.duration, record.latency_e2e_ms);
        observe_ms(model.model_duration, record.latency_model_ms);
        observe_ms(model.first_token_duration, record.latency_first_token_ms);
        add(model.model.input_tokens, record.input_tokens);
        add(model.model.output_tokens, record.output_tokens);
        add(model.model.cache_read_tokens, record.cache_read_input_tokens);
        add(model.model.cache_write_tokens, record.cache_write_input_tokens);
        model.model.cost.increment(record.cost_usd.value_or(0));
    }
    observe_ms(judge.judge.duration, record.evaluator_latency_ms);
    add(judge.judge.input_tokens, record.evaluator_input_tokens);
    add(judge.judge.output_tokens, record.evaluator_output_tokens);
    judge.judge.cost.increment(record.evaluator_cost_usd.value_or(0));
}

}  // namespace evalfleet::worker
