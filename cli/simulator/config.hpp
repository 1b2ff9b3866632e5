#pragma once

#include "cli/simulator/quota.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace evalfleet::simulator {

/// How often, of all requests, something goes wrong; each from 0 to 1, their sum at most 1.
struct FaultRates {
    double too_many = 0;   ///< 429, with Retry-After
    double internal = 0;   ///< 500
    double hang = 0;       ///< no answer for `SimulatorConfig::hang`
    double reset = 0;      ///< the connection is closed without an answer
    double malformed = 0;  ///< 200 with half a JSON text
    double overload = 0;   ///< 529
    double cut = 0;        ///< the connection ends in the middle of an answer
    double mid_error = 0;  ///< a stream ends with the provider's error
    double empty = 0;      ///< an empty answer
    double refusal = 0;    ///< the model declines
    double filter = 0;     ///< the answer is filtered
};

/// How the simulated provider behaves. Everything that is drawn comes from the seed and from what
/// was asked, so that the same requests get the same replies, in whatever order they come.
struct SimulatorConfig {
    std::uint64_t seed = 1;

    std::chrono::microseconds latency_median{0};  ///< of a reply; 0: at once
    double latency_sigma = 0;                     ///< of the log-normal distribution; 0: constant

    double correctness = 0.85;   ///< share of the questions that are answered rightly
    bool vary_repeats = false;   ///< the same question asked again may get another answer
    double judge_noise = 0;      ///< share of verdicts with one score off by one
    double judge_malformed = 0;  ///< share of verdicts that are not the JSON that was asked for

    FaultRates faults{};
    std::chrono::seconds retry_after{1};  ///< told with a 429
    std::chrono::seconds hang{300};
    QuotaConfig quota{};  ///< of each API key; what is over it gets 429

    double first_token_share = 0.25;  ///< of a streamed reply's time, until its first text
    std::optional<std::filesystem::path> dataset{};  ///< where right answers are looked up
};

/// Where it listens and what it writes down.
struct ServiceConfig {
    std::string host = "127.0.0.1";
    std::uint16_t port = 0;                            ///< 0: any free one
    std::optional<std::filesystem::path> port_file{};  ///< the real port, once it listens
    std::optional<std::filesystem::path> log{};        ///< one JSON line a request
    std::optional<std::filesystem::path> api_keys{};   ///< one a line; without it any is good
    std::size_t threads = 1;
    std::size_t max_connections = 20'000;
};

}  // namespace evalfleet::simulator
