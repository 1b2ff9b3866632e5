#include "coordinator/catalog/run_filter.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace evalfleet::catalog {

namespace {

using runs::RunPhase;

constexpr std::array kActive = {RunPhase::queued, RunPhase::running, RunPhase::paused,
                                RunPhase::cancelling, RunPhase::finishing};

bool fits_name(std::string_view wanted, std::string_view name) {
    if (wanted.empty()) return true;
    if (!wanted.ends_with('*')) return name == wanted;
    wanted.remove_suffix(1);
    return name.starts_with(wanted);
}

// Exactly `width` digits from the front of `text`.
std::optional<int> take_number(std::string_view& text, std::size_t width) {
    int number = 0;
    if (text.size() < width) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data(), text.data() + width, number);
    if (error != std::errc() || end != text.data() + width || number < 0) return std::nullopt;
    text.remove_prefix(width);
    return number;
}

bool take(std::string_view& text, char c) {
    if (!text.starts_with(c)) return false;
    text.remove_prefix(1);
    return true;
}

std::optional<std::chrono::sys_days> take_date(std::string_view& text) {
    auto year = take_number(text, 4);
    if (!year || !take(text, '-')) return std::nullopt;
    // The clock counts nanoseconds and ends in 2262; what is beyond is as good as its end.
    year = std::clamp(*year, 1700, 2200);
    const auto month = take_number(text, 2);
    if (!month || !take(text, '-')) return std::nullopt;
    const auto day = take_number(text, 2);
    if (!day) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(*year),
                                           std::chrono::month(static_cast<unsigned>(*month)),
                                           std::chrono::day(static_cast<unsigned>(*day))};
    if (!date.ok()) return std::nullopt;
    return std::chrono::sys_days(date);
}

std::optional<std::chrono::milliseconds> take_time_of_day(std::string_view& text) {
    const auto hour = take_number(text, 2);
    if (!hour || *hour > 23 || !take(text, ':')) return std::nullopt;
    const auto minute = take_number(text, 2);
    if (!minute || *minute > 59) return std::nullopt;
    int second = 0;
    if (take(text, ':')) {
        const auto given = take_number(text, 2);
        if (!given || *given > 60) return std::nullopt;
        second = *given;
    }
    int fraction_ms = 0;
    if (take(text, '.')) {
        int weight = 100;
        while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
            fraction_ms += (text.front() - '0') * weight;
            weight /= 10;
            text.remove_prefix(1);
        }
    }
    return std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
           std::chrono::seconds(second) + std::chrono::milliseconds(fraction_ms);
}

bool has(std::string_view text, std::string_view part) {
    const auto fold = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return std::search(text.begin(), text.end(), part.begin(), part.end(),
                       [&](char a, char b) { return fold(a) == fold(b); }) != text.end() ||
           part.empty();
}

bool fits_dataset(std::string_view wanted, const RunFacts& facts) {
    return wanted.empty() || facts.dataset_id == wanted ||
           (wanted.size() >= 8 && facts.dataset_hash.starts_with(wanted));
}

bool has_label(const RunFacts& facts, const std::pair<std::string, std::string>& wanted) {
    const auto found = facts.run_labels.find(wanted.first);
    return found != facts.run_labels.end() && found->second == wanted.second;
}

constexpr std::array<std::string_view, 4> kVerdicts = {"open", "ready", "not_ready",
                                                       "not_measured"};

}  // namespace

Verdict verdict_of(const RunFacts& facts, RunPhase phase) noexcept {
    if (phase != RunPhase::done || !facts.outcome) return Verdict::open;
    if (facts.outcome->measured != job::Measured::complete) return Verdict::not_measured;
    return facts.outcome->release_ready ? Verdict::ready : Verdict::not_ready;
}

std::string_view to_string(Verdict verdict) noexcept {
    return kVerdicts[static_cast<std::size_t>(verdict)];
}

std::optional<Verdict> parse_verdict(std::string_view text) noexcept {
    const auto found = std::find(kVerdicts.begin(), kVerdicts.end(), text);
    if (found == kVerdicts.end()) return std::nullopt;
    return static_cast<Verdict>(found - kVerdicts.begin());
}

bool RunFilter::fits(const RunFacts& facts, RunPhase phase) const {
    if (!phases.empty() && std::find(phases.begin(), phases.end(), phase) == phases.end())
        return false;
    if (!fits_name(name, facts.name)) return false;
    if (!group.empty() && facts.group_id != group) return false;
    if (!has(facts.model, model) || !fits_dataset(dataset, facts)) return false;
    if (!submitter.empty() && facts.submitted_by != submitter) return false;
    for (const auto& label : labels) {
        if (!has_label(facts, label)) return false;
    }
    if (!has(facts.run_id, text) && !has(facts.name, text) && !has(facts.model, text) &&
        !has(facts.dataset_id.value_or(""), text))
        return false;
    if (verdict && verdict_of(facts, phase) != *verdict) return false;
    if (!since && !until) return true;
    const auto submitted = parse_time(facts.submitted_at);
    if (!submitted) return false;
    return (!since || *submitted >= *since) && (!until || *submitted < *until);
}

std::optional<std::vector<RunPhase>> parse_states(std::string_view text) {
    std::vector<RunPhase> phases;
    while (true) {
        const auto end = text.find(',');
        const std::string_view word = text.substr(0, end);
        if (word == "active") {
            phases.insert(phases.end(), kActive.begin(), kActive.end());
        } else {
            const auto phase = runs::parse_run_phase(word);
            if (!phase) return std::nullopt;
            phases.push_back(*phase);
        }
        if (end == std::string_view::npos) return phases;
        text.remove_prefix(end + 1);
    }
}

std::optional<std::chrono::system_clock::time_point> parse_time(std::string_view text) {
    const auto date = take_date(text);
    if (!date) return std::nullopt;
    if (text.empty()) return *date;
    if (!take(text, 'T')) return std::nullopt;
    const auto time = take_time_of_day(text);
    if (!time) return std::nullopt;
    take(text, 'Z');
    if (!text.empty()) return std::nullopt;
    return *date + *time;
}

}  // namespace evalfleet::catalog
