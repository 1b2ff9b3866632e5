#include "common/metrics/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace evalfleet::metrics {
namespace {

constexpr std::string_view kPrefix = "evalfleet_";

bool is_snake_case(std::string_view name) {
    if (name.empty() || name.front() < 'a' || name.front() > 'z' || name.back() == '_')
        return false;
    if (name.find("__") != std::string_view::npos) return false;
    return std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
}

bool ends_in_unit(std::string_view name) {
    constexpr std::string_view kUnits[] = {"_seconds", "_bytes",    "_tokens", "_ratio",
                                           "_jobs",    "_commands", "_records"};
    return std::any_of(std::begin(kUnits), std::end(kUnits),
                       [&](std::string_view unit) { return name.ends_with(unit); });
}

}  // namespace

std::optional<std::string> fault_of_name(std::string_view name, Type type) {
    if (!is_snake_case(name)) return "is not snake_case";
    if (!name.starts_with(kPrefix)) return "does not begin with evalfleet_";
    const auto words = 1 + std::count(name.begin(), name.end(), '_');
    if (words < 3) return "names no role and subject";
    const bool total = name.ends_with("_total");
    if (type == Type::counter && (!total || words < 4)) return "does not end in <what>_total";
    if (type != Type::counter && total) return "ends in _total but is no counter";
    if (type == Type::histogram && !ends_in_unit(name)) return "does not end in its unit";
    return std::nullopt;
}

std::optional<std::string> fault_of_label(std::string_view name) {
    constexpr std::string_view kUnbounded[] = {"job",    "job_id",    "trial",      "trial_id",
                                               "sample", "sample_id", "request_id", "index"};
    if (!is_snake_case(name)) return "is not snake_case";
    if (name == "le" || name == "quantile") return "is taken by Prometheus";
    if (std::find(std::begin(kUnbounded), std::end(kUnbounded), name) != std::end(kUnbounded)) {
        return "would make a series for each one";
    }
    return std::nullopt;
}

std::string bound_label_value(std::string_view value) {
    if (value.size() <= kMaxLabelBytes) return std::string(value);
    std::uint64_t checksum = 14695981039346656037U;  // FNV-1a
    for (const char c : value)
        checksum = (checksum ^ static_cast<unsigned char>(c)) * 1099511628211U;
    const std::string end = fmt::format("~{:016x}", checksum);
    std::size_t kept = kMaxLabelBytes - end.size();
    const auto is_inside = [&] { return (static_cast<unsigned char>(value[kept]) & 0xC0) == 0x80; };
    while (kept > 0 && is_inside())
        --kept;
    return std::string(value.substr(0, kept)) + end;
}

}  // namespace evalfleet::metrics
