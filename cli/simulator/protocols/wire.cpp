#include "cli/simulator/protocols/wire.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace evalfleet::simulator {

using namespace std::chrono_literals;

std::string_view header(const http::RequestContext& request, std::string_view name) {
    return request.headers.find(name).value_or("");
}

std::string_view bearer_key(const http::RequestContext& request) {
    constexpr std::string_view kBearer = "Bearer ";
    const std::string_view value = header(request, "Authorization");
    if (value.size() < kBearer.size()) return {};
    if (!http::iequals(value.substr(0, kBearer.size()), kBearer)) return {};
    return http::trim(value.substr(kBearer.size()));
}

std::string sse_event(std::string_view name, std::string_view data, std::string_view line_end) {
    std::string event;
    event.reserve(name.size() + data.size() + 24);
    if (!name.empty()) event.append("event: ").append(name).append(line_end);
    return event.append("data: ").append(data).append(line_end).append(line_end);
}

std::string go_duration(async::Duration duration) {
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(duration);
    if (ms < 1s) return fmt::format("{}ms", ms.count());
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(duration).count();
    if (seconds < 60) return fmt::format("{}s", seconds);
    return fmt::format("{}m{}s", seconds / 60, seconds % 60);
}

std::string rfc3339(std::chrono::system_clock::time_point moment) {
    const std::time_t seconds = std::chrono::system_clock::to_time_t(moment);
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(seconds));
}

std::string seconds_text(std::chrono::milliseconds duration) {
    return fmt::format("{}", std::chrono::duration<double>(duration).count());
}

std::string milliseconds_text(std::chrono::nanoseconds duration) {
    return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

}  // namespace evalfleet::simulator
