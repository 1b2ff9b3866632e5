#include "coordinator/views/model_figures.hpp"

#include "common/json/writer.hpp"
#include "common/statistics/percentile.hpp"
#include "coordinator/views/figures.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace evalfleet::views {

namespace {

std::optional<double> percentile(std::span<const float> values, double p) {
    std::vector<double> copies(values.begin(), values.end());
    return statistics::percentile_in_place(copies, p);
}

}  // namespace

void ModelFigures::add(const std::string& model, std::span<const records::TrialEntry> trials) {
    Figures& figures = models_[model];
    for (const records::TrialEntry& trial : trials) {
        if (trial.finished_ms < since_ms_) continue;
        ++figures.trials;
        figures.judge_retried += trial.judge_retried ? 1 : 0;
        if (const auto kind = name_of<job::CallError>(trial.error_kind)) ++figures.errors[*kind];
        if (trial.is_answered && !std::isnan(trial.latency_ms))
            figures.latencies_ms.push_back(trial.latency_ms);
    }
}

std::string ModelFigures::to_json(double window_s) const {
    std::string text;
    json::Writer writer(text);
    writer.begin_object().member("window_s", window_s).key("models").begin_array();
    for (const auto& [model, figures] : models_) {
        writer.begin_object()
            .member("model", model)
            .member("provider", model.substr(0, model.find('/')))
            .member("trials", figures.trials)
            .member("judge_retried", figures.judge_retried)
            .member("latency_p50_ms", percentile(figures.latencies_ms, 0.5))
            .member("latency_p95_ms", percentile(figures.latencies_ms, 0.95))
            .key("errors")
            .begin_object();
        for (const auto& [kind, count] : figures.errors)
            writer.member(kind, count);
        writer.end_object().end_object();
    }
    writer.end_array().end_object();
    return text;
}

}  // namespace evalfleet::views
