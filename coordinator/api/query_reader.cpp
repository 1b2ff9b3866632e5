#include "coordinator/api/query_reader.hpp"

#include <charconv>
#include <utility>

namespace evalfleet::api {

std::string QueryReader::text(std::string_view name, std::size_t max_bytes) {
    const auto value = query_.find(name);
    if (!value) return {};
    if (value->size() > max_bytes) {
        fail(name, "allowed: at most " + std::to_string(max_bytes) + " bytes");
        return {};
    }
    return std::string(*value);
}

std::vector<std::string> QueryReader::texts(std::string_view name, std::size_t max_count,
                                            std::size_t max_bytes) {
    std::vector<std::string> values;
    for (const auto& [known, value] : query_) {
        if (known != name) continue;
        if (value.size() > max_bytes || values.size() == max_count) {
            fail(name, "allowed: at most " + std::to_string(max_count) + ", each of at most " +
                           std::to_string(max_bytes) + " bytes");
            return {};
        }
        values.push_back(value);
    }
    return values;
}

std::uint64_t QueryReader::number(std::string_view name, std::uint64_t fallback, std::uint64_t min,
                                  std::uint64_t max) {
    const auto value = query_.find(name);
    if (!value) return fallback;
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), number);
    const bool is_good = error == std::errc() && end == value->data() + value->size() &&
                         number >= min && number <= max;
    if (is_good) return number;
    fail(name, "allowed: a number from " + std::to_string(min) + " to " + std::to_string(max));
    return fallback;
}

std::optional<bool> QueryReader::boolean(std::string_view name) {
    const auto value = query_.find(name);
    if (!value) return std::nullopt;
    if (*value == "true") return true;
    if (*value == "false") return false;
    fail(name, "allowed: true, false");
    return std::nullopt;
}

void QueryReader::fail(std::string_view name, std::string message) {
    faults_.push_back({std::string(name), 0, std::move(message)});
}

std::optional<http::Reply> QueryReader::refusal() const {
    if (faults_.empty()) return std::nullopt;
    http::Problem problem{.status = 400,
                          .detail = faults_.front().field + ": " + faults_.front().message};
    problem.errors = faults_;
    return problem.to_reply();
}

}  // namespace evalfleet::api
