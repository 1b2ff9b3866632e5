#include "cli/doctor/finding.hpp"

#include "cli/terminal/text.hpp"
#include "common/json/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace evalfleet::doctor {

namespace {

constexpr std::array<std::string_view, 3> kLevels{"ok", "warn", "fail"};

std::string_view name_of(Level level) {
    return kLevels[static_cast<std::size_t>(level)];
}

std::size_t count(const Findings& findings, Level level) {
    return static_cast<std::size_t>(std::ranges::count(findings, level, &Finding::level));
}

}  // namespace

Finding well(std::string what, std::string found) {
    return {Level::ok, std::move(what), std::move(found), ""};
}

Finding doubtful(std::string what, std::string found, std::string advice) {
    return {Level::warn, std::move(what), std::move(found), std::move(advice)};
}

Finding broken(std::string what, std::string found, std::string advice) {
    return {Level::fail, std::move(what), std::move(found), std::move(advice)};
}

bool has_failure(const Findings& findings) noexcept {
    return std::ranges::any_of(findings,
                               [](const Finding& each) { return each.level == Level::fail; });
}

std::string to_text(const Findings& findings) {
    std::string text;
    for (const Finding& each : findings) {
        text += terminal::printable(
            fmt::format("{:<4}  {}: {}", name_of(each.level), each.what, each.found));
        text += '\n';
        if (!each.advice.empty()) text += "      -> " + terminal::printable(each.advice) + '\n';
    }
    return text + fmt::format("{} ok, {} to look at, {} wrong\n", count(findings, Level::ok),
                              count(findings, Level::warn), count(findings, Level::fail));
}

std::string to_json(const Findings& findings) {
    std::string text;
    json::Writer writer(text, json::Layout::pretty);
    writer.begin_object().member("healthy", !has_failure(findings)).key("findings").begin_array();
    for (const Finding& each : findings) {
        writer.begin_object()
            .member("level", name_of(each.level))
            .member("what", each.what)
            .member("found", each.found)
            .member("advice", each.advice)
            .end_object();
    }
    writer.end_array().end_object();
    return text + '\n';
}

}  // namespace evalfleet::doctor
