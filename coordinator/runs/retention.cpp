#include "coordinator/runs/retention.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <tuple>

namespace evalfleet::runs {

namespace {

constexpr std::uint64_t kMaxDays = 36'500;

std::optional<std::uint64_t> read_number(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number == 0)
        return std::nullopt;
    return number;
}

bool read_part(std::string_view part, Retention& retention) {
    const bool is_age = part.ends_with('d');
    const auto number = read_number(is_age ? part.substr(0, part.size() - 1) : part);
    if (!number || (is_age && *number > kMaxDays)) return false;
    if (is_age)
        retention.max_age = std::chrono::hours(24) * static_cast<int>(*number);
    else
        retention.max_runs = *number;
    return true;
}

}  // namespace

Result<Retention> parse_retention(std::string_view text) {
    Retention retention;
    if (text.empty()) return retention;
    for (std::string_view rest = text;;) {
        const std::size_t comma = rest.find(',');
        if (!read_part(rest.substr(0, comma), retention)) {
            return Error{ErrorKind::invalid,
                         "found '" + std::string(text) + "', allowed: RUNS, DAYSd or RUNS,DAYSd"};
        }
        if (comma == std::string_view::npos) break;
        rest.remove_prefix(comma + 1);
    }
    return retention;
}

std::vector<std::string> choose_expired(std::vector<OverRun> runs,
                                        const std::set<std::string>& kept,
                                        const Retention& retention,
                                        std::chrono::system_clock::time_point now) {
    std::erase_if(runs, [&](const OverRun& run) { return kept.contains(run.run_id); });
    std::sort(runs.begin(), runs.end(), [](const OverRun& a, const OverRun& b) {
        return std::tie(a.ended, a.run_id) < std::tie(b.ended, b.run_id);
    });
    std::vector<std::string> expired;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const bool is_surplus = retention.max_runs > 0 && runs.size() - i > retention.max_runs;
        const bool is_old =
            retention.max_age.count() > 0 && now - runs[i].ended > retention.max_age;
        if (is_surplus || is_old) expired.push_back(runs[i].run_id);
    }
    return expired;
}

}  // namespace evalfleet::runs
