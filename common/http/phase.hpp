#pragma once

#include "common/async/deadline.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace evalfleet::http {

/// A part of a call with its own deadline inside that of the whole call.
struct Phase {
    std::string_view name;  ///< for messages: "connect"
    async::TimePoint deadline = async::kNever;
    async::TimePoint total_deadline = async::kNever;
    const std::string_view* now = nullptr;  ///< says instead of `name` how far it has come

    [[nodiscard]] async::TimePoint until() const { return std::min(deadline, total_deadline); }

    [[nodiscard]] Error timeout() const {
        const bool is_total = total_deadline <= deadline;
        const std::string_view at = now != nullptr ? *now : name;
        return {ErrorKind::timeout, is_total
                                        ? "total deadline exceeded (phase: " + std::string(at) + ")"
                                        : std::string(at) + " deadline exceeded"};
    }
};

inline constexpr std::string_view kSlotPhase = "waiting for a free connection";
inline constexpr std::string_view kResolvePhase = "name lookup";
inline constexpr std::string_view kConnectPhase = "connect";
inline constexpr std::string_view kProxyPhase = "proxy";
inline constexpr std::string_view kTlsPhase = "TLS handshake";
inline constexpr std::string_view kSendPhase = "send";
inline constexpr std::string_view kFirstBytePhase = "first byte";
inline constexpr std::string_view kBodyPhase = "body";

/// Those of a call that has no connection yet.
inline constexpr std::array kPhasesBeforeSending{kSlotPhase, kResolvePhase, kConnectPhase,
                                                 kProxyPhase, kTlsPhase};

/// Runs `operation` until the phase's deadline; a timeout names the phase.
template <class T>
[[nodiscard]] boost::asio::awaitable<Result<T>> in_phase(
    async::Clock& clock, Phase phase, boost::asio::awaitable<Result<T>> operation) {
    const async::TimePoint until = phase.until();
    auto result = co_await async::with_deadline(clock, until, std::move(operation));
    const bool timed_out =
        !result && result.error().kind == ErrorKind::timeout && clock.now() >= until;
    if (timed_out) co_return phase.timeout();
    co_return result;
}

}  // namespace evalfleet::http
