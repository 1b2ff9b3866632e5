#include "worker/providers/parameters.hpp"

#include <algorithm>

namespace evalfleet::worker {

bool is_refused(const ModelRequest& request, std::string_view parameter) {
    if (parameter == "response_format" && !request.may_drop_format) return false;
    return std::find(request.refused.begin(), request.refused.end(), parameter) !=
           request.refused.end();
}

void ParameterWriter::sample(std::string_view parameter, std::string_view name, double value) {
    if (!is_fixed_ && !is_refused(request_, parameter)) {
        writer_.member(name, value);
    } else {
        refused_.emplace_back(parameter);
    }
}

void ParameterWriter::temperature(std::string_view name) {
    sample("temperature", name, request_.generation.temperature);
}

void ParameterWriter::top_p(std::string_view name) {
    sample("top_p", name, request_.generation.top_p);
}

void ParameterWriter::seed(std::string_view name) {
    if (!request_.generation.seed) return;
    if (is_refused(request_, "seed")) return no_seed();
    writer_.member(name, *request_.generation.seed);
}

void ParameterWriter::stop(std::string_view name) {
    const auto& stop = request_.generation.stop;
    if (!stop) return;
    if (is_refused(request_, "stop")) return no_stop();
    writer_.key(name).begin_array();
    for (const std::string& text : stop->texts)
        writer_.value(text);
    writer_.end_array();
}

const job::ResponseFormat* ParameterWriter::response_format() {
    const auto& format = request_.generation.response_format;
    if (!format) return nullptr;
    if (!is_refused(request_, "response_format")) return &*format;
    no_response_format();
    return nullptr;
}

const std::string* ParameterWriter::reasoning_effort() {
    const auto& effort = request_.generation.reasoning_effort;
    if (!effort) return nullptr;
    if (!is_refused(request_, "reasoning_effort")) return &*effort;
    no_reasoning_effort();
    return nullptr;
}

std::optional<std::int64_t> ParameterWriter::thinking_budget() {
    if (!is_refused(request_, "thinking_budget")) return request_.generation.thinking_budget;
    no_thinking_budget();
    return std::nullopt;
}

void ParameterWriter::usage_of_stream() {
    if (!request_.stream) return;
    if (is_refused(request_, "stream_options")) {
        refused_.emplace_back("stream_options");
        return;
    }
    writer_.key("stream_options").begin_object().member("include_usage", true).end_object();
}

void ParameterWriter::no_seed() {
    if (request_.generation.seed) refused_.emplace_back("seed");
}

}  // namespace evalfleet::worker
