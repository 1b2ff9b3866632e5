#pragma once

#include "common/job/vocabulary.hpp"
#include "common/result/result.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::job {

/// Whose call it is.
enum class CallRole { model, judge };
template <>
struct Names<CallRole> {
    static constexpr std::array values{"model"sv, "judge"sv};
};

/// Infrastructure was in the way of a trial's call; the trial is tried again. What a worker tells
/// the coordinator of it.
struct Setback {
    CallRole role = CallRole::model;
    CallError kind = CallError::connect;
    std::optional<std::int64_t> http_status;
    std::string provider;
    std::string message;        ///< redacted
    std::int64_t attempts = 1;  ///< of the call, all of which failed

    bool operator==(const Setback&) const = default;
};

[[nodiscard]] std::string to_json(const Setback& setback);
/// `invalid` for anything else.
[[nodiscard]] Result<Setback> parse_setback(std::string_view json);

/// How often each kind of failure was in the way of a trial before.
using SetbackCounts = std::map<std::string, std::int64_t, std::less<>>;

/// `connect=1 http_429=3`: how it travels through the queue.
[[nodiscard]] std::string to_text(const SetbackCounts& counts);
/// What cannot be read is left out: nothing in the queue is trusted.
[[nodiscard]] SetbackCounts read_setback_counts(std::string_view text);

}  // namespace evalfleet::job
