#include "worker/providers/wire_error.hpp"

#include "common/json/document.hpp"
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

WireError read_object(json::Value error) {
    WireError out;
    out.message = find_text(error.find("message")).value_or("no message");
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
    if (const auto items = root.as_array(); items && !items->empty()) {
        return find_error(*items->begin());
    }
    if (find_text(root.find("object")) == "error") return read_object(root);
    const auto error = root.find("error");
    if (!error || error->is_null()) return std::nullopt;
    if (error->is_object()) return read_object(*error);
    auto text = find_text(*error);
    if (!text) return std::nullopt;
    return WireError{*std::move(text), find_text(root.find("error_type")), std::nullopt,
                     std::nullopt};
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
    const auto document = json::Document::parse(body, {.reject_duplicate_keys = false});
    if (!document) {
        if (!body.empty()) read.refusal.message += ": " + shorten(body);
        return read;
    }
    read.error = find_error(document->root());
    if (read.error) {
        read.refusal.message += ": " + describe(*read.error);
        explain(*read.error, read.refusal);
    } else if (auto text = first_text(document->root(), {"detail"sv, "message"sv})) {
        read.refusal.message += ": " + shorten(*text);
    }
    return read;
}

namespace {

/// What a member of a request stands for: `generationConfig.topP` is `top_p`.
std::optional<std::string> parameter_name(std::string_view member) {
    const std::string_view last = member.substr(member.find_last_of('.') + 1);
    if (last == "temperature" || last == "top_p" || last == "seed") return std::string(last);
    if (last == "topP") return "top_p";
    if (last == "max_tokens" || last == "max_completion_tokens") return "max_tokens";
    return std::nullopt;
}

bool contains_any(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(), [text](std::string_view word) {
        return text.find(word) != std::string_view::npos;
    });
}

std::optional<std::string> parameter_in(std::string_view message) {
    const bool says_no = contains_any(
        message, {"nsupported"sv, "not supported"sv, "deprecated"sv, "cannot both be specified"sv});
    if (!says_no) return std::nullopt;
    // Where two of them exclude each other, temperature is the one that is kept.
    for (const std::string_view name : {"top_p"sv, "temperature"sv, "seed"sv}) {
        if (message.find(name) != std::string_view::npos) return std::string(name);
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> find_refused_parameter(int status, const WireError& error) {
    if (status != 400 && status != 422) return std::nullopt;
    const bool is_unsupported = error.is("unsupported_parameter") || error.is("unsupported_value");
    if (is_unsupported && error.param) return parameter_name(*error.param);
    return parameter_in(error.message);
}

}  // namespace evalfleet::worker
