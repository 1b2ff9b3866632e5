#pragma once

#include "cli/simulator/directive.hpp"
#include "cli/simulator/draw.hpp"
#include "common/result/result.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace evalfleet::simulator {

/// How often, of all requests, something goes wrong; each from 0 to 1, their sum at most 1.
struct FaultRates {
    double too_many = 0;     ///< 429
    double internal = 0;     ///< 500
    double unavailable = 0;  ///< 503
    double hang = 0;         ///< no answer for `SimulatorConfig::hang`
    double reset = 0;        ///< the connection is closed without an answer
    double malformed = 0;    ///< 200 with half a JSON text
    double overload = 0;     ///< 529
    double cut = 0;          ///< the connection ends in the middle of an answer
    double mid_error = 0;    ///< a stream ends with the provider's error
    double empty = 0;        ///< an empty answer
    double refusal = 0;      ///< the model declines
    double filter = 0;       ///< the answer is filtered

    [[nodiscard]] double sum() const;
};

/// One of the faults that are drawn.
struct FaultKind {
    std::string_view name;  ///< as in `--fault-429`
    double FaultRates::*rate;
    int status;   ///< answered instead of 200
    Fault fault;  ///< with status 200
    const char* help;
};

[[nodiscard]] std::span<const FaultKind> all_faults();

/// How often a request that is hit by a fault fails before it succeeds.
class FaultTimes {
  public:
    /// "2", or one number for each fault, "429=1,500=2,hang=0"; 0: it fails always.
    [[nodiscard]] static Result<FaultTimes> parse(std::string_view text);

    /// Nothing: whether a request is hit is drawn anew each time it comes.
    [[nodiscard]] std::optional<std::uint64_t> of(const FaultKind& kind) const;

  private:
    std::optional<std::uint64_t> others_;
    std::map<std::string, std::uint64_t, std::less<>> named_;
};

/// What goes wrong with a request; null: nothing. `content` is the same for equal requests,
/// `attempt` another one each time, `nth` counts them from 1.
[[nodiscard]] const FaultKind* draw_fault(const FaultRates& rates, const FaultTimes& times,
                                          const Draw& content, const Draw& attempt,
                                          std::uint64_t nth);

/// How long clients are told to wait with a 429, 503 or 529 that was not due to a limit.
class RetryAfter {
  public:
    /// "0.5", "2s", or "none".
    [[nodiscard]] static Result<RetryAfter> parse(std::string_view text);

    /// Unless it was given, only a 429 tells it: one second.
    [[nodiscard]] std::optional<std::chrono::milliseconds> told_with(int status) const;

    [[nodiscard]] std::string to_string() const;

  private:
    std::optional<std::chrono::milliseconds> wait_ = std::chrono::seconds(1);
    bool is_given_ = false;
};

}  // namespace evalfleet::simulator
