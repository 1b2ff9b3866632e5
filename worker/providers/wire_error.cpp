#include "worker/providers/wire_error.hpp"

#include "common/http/headers.hpp"
#include "common/job/json_copy.hpp"
#include "common/json/document.hpp"
#include "worker/providers/parameter_rules.hpp"
#include "worker/providers/wire_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace evalfleet::worker {

namespace {

using namespace std::string_view_literals;

/// What words mean that come without a status.
constexpr std::array kWords{
    std::pair{"rate_limit_error"sv, 429},   std::pair{"rate_limit_exceeded"sv, 429},
    std::pair{"RESOURCE_EXHAUSTED"sv, 429}, std::pair{"overloaded"sv, 429},
    std::pair{"slow_down"sv, 429},          std::pair{"overloaded_error"sv, 529},
    std::pair{"UNAVAILABLE"sv, 503},        std::pair{"server_is_overloaded"sv, 503},
    std::pair{"unavailable_error"sv, 503},  std::pair{"timeout_error"sv, 504},
    std::pair{"DEADLINE_EXCEEDED"sv, 504},  std::pair{"authentication_error"sv, 401},
    std::pair{"UNAUTHENTICATED"sv, 401},    std::pair{"billing_error"sv, 402},
    std::pair{"permission_error"sv, 403},   std::pair{"PERMISSION_DENIED"sv, 403},
    std::pair{"not_found_error"sv, 404},    std::pair{"NOT_FOUND"sv, 404},
    std::pair{"request_too_large"sv, 413},  std::pair{"invalid_request_error"sv, 400},
    std::pair{"INVALID_ARGUMENT"sv, 400},   std::pair{"FAILED_PRECONDITION"sv, 400},
    std::pair{"BadRequestError"sv, 400},    std::pair{"validation"sv, 422},
    std::pair{"invalid_prompt"sv, 400},     std::pair{"content_filter"sv, 400},
    std::pair{"insufficient_quota"sv, 429}, std::pair{"exceed_context_size_error"sv, 400},
};

std::optional<int> parse_status(const std::optional<std::string>& text) {
    if (!text) return std::nullopt;
    int status = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), status);
    const bool whole = error == std::errc() && end == text->data() + text->size();
    if (!whole || status < 400 || status > 599) return std::nullopt;
    return status;
}

std::optional<std::string> first_text(json::Value object,
                                      std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
        if (auto text = find_text(object.find(name))) return text;
    }
    return std::nullopt;
}

/// FastAPI's `loc`: `["body", "response_format", "type"]` is `response_format.type`.
std::optional<std::string> place_of(json::Value item) {
    const auto place = item.find("loc");
    const auto parts = place ? place->as_array() : Result<json::Array>(Error{});
    if (!parts) return std::nullopt;
    std::string path;
    for (const json::Value part : *parts) {
        if (!part.is_string()) continue;
        const std::string name = find_text(part).value_or("");
        if (name == "body" && path.empty()) continue;
        path += (path.empty() ? "" : ".") + name;
    }
    return path.empty() ? std::nullopt : std::optional(std::move(path));
}

std::optional<std::string> find_words(std::optional<json::Value> value, int depth = 0);

/// Routers put the body of the error that they got into a text.
std::string unpack(std::string text, int depth) {
    const std::string_view trimmed = http::trim(text);
    if (!trimmed.starts_with('{') && !trimmed.starts_with('[')) return text;
    const auto document = parse_body(trimmed);
    auto words = document ? find_words(document->root(), depth + 1) : std::nullopt;
    return words ? *std::move(words) : text;
}

constexpr int kDeepest = 6;

/// What an error says, in whatever shape: a text, which may be such a shape once more; an object
/// with one in it; a list of either, such as FastAPI's faults of a request. Else its JSON. Nothing
/// if there is nothing in it.
std::optional<std::string> find_words(std::optional<json::Value> value, int depth) {
    if (!value || value->is_null()) return std::nullopt;
    if (auto text = find_text(value)) {
        if (text->empty()) return std::nullopt;
        return depth < kDeepest ? unpack(*std::move(text), depth) : text;
    }
    if (depth >= kDeepest) return job::json_text(*value);
    if (value->is_object()) {
        for (const std::string_view name : {"message"sv, "msg"sv, "detail"sv, "error"sv}) {
            auto words = find_words(value->find(name), depth + 1);
            if (!words) continue;
            const auto place = place_of(*value);
            return place ? *place + ": " + *words : words;
        }
        return value->as_object()->empty() ? std::nullopt : std::optional(job::json_text(*value));
    }
    std::string joined;
    for (const json::Value item : *value->as_array()) {
        if (const auto words = find_words(item, depth + 1))
            joined += (joined.empty() ? "" : "; ") + *words;
    }
    return joined.empty() ? std::nullopt : std::optional(std::move(joined));
}

/// What says more than the message: the words of the provider behind a router ("Provider returned
/// error"), and the faults of a request that some list beside it.
std::string find_more_words(json::Value error) {
    std::string more;
    const auto add = [&more](const std::optional<std::string>& words) {
        if (words) more += ": " + *words;
    };
    if (const auto metadata = error.find("metadata")) add(find_words(metadata->find("raw")));
    const auto details = error.find("details");
    const auto items = details ? details->as_array() : Result<json::Array>(Error{});
    if (!items) return more;
    for (const json::Value item : *items)
        if (item.find("loc")) add(find_words(item));
    return more;
}

/// `false`, `0` and nothing at all say that there is no error.
bool says_no_error(json::Value error) {
    if (const auto flag = error.as_bool()) return !*flag;
    if (const auto number = error.as_double()) return *number == 0;
    return !find_words(error);
}

WireError read_object(json::Value error) {
    WireError out;
    out.message = find_words(error.find("message")).value_or("");
    if (out.message.empty()) out.message = find_words(error.find("detail")).value_or("no message");
    out.message += find_more_words(error);
    out.type = first_text(error, {"type"sv, "status"sv});
    out.code = first_text(error, {"code"sv, "status_code"sv});
    out.param = find_text(error.find("param"));
    // Anthropic's finer word.
    if (const auto details = error.find("details")) {
        if (auto code = find_text(details->find("error_code"))) out.code = std::move(code);
    }
    return out;
}

/// Money and quotas of the day do not come back by waiting.
bool is_about_money(const WireError& error) {
    constexpr std::array kMoneyWords{"insufficient_quota"sv,           "credit_balance_exhausted"sv,
                                     "billing_hard_limit_reached"sv,   "billing_not_active"sv,
                                     "enforced_spend_limit_reached"sv, "billing_error"sv};
    return std::any_of(kMoneyWords.begin(), kMoneyWords.end(),
                       [&](std::string_view word) { return error.is(word); });
}

/// What the words of an error say beyond its status.
void explain(const WireError& error, Refusal& refusal) {
    refusal.refused_parameter =
        find_refused_parameter(refusal.status, error.message, error.param, error.code);
    if (!refusal.should_retry && is_about_money(error)) refusal.should_retry = false;
    if (error.is("content_filter") || error.is("content_policy_violation")) {
        refusal.finish_reason = "content_filter";
    }
}

std::string describe(const WireError& error) {
    std::string text = error.message;
    if (error.type) text += " (" + *error.type + ")";
    if (error.code && error.code != error.type) text += " (" + *error.code + ")";
    return shorten(text);
}

}  // namespace

std::optional<WireError> find_error(json::Value root) {
    if (root.is_array()) {
        const json::Array items = *root.as_array();
        if (!items.empty()) return find_error(*items.begin());
    }
    const auto object = find_text(root.find("object"));
    if (object && http::iequals(*object, "error")) return read_object(root);
    const auto error = root.find("error");
    if (!error || says_no_error(*error)) return std::nullopt;
    if (error->is_object()) return read_object(*error);
    return WireError{find_words(error).value_or(""), find_text(root.find("error_type")),
                     std::nullopt, std::nullopt};
}

int status_of(const WireError& error) {
    constexpr int kServerError = 500;
    if (const auto status = parse_status(error.code)) return *status;
    for (const auto& [word, status] : kWords) {
        if (error.is(word)) return status;
    }
    return kServerError;
}

Refusal to_refusal(const WireError& error) {
    Refusal refusal;
    refusal.status = status_of(error);
    refusal.message = "an error under a good status: " + describe(error);
    explain(error, refusal);
    return refusal;
}

ReadRefusal read_refusal_body(int status, const http::Headers& headers, std::string_view body,
                              std::chrono::system_clock::time_point now) {
    ReadRefusal read;
    read.refusal.status = status;
    read.refusal.retry_after = find_retry_after(headers, now);
    read.refusal.should_retry = find_should_retry(headers);
    read.refusal.message = "HTTP " + std::to_string(status);
    const auto document = parse_body(body);
    if (!document) {
        if (body.empty()) return read;
        read.refusal.message += ": " + shorten(body);
        const bool is_page = http::trim(body).starts_with('<');
        if (!is_page) read.refusal.refused_parameter = find_refused_parameter(status, body, {}, {});
        return read;
    }
    const json::Value root = document->root();
    read.error = find_error(root);
    // An object without the word error is one all the same under such a status.
    const bool has_words = find_words(root.find("message")) || find_words(root.find("detail"));
    if (!read.error && has_words) read.error = read_object(root);
    if (read.error) {
        read.refusal.message += ": " + describe(*read.error);
        explain(*read.error, read.refusal);
    }
    return read;
}

}  // namespace evalfleet::worker
