#pragma once

#include "cli/simulator/protocols/protocol.hpp"
#include "common/json/document.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::simulator {

/// A JSON text, by paths such as `choices.0.delta.content`. What is not there reads as "(none)",
/// strings as they are, null as "null", objects and arrays as "{}" and "[]" with their size.
class Json {
  public:
    explicit Json(std::string_view text) : document_(json::Document::parse(text)) {
        EXPECT_TRUE(document_) << text;
    }

    [[nodiscard]] std::string at(std::string_view path) const {
        if (!document_) return "(no JSON)";
        json::Value value = document_->root();
        while (!path.empty()) {
            const auto dot = std::min(path.find('.'), path.size());
            const auto next = step(value, path.substr(0, dot));
            if (!next) return "(none)";
            value = *next;
            path.remove_prefix(std::min(dot + 1, path.size()));
        }
        return shown(value);
    }

  private:
    static std::optional<json::Value> step(json::Value value, std::string_view name) {
        if (!value.is_array()) return value.find(name);
        std::size_t index = std::stoul(std::string(name));
        for (const json::Value element : *value.as_array()) {
            if (index-- == 0) return element;
        }
        return std::nullopt;
    }

    static std::string shown(json::Value value) {
        switch (value.kind()) {
            case json::Kind::null:
                return "null";
            case json::Kind::boolean:
                return *value.as_bool() ? "true" : "false";
            case json::Kind::integer:
                return std::to_string(*value.as_int64());
            case json::Kind::real:
                return std::to_string(*value.as_double());
            case json::Kind::string:
                return std::string(*value.as_string());
            case json::Kind::array:
                return "[" + std::to_string(value.as_array()->size()) + "]";
            case json::Kind::object:
                return "{" + std::to_string(value.as_object()->size()) + "}";
        }
        return "";
    }

    Result<json::Document> document_;
};

/// The events of a stream, as `name|data`, split at `line_end` twice.
inline std::vector<std::string> events_of(std::string_view stream,
                                          std::string_view line_end = "\n") {
    std::vector<std::string> events;
    const std::string gap = std::string(line_end) + std::string(line_end);
    while (!stream.empty()) {
        const auto end = stream.find(gap);
        EXPECT_NE(end, std::string_view::npos) << stream;
        std::string_view event = stream.substr(0, end);
        stream.remove_prefix(std::min(end, stream.size() - gap.size()) + gap.size());
        std::string name;
        if (event.starts_with("event: ")) {
            name = event.substr(7, event.find(line_end) - 7);
            event.remove_prefix(event.find(line_end) + line_end.size());
        }
        EXPECT_TRUE(event.starts_with("data: ")) << event;
        events.push_back(name + "|" + std::string(event.substr(6)));
    }
    return events;
}

inline Completion answer_of(std::string content) {
    Completion completion;
    completion.id = 0xABC;
    completion.model = "m-1";
    completion.content = std::move(content);
    completion.tokens = {
        .prompt = 20, .output = 4, .reasoning = 3, .cache_read = 8, .cache_write = 2};
    return completion;
}

/// A whole stream of that answer.
inline std::string stream_of(const Protocol& protocol, const Completion& completion) {
    const auto stream = protocol.write_stream(completion);
    std::string text = stream->begin();
    for (const std::string_view piece : cut_into_pieces(completion.content))
        text += stream->sealed(stream->text(piece));
    return text += stream->end(std::chrono::milliseconds(100));
}

/// Reads a request with that body.
inline Result<ChatRequest> read_request(const Protocol& protocol, std::string_view body,
                                        http::RequestContext request = {}) {
    const auto document = json::Document::parse(body);
    if (!document) return document.error();
    return protocol.read(request, document->root());
}

inline Failure failure_of(int status, FailureKind kind = FailureKind::plain) {
    Failure failure;
    failure.status = status;
    failure.kind = kind;
    failure.request_id = "req-1";
    return failure;
}

}  // namespace evalfleet::simulator
