#include "cli/simulator/faults.hpp"

#include "common/config/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace evalfleet::simulator {

namespace {

constexpr std::array<FaultKind, 12> kFaults{{
    {"429", &FaultRates::too_many, 429, Fault::none, "share of requests answered with 429"},
    {"500", &FaultRates::internal, 500, Fault::none, "share of requests answered with 500"},
    {"529", &FaultRates::overload, 529, Fault::none, "share of requests answered with 529"},
    {"503", &FaultRates::unavailable, 503, Fault::none, "share of requests answered with 503"},
    {"hang", &FaultRates::hang, 200, Fault::hang, "share of requests not answered for --hang"},
    {"reset", &FaultRates::reset, 200, Fault::reset,
     "share of connections closed without an answer"},
    {"malformed", &FaultRates::malformed, 200, Fault::malformed,
     "share of replies that are half a JSON text"},
    {"cut", &FaultRates::cut, 200, Fault::cut, "share of replies cut in the middle"},
    {"mid-error", &FaultRates::mid_error, 200, Fault::mid_error,
     "share of streams that end with an error"},
    {"empty", &FaultRates::empty, 200, Fault::empty, "share of empty answers"},
    {"refusal", &FaultRates::refusal, 200, Fault::refusal, "share of answers that decline"},
    {"filter", &FaultRates::filter, 200, Fault::content_filter,
     "share of answers taken away by a filter"},
}};

Error bad_times(std::string_view text) {
    std::string names;
    for (const FaultKind& kind : kFaults)
        names.append(names.empty() ? "" : ", ").append(kind.name);
    return {ErrorKind::invalid,
            fmt::format("found '{}', allowed: a number, or a number for each fault as in "
                        "429=1,hang=0; the faults are {}",
                        text, names)};
}

bool is_known(std::string_view name) {
    return std::any_of(kFaults.begin(), kFaults.end(),
                       [&](const FaultKind& kind) { return kind.name == name; });
}

}  // namespace

double FaultRates::sum() const {
    double sum = 0;
    for (const FaultKind& kind : kFaults)
        sum += this->*kind.rate;
    return sum;
}

std::span<const FaultKind> all_faults() {
    return kFaults;
}

Result<FaultTimes> FaultTimes::parse(std::string_view text) {
    FaultTimes times;
    for (std::string_view rest = text;;) {
        const std::size_t end = std::min(rest.find(','), rest.size());
        const std::string_view item = rest.substr(0, end);
        const std::size_t equals = item.find('=');
        const bool is_named = equals != std::string_view::npos;
        const auto number = config::parse_uint64(is_named ? item.substr(equals + 1) : item);
        if (!number) return bad_times(text);
        if (is_named && !is_known(item.substr(0, equals))) return bad_times(text);
        if (is_named) {
            times.named_.insert_or_assign(std::string(item.substr(0, equals)), *number);
        } else {
            times.others_ = *number;
        }
        if (end == rest.size()) return times;
        rest.remove_prefix(end + 1);
    }
}

std::optional<std::uint64_t> FaultTimes::of(const FaultKind& kind) const {
    const auto named = named_.find(kind.name);
    return named != named_.end() ? named->second : others_;
}

const FaultKind* draw_fault(const FaultRates& rates, const FaultTimes& times, const Draw& content,
                            const Draw& attempt, std::uint64_t nth) {
    double left = content.uniform(Purpose::fault);
    double decided = 0;  // the share of requests that such a fault hits
    for (const FaultKind& kind : kFaults) {
        const auto count = times.of(kind);
        if (!count) continue;
        decided += rates.*kind.rate;
        left -= rates.*kind.rate;
        if (left < 0) return *count == 0 || nth <= *count ? &kind : nullptr;
    }
    // The other faults are shares of all requests too, and hit only those that are left.
    left = attempt.uniform(Purpose::fault) * (1 - decided);
    for (const FaultKind& kind : kFaults) {
        if (times.of(kind)) continue;
        left -= rates.*kind.rate;
        if (left < 0) return &kind;
    }
    return nullptr;
}

Result<RetryAfter> RetryAfter::parse(std::string_view text) {
    RetryAfter after;
    after.is_given_ = true;
    after.wait_.reset();
    if (text == "none") return after;
    const auto wait = config::parse_duration(text, std::chrono::seconds(1));
    if (!wait) {
        return Error{ErrorKind::invalid,
                     fmt::format("found '{}', allowed: seconds such as 0.5 or 30, or none", text)};
    }
    after.wait_ = std::chrono::ceil<std::chrono::milliseconds>(*wait);
    return after;
}

std::optional<std::chrono::milliseconds> RetryAfter::told_with(int status) const {
    const bool is_told = status == 429 || (is_given_ && (status == 503 || status == 529));
    return is_told ? wait_ : std::nullopt;
}

std::string RetryAfter::to_string() const {
    return wait_ ? config::format_duration(*wait_) : "none";
}

}  // namespace evalfleet::simulator
