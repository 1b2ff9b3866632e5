#include "cli/remote/problem.hpp"

#include "common/json/document.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>

namespace evalfleet::remote {

namespace {

constexpr std::size_t kMaxFaults = 20;
constexpr int kMaxRetryAfterSeconds = 3600;

std::optional<std::chrono::milliseconds> read_retry_after(const http::Headers& headers) {
    const auto text = headers.find("Retry-After");
    if (!text) return std::nullopt;
    int seconds = 0;
    const auto [end, code] = std::from_chars(text->data(), text->data() + text->size(), seconds);
    const bool is_number = code == std::errc() && end == text->data() + text->size();
    if (!is_number || seconds < 0 || seconds > kMaxRetryAfterSeconds) return std::nullopt;
    return std::chrono::seconds(seconds);
}

template <class T>
T member(const json::Value& value, std::string_view name, T fallback) {
    const auto found = value.optional<T>(name);
    return found && *found ? **found : fallback;
}

ErrorKind kind_of(int status) {
    switch (status) {
        case 401:
        case 403:
            return ErrorKind::denied;
        case 404:
            return ErrorKind::not_found;
        case 408:
            return ErrorKind::timeout;
        case 413:
            return ErrorKind::too_large;
        case 429:
            return ErrorKind::rate_limited;
        default:
            return status >= 400 && status < 500 ? ErrorKind::invalid : ErrorKind::transient;
    }
}

std::string hint(int status, std::string_view role) {
    if (status == 401) {
        return fmt::format(
            "\nA token with the role {} is needed: set EVALFLEET_TOKEN, or name a file with "
            "--token-file.",
            role);
    }
    if (status == 403) return fmt::format("\nThe role {} is needed.", role);
    return "";
}

}  // namespace

std::vector<http::FieldFault> read_faults(std::string_view body) {
    std::vector<http::FieldFault> faults;
    const auto document = json::Document::parse(body);
    if (!document || !document->root().is_object()) return faults;
    const auto errors = document->root().optional<json::Array>("errors");
    if (!errors || !*errors) return faults;
    for (const json::Value error : **errors) {
        if (!error.is_object() || faults.size() == kMaxFaults) continue;
        faults.push_back({member<std::string>(error, "field", ""),
                          static_cast<std::size_t>(member<std::uint64_t>(error, "line", 0)),
                          member<std::string>(error, "message", "is wrong")});
    }
    return faults;
}

Refusal read_refusal(int status, const http::Headers& headers, std::string_view body) {
    Refusal refusal{status, "", {}, read_retry_after(headers)};
    const auto document = json::Document::parse(body);
    if (document && document->root().is_object()) {
        const json::Value root = document->root();
        refusal.detail = member<std::string>(root, "detail", "");
        if (refusal.detail.empty()) refusal.detail = member<std::string>(root, "title", "");
        refusal.faults = read_faults(body);
    }
    if (refusal.detail.empty())
        refusal.detail =
            fmt::format("the coordinator answered {} {}", status, http::reason_phrase(status));
    return refusal;
}

Error to_error(const Refusal& refusal, std::string_view role) {
    std::string message = refusal.detail;
    for (const http::FieldFault& fault : refusal.faults) {
        message += "\n  ";
        if (!fault.field.empty()) message += fault.field;
        if (fault.line > 0) message += fmt::format(" (line {})", fault.line);
        message += ": " + fault.message;
    }
    return {kind_of(refusal.status), message + hint(refusal.status, role), refusal.retry_after};
}

Error unreachable(const Error& error) {
    if (error.kind == ErrorKind::cancelled) return error;
    const std::string_view hint =
        error.kind == ErrorKind::tls
            ? "\nIf its certificate comes from an authority of your own, name that with --ca-file."
            : "\nIs a coordinator running there? Name another one with --coordinator-url or "
              "EVALFLEET_COORDINATOR_URL.";
    const bool is_input = error.kind == ErrorKind::invalid || error.kind == ErrorKind::not_found ||
                          error.kind == ErrorKind::too_large || error.kind == ErrorKind::denied;
    return {is_input ? ErrorKind::transient : error.kind,
            "the coordinator does not answer: " + error.message + std::string(hint)};
}

}  // namespace evalfleet::remote
