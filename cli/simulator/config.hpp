#pragma once

#include "cli/simulator/failure.hpp"
#include "cli/simulator/faults.hpp"
#include "cli/simulator/outage.hpp"
#include "cli/simulator/quota.hpp"
#include "common/result/result.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::simulator {

/// How many tokens answers have, both included.
struct TokenRange {
    std::uint64_t min = 0;
    std::uint64_t max = 0;

    /// "MIN:MAX"
    [[nodiscard]] static Result<TokenRange> parse(std::string_view text);
};

/// How the simulated provider behaves. Everything that is drawn comes from the seed and from what
/// was asked, so that the same requests get the same replies, in whatever order they come.
struct SimulatorConfig {
    std::uint64_t seed = 1;

    std::chrono::microseconds latency_median{0};  ///< of a reply; 0: at once
    double latency_sigma = 0;                     ///< of the log-normal distribution; 0: constant
    double ms_per_token = 0;                      ///< on top of it, for each token of an answer
    std::size_t slots = 0;  ///< requests that are worked on at once, others wait; 0: any number

    double correctness = 0.85;  ///< share of the questions that are answered rightly
    std::optional<TokenRange> answer_tokens{};  ///< drawn for each answer of the model
    bool vary_repeats = false;   ///< the same question asked again may get another answer
    double judge_noise = 0;      ///< share of verdicts with one score off by one
    double judge_malformed = 0;  ///< share of verdicts that are not the JSON that was asked for

    std::uint64_t reasoning_tokens = 0;          ///< spent before every reply, of its max_tokens
    std::vector<std::string> refused_members{};  ///< a request with one of them gets 400 or 422
    ErrorShape error_shape = ErrorShape::own;

    FaultRates faults{};
    FaultTimes fault_times{};
    RetryAfter retry_after{};
    std::chrono::seconds hang{300};
    std::vector<Outage> outages{};
    QuotaConfig quota{};  ///< what is over it gets 429

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
