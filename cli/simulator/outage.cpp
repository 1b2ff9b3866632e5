#include "cli/simulator/outage.hpp"

#include "common/config/units.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace evalfleet::simulator {

namespace {

std::string_view take_part(std::string_view& text) {
    const std::size_t end = std::min(text.find(':'), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return part;
}

}  // namespace

Result<Outage> Outage::parse(std::string_view text) {
    constexpr std::uint64_t kMinStatus = 400, kMaxStatus = 599;
    std::string_view rest = text;
    const auto start = config::parse_duration(take_part(rest), std::chrono::seconds(1));
    const auto duration = config::parse_duration(take_part(rest), std::chrono::seconds(1));
    const auto status = config::parse_uint64(rest);
    const bool is_status = status && *status >= kMinStatus && *status <= kMaxStatus;
    if (!start || !duration || (!is_status && rest != "refuse")) {
        return Error{ErrorKind::invalid,
                     fmt::format("found '{}', allowed: START:DURATION:KIND with seconds, and "
                                 "refuse or a status from 400 to 599 as KIND",
                                 text)};
    }
    Outage outage{*start, *duration, {}};
    if (is_status) outage.status = static_cast<int>(*status);
    return outage;
}

void OutagePlan::note_request(async::TimePoint arrival) {
    async::TimePoint first = first_request_.load();
    while (arrival < first && !first_request_.compare_exchange_weak(first, arrival)) {
    }
}

std::optional<OutagePlan::Stretch> OutagePlan::stretch_of(const Outage& outage) const {
    const async::TimePoint first = first_request_.load();
    if (first == async::kNever) return std::nullopt;
    const async::TimePoint from = first + outage.start;
    return Stretch{from, from + outage.duration};
}

std::optional<int> OutagePlan::status_at(async::TimePoint now) const {
    for (const Outage& outage : outages_) {
        const auto stretch = stretch_of(outage);
        const bool holds = stretch && stretch->from <= now && now < stretch->until;
        if (holds && outage.status) return outage.status;
    }
    return std::nullopt;
}

bool OutagePlan::has_refusals() const {
    return std::any_of(outages_.begin(), outages_.end(),
                       [](const Outage& outage) { return !outage.status; });
}

std::optional<OutagePlan::Stretch> OutagePlan::next_refusal(async::TimePoint now) const {
    std::optional<Stretch> next;
    for (const Outage& outage : outages_) {
        const auto stretch = stretch_of(outage);
        if (outage.status || !stretch || stretch->until <= now) continue;
        if (!next || stretch->from < next->from) next = stretch;
    }
    return next;
}

}  // namespace evalfleet::simulator
