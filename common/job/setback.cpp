#include "common/job/setback.hpp"

#include "common/json/document.hpp"
#include "common/json/writer.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace evalfleet::job {

namespace {

constexpr std::int64_t kMostCounted = 1'000'000;

template <class Enum>
Result<Enum> read_word(json::Value object, std::string_view name) {
    const auto word = object.get<std::string>(name);
    if (!word) return word.error();
    const auto value = from_name<Enum>(*word);
    if (!value) return Error{ErrorKind::invalid, std::string(name) + ": an unknown word"};
    return *value;
}

}  // namespace

std::string to_json(const Setback& setback) {
    std::string text;
    json::Writer writer(text);
    writer.begin_object()
        .member("role", to_string(setback.role))
        .member("kind", to_string(setback.kind))
        .member("http_status", setback.http_status)
        .member("provider", setback.provider)
        .member("message", setback.message)
        .member("attempts", setback.attempts)
        .end_object();
    return text;
}

Result<Setback> parse_setback(std::string_view json) {
    const auto document = json::Document::parse(json);
    if (!document) return document.error();
    const json::Value root = document->root();
    const auto role = read_word<CallRole>(root, "role");
    if (!role) return role.error();
    const auto kind = read_word<CallError>(root, "kind");
    if (!kind) return kind.error();
    const auto status = root.get<std::optional<std::int64_t>>("http_status");
    if (!status) return status.error();
    Setback setback{*role, *kind, *status, {}, {}, 1};
    const auto attempts = root.get_or<std::int64_t>("attempts", 1);
    if (!attempts) return attempts.error();
    setback.attempts = std::clamp<std::int64_t>(*attempts, 1, kMostCounted);
    for (auto [name, member] :
         {std::pair{"provider", &setback.provider}, std::pair{"message", &setback.message}}) {
        auto text = root.get<std::string>(name);
        if (!text) return text.error();
        *member = *std::move(text);
    }
    return setback;
}

std::string to_text(const SetbackCounts& counts) {
    std::string text;
    for (const auto& [kind, count] : counts)
        text += (text.empty() ? "" : " ") + kind + "=" + std::to_string(count);
    return text;
}

SetbackCounts read_setback_counts(std::string_view text) {
    SetbackCounts counts;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        const std::size_t equals = word.find('=');
        if (equals == std::string_view::npos || !from_name<CallError>(word.substr(0, equals)))
            continue;
        std::int64_t count = 0;
        const auto [end, error] =
            std::from_chars(word.data() + equals + 1, word.data() + word.size(), count);
        const bool is_good = error == std::errc() && end == word.data() + word.size();
        if (is_good && count > 0 && count <= kMostCounted)
            counts[std::string(word.substr(0, equals))] = count;
    }
    return counts;
}

}  // namespace evalfleet::job
