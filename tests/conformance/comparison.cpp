#include "tests/conformance/comparison.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace evalfleet::conformance {

namespace {

using Differences = std::vector<std::string>;

constexpr double kRelativeTolerance = 1e-12;

std::string_view last_step(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

/// True for an object that may have no other keys than the expected ones.
bool is_closed(std::string_view path) {
    constexpr std::array<std::string_view, 4> kClosed{"failure_taxonomy", "_histogram", "tags",
                                                      "task_type"};
    const std::string_view last = last_step(path);
    for (const std::string_view name : kClosed) {
        if (last.ends_with(name)) return true;
    }
    const std::size_t slash = path.rfind('/');
    return slash != std::string_view::npos && last_step(path.substr(0, slash)) == "tags";
}

bool same_number(json::Value expected, json::Value actual) {
    const double wanted = expected.as_double().value();
    const double got = actual.as_double().value();
    if (wanted == got) return true;
    if (expected.kind() == json::Kind::integer) return false;
    return std::fabs(wanted - got) <=
           kRelativeTolerance * std::max(std::fabs(wanted), std::fabs(got));
}

void compare(json::Value expected, json::Value actual, const std::string& path, Differences& out);

void compare_objects(json::Value expected, json::Value actual, const std::string& path,
                     Differences& out) {
    const json::Object wanted = expected.as_object().value();
    for (const auto [key, value] : wanted) {
        const auto member = actual.find(key);
        if (member) {
            compare(value, *member, fmt::format("{}/{}", path, key), out);
        } else {
            out.push_back(fmt::format("{}/{}: missing", path, key));
        }
    }
    if (!is_closed(path)) return;
    const json::Object got = actual.as_object().value();
    for (const auto [key, value] : got) {
        if (!expected.find(key)) out.push_back(fmt::format("{}/{}: not expected", path, key));
    }
}

void compare_arrays(const json::Array& expected, const json::Array& actual, const std::string& path,
                    Differences& out) {
    if (expected.size() != actual.size()) {
        out.push_back(
            fmt::format("{}: expected {} items, got {}", path, expected.size(), actual.size()));
        return;
    }
    auto got = actual.begin();
    std::size_t index = 0;
    for (const json::Value wanted : expected) {
        compare(wanted, *got, fmt::format("{}/{}", path, index), out);
        ++got;
        ++index;
    }
}

void compare(json::Value expected, json::Value actual, const std::string& path, Differences& out) {
    if (expected.is_object() && actual.is_object()) {
        return compare_objects(expected, actual, path, out);
    }
    if (expected.is_array() && actual.is_array()) {
        return compare_arrays(expected.as_array().value(), actual.as_array().value(), path, out);
    }
    const bool numbers = expected.is_number() && actual.is_number();
    const bool same = numbers ? same_number(expected, actual)
                      : expected.is_string() && actual.is_string()
                          ? expected.as_string().value() == actual.as_string().value()
                          : expected.describe() == actual.describe() && !expected.is_object() &&
                                !expected.is_array();
    if (!same) {
        out.push_back(
            fmt::format("{}: expected {}, got {}", path, expected.describe(), actual.describe()));
    }
}

}  // namespace

std::vector<std::string> differences(json::Value expected, json::Value actual,
                                     const std::string& path) {
    Differences out;
    compare(expected, actual, path, out);
    return out;
}

}  // namespace evalfleet::conformance
