#pragma once

#include "common/http/url.hpp"
#include "common/providers/provider_config.hpp"
#include "common/result/result.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evalfleet::traces {

/// What all spans are told of: `service.name` and what the operator adds.
using Resource = std::map<std::string, std::string>;

/// Where traces of trials go, as the operator's file says it. What is secret is named, not held.
struct TraceConfig {
    http::Url endpoint{};  ///< that takes `POST`s: `/v1/traces` is there already
    double sample = 1;     ///< of all trials
    std::vector<providers::ExtraHeader> headers{};
    Resource resource{};
};

/// Reads the operator's file. Everything that is wrong is in the error, a line each, with its line.
[[nodiscard]] Result<TraceConfig> parse_traces(std::string_view yaml, std::string file_name);
[[nodiscard]] Result<TraceConfig> blocking_read_traces(const std::filesystem::path& file);

/// The headers with what is secret in them looked up, in variables and in files. `invalid` says
/// what is not set, and never what is in it. Blocks.
using HeaderValues = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] Result<HeaderValues> blocking_resolve(const TraceConfig& config);

}  // namespace evalfleet::traces
