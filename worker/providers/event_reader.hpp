#pragma once

#include "common/http/sse.hpp"
#include "common/json/document.hpp"
#include "worker/providers/half_characters.hpp"
#include "worker/providers/protocol.hpp"

#include <string>

/// The two framings in which providers stream: what comes out of each are JSON texts, one after the
/// other, each with the time at which its last byte came.
namespace evalfleet::worker {

/// Reads the JSON texts of a stream, halves of characters included: what a text of one lacks may
/// come with the next.
class TextParser {
  public:
    /// Good until the next call.
    [[nodiscard]] Result<json::Value> parse(std::string_view text);

    /// Texts may hold marks for halves.
    [[nodiscard]] bool has_halves() const { return has_halves_; }

  private:
    json::Parser json_{{.reject_duplicate_keys = false}};
    bool has_halves_ = false;
};

/// Server-sent events.
class EventReader : public StreamReader {
  public:
    [[nodiscard]] Status feed(std::string_view bytes, async::TimePoint at) final;

  protected:
    [[nodiscard]] virtual Status take(const http::Event& event, async::TimePoint at) = 0;

    /// To be called first in `finish`: the last event may lack the empty line behind it. Half of
    /// one is none.
    void take_rest() { static_cast<void>(feed("\n\n", last_at_)); }

    /// The data of an event as JSON; good until the next call.
    [[nodiscard]] Result<json::Value> parse(std::string_view data) { return json_.parse(data); }

    [[nodiscard]] bool has_halves() const { return json_.has_halves(); }

  private:
    http::SseParser events_;
    TextParser json_;
    async::TimePoint last_at_{};
};

/// One JSON text a line.
class LineReader : public StreamReader {
  public:
    [[nodiscard]] Status feed(std::string_view bytes, async::TimePoint at) final;

  protected:
    [[nodiscard]] virtual Status take(json::Value line, async::TimePoint at) = 0;

    /// To be called first in `finish`: the last line may lack its line feed.
    [[nodiscard]] Status take_rest();

    [[nodiscard]] bool has_halves() const { return json_.has_halves(); }

  private:
    [[nodiscard]] Status take_line(std::string_view line, async::TimePoint at);

    std::string rest_;  // the unfinished line
    async::TimePoint last_at_{};
    TextParser json_;
};

/// OpenAI's mark of the end, which routers send in other protocols too.
[[nodiscard]] bool is_done_mark(const http::Event& event);

/// What a stream that ended without its terminator is.
[[nodiscard]] Error broken_off();

/// What the text of a stream adds up to, and when the first of it came.
class StreamedText {
  public:
    void add(std::string_view text, async::TimePoint at) {
        if (text.empty()) return;
        if (text_.empty()) first_at_ = at;
        text_ += text;
    }
    [[nodiscard]] bool empty() const { return text_.empty(); }
    /// `has_halves`: characters that came in two halves are joined.
    void move_into(ModelReply& reply, bool has_halves) {
        reply.answer = has_halves ? join_halves(text_) : std::move(text_);
        if (!reply.answer.empty()) reply.first_token_at = first_at_;
    }

  private:
    std::string text_;
    async::TimePoint first_at_{};
};

}  // namespace evalfleet::worker
