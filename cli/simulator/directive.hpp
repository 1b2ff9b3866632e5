#pragma once

#include "common/result/result.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::simulator {

/// How a call goes wrong without an error status.
enum class Fault {
    none,
    hang,            ///< no answer
    reset,           ///< the connection ends with a reset
    close,           ///< the connection ends in order, without an answer
    malformed,       ///< half a JSON text; in a stream one event of it
    empty,           ///< an empty answer
    truncate,        ///< ends early, in good order; a stream without what tells its end
    cut,             ///< the connection ends in the middle of the answer
    stall,           ///< stops in the middle of the answer
    mid_error,       ///< the provider's error in the middle of a stream; else status 500
    drip,            ///< piece by piece, with `drip_ms` between them
    oversized,       ///< an answer of more than `bytes` bytes
    gzip,            ///< compressed, though nobody asked for it
    refusal,         ///< the model declines
    content_filter,  ///< the answer is filtered
    prompt_filter,   ///< the prompt is
    no_done,         ///< a stream ends after its finish reason, without the mark of its end
    surrogates,      ///< a stream cuts a character beyond the BMP into two halves of a pair
    blank_error,     ///< there is an `error` beside the answer, with nothing in it
};

/// What one request is told to become, instead of what would be drawn. Written as
/// `status=429 times=2 retry_after=1`, separated by spaces or commas, values with spaces in double
/// quotes; in the header `x-simulate`, or in the text as `[[simulate ...]]`.
///
/// The judge sees the task too, and with it the directive. So in a text the plain keys speak to the
/// model's call and those that begin with `judge` to the judge's; in the header the plain keys hold
/// for whichever call it is.
struct Directive {
    /// Of one call.
    struct Call {
        std::optional<int> status;           ///< answered instead of 200
        Fault fault = Fault::none;           ///< `fault=hang`
        std::optional<std::uint64_t> times;  ///< how many times that happens; none: always
        std::optional<std::chrono::seconds> retry_after;
        std::optional<std::chrono::milliseconds> delay;   ///< `delay_ms`
        std::string error_code;                           ///< `code`: of the error
        std::optional<std::uint64_t> reasoning_tokens{};  ///< `reasoning`
        bool operator==(const Call&) const = default;
    };

    Call model;
    Call judge;  ///< judge_status, judge_fault, judge_times and so on

    std::optional<std::string> answer;         ///< the model's
    std::optional<std::string> finish_reason;  ///< `finish`
    bool has_usage = true;                     ///< `usage=none`: the reply counts no tokens
    bool counts_reasoning_apart = false;       ///< `usage=apart`: only the total has the reasoning
    std::uint64_t context_tokens = 0;      ///< `context`: more of a prompt is cut; 0: any length
    std::uint64_t cached_tokens = 0;       ///< `cached`: of the prompt, read from a cache
    std::uint64_t cache_write_tokens = 0;  ///< `cache_write`
    std::chrono::milliseconds drip{100};   ///< `drip_ms`: between pieces
    std::uint64_t oversized_bytes = 64 << 20;  ///< `bytes`

    /// `judge=malformed`, `judge=prose`, or scores: `judge=2`, `judge=1/0` (accuracy/faithfulness).
    std::optional<std::string> verdict;

    bool operator==(const Directive&) const = default;
};

/// Reads what stands in the header or between the brackets. `invalid` names the key.
[[nodiscard]] Result<Directive> parse_directive(std::string_view text);

/// What stands between the brackets of the first `[[simulate ...]]` of a text, if there is one.
[[nodiscard]] std::optional<std::string_view> find_directive(std::string_view text);

}  // namespace evalfleet::simulator
