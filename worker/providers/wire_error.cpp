#include "worker/providers/wire_error.hpp"

#include "common/http/headers.hpp"
#include "common/job/json_copy.hpp"
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

/// The last word of FastAPI's `loc`: `["body", "seed"]` is about the request's member `seed`.
std::optional<std::string> last_place(json::Value item) {
    const auto place = item.find("loc");
    const auto parts = place ? place->as_array() : Result<json::Array>(Error{});
    if (!parts) return std::nullopt;
    std::optional<std::string> last;
    for (const json::Value part : *parts) {
        if (part.is_string()) last = find_text(part);
    }
    return last;
}

/// What an error says, in whatever shape: a text; an object with one in it; a list of either, such
/// as FastAPI's faults of a request. Else its JSON. Nothing if there is nothing in it.
std::optional<std::string> find_words(std::optional<json::Value> value, int depth = 0) {
    constexpr int kDeepest = 4;
    if (!value || value->is_null()) return std::nullopt;
    if (auto text = find_text(value)) return text->empty() ? std::nullopt : text;
    if (depth == kDeepest) return job::json_text(*value);
    if (value->is_object()) {
        for (const std::string_view name : {"message"sv, "msg"sv, "detail"sv, "error"sv}) {
            auto words = find_words(value->find(name), depth + 1);
            if (!words) continue;
            const auto place = last_place(*value);
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

/// A member of the request that the server does not know, in a list of FastAPI's faults anywhere
/// in the error.
std::optional<std::string> find_forbidden_member(json::Value value, int depth = 0) {
    constexpr int kDeepest = 4;
    if (depth > kDeepest) return std::nullopt;
    if (value.is_array()) {
        for (const json::Value item : *value.as_array()) {
            if (auto found = find_forbidden_member(item, depth + 1)) return found;
        }
        return std::nullopt;
    }
    if (!value.is_object()) return std::nullopt;
    const auto type = find_text(value.find("type"));
    if (type == "extra_forbidden" || type == "value_error.extra") return last_place(value);
    for (const std::string_view name : {"message"sv, "detail"sv, "error"sv}) {
        const auto member = value.find(name);
        if (!member) continue;
        if (auto found = find_forbidden_member(*member, depth + 1)) return found;
    }
    return std::nullopt;
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
    out.type = first_text(error, {"type"sv, "status"sv});
    out.code = first_text(error, {"code"sv, "status_code"sv});
    out.param = find_text(error.find("param"));
    if (auto member = find_forbidden_member(error)) {
        out.param = std::move(member);
        out.code = "unsupported_parameter";
    }
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
        if (!body.empty()) read.refusal.message += ": " + shorten(body);
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

namespace {

/// What a member of a request stands for: `generationConfig.topP` is `top_p`. Only what a call may
/// go without is here, or can say under another name.
constexpr std::array kParameters{
    std::pair{"temperature"sv, "temperature"sv},
    std::pair{"top_p"sv, "top_p"sv},
    std::pair{"topP"sv, "top_p"sv},
    std::pair{"seed"sv, "seed"sv},
    std::pair{"max_tokens"sv, "max_tokens"sv},
    std::pair{"max_completion_tokens"sv, "max_completion_tokens"sv},
    std::pair{"response_format"sv, "response_format"sv},
    std::pair{"responseMimeType"sv, "response_format"sv},
    std::pair{"response_mime_type"sv, "response_format"sv},
};

std::optional<std::string> parameter_name(std::string_view member) {
    if (member.starts_with("response_format")) return "response_format";  // response_format.type
    const std::string_view last = member.substr(member.find_last_of('.') + 1);
    for (const auto& [known, name] : kParameters) {
        if (known == last) return std::string(name);
    }
    return std::nullopt;
}

bool is_word_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Where a word stands in a text, not as a part of another.
std::size_t find_word(std::string_view text, std::string_view word) {
    for (std::size_t at = text.find(word); at != std::string_view::npos;
         at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        const bool begins = at == 0 || !is_word_byte(text[at - 1]);
        if (begins && (end == text.size() || !is_word_byte(text[end]))) return at;
    }
    return std::string_view::npos;
}

bool contains_any(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(), [text](std::string_view word) {
        return text.find(word) != std::string_view::npos;
    });
}

/// The words with which servers say that they do not take a member, whatever its value.
bool says_not_taken(std::string_view message) {
    return contains_any(
        message, {"nsupported"sv, "not supported"sv, "not support"sv, "deprecated"sv,
                  "not permitted"sv, "not allowed"sv, "nknown"sv, "nrecognized"sv, "nrecognised"sv,
                  "nexpected"sv, "not available"sv, "Cannot find field"sv});
}

/// The first of them that a message names: "... 'max_tokens' is not supported with this model. Use
/// 'max_completion_tokens' instead".
std::optional<std::string> parameter_in(std::string_view message) {
    // Where two of them exclude each other, temperature is the one that is kept.
    if (contains_any(message, {"cannot both be specified"sv})) return "top_p";
    // Whatever is wrong with it, an answer without JSON mode is better than none.
    const bool is_format = find_word(message, "response_format") != std::string_view::npos;
    if (is_format) return "response_format";
    if (!says_not_taken(message)) return std::nullopt;
    std::size_t first = std::string_view::npos;
    std::optional<std::string> found;
    for (const auto& [known, name] : kParameters) {
        const std::size_t at = find_word(message, known);
        if (at >= first) continue;
        first = at;
        found = name;
    }
    return found;
}

}  // namespace

std::optional<std::string> find_refused_parameter(int status, const WireError& error) {
    if (status != 400 && status != 422) return std::nullopt;
    const bool is_unsupported = error.is("unsupported_parameter") || error.is("unsupported_value");
    if (is_unsupported && error.param) return parameter_name(*error.param);
    if (error.param && error.param->starts_with("response_format")) return "response_format";
    return parameter_in(error.message);
}

}  // namespace evalfleet::worker
