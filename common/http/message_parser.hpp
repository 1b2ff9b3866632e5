#pragma once

#include "common/http/headers.hpp"
#include "common/result/result.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::http {

/// The first line and the headers of a message.
struct MessageHead {
    int version = 11;      ///< 10 or 11
    std::string method{};  ///< of a request
    std::string target{};  ///< of a request
    int status = 0;        ///< of a response
    Headers headers{};
};

enum class MessageKind { request, response };

/// Takes one HTTP/1.1 message apart as its bytes come in; Beast's grammar, our bounds. No I/O.
///
/// Refused as invalid: what is not HTTP/1.0 or 1.1, contradicting lengths, a transfer coding other
/// than chunked, malformed chunks. The body is never held whole: what has come of it waits in
/// `take_body()`.
class MessageParser {
  public:
    MessageParser(MessageKind kind, std::size_t max_header_bytes);
    MessageParser(MessageParser&&) noexcept;
    MessageParser& operator=(MessageParser&&) noexcept;
    ~MessageParser();

    /// No body follows whatever the headers say: the answer to HEAD and CONNECT. Before any byte.
    void expect_no_body();

    /// Takes from the front of `bytes` what it can use and returns how much that was. The rest must
    /// be brought again, with more behind it. Stops at the end of the message. Errors: invalid,
    /// too_large.
    [[nodiscard]] Result<std::size_t> feed(std::string_view bytes);

    /// The other side ended the stream: fine for a response whose body ends so, else an error.
    [[nodiscard]] Status feed_end();

    /// From now on a longer body fails with too_large; at once if its length is already known.
    [[nodiscard]] Status limit_body(std::uint64_t max_bytes);

    /// Has any byte of the message been taken in?
    [[nodiscard]] bool has_started() const;
    [[nodiscard]] bool is_header_done() const;
    [[nodiscard]] bool is_done() const;

    /// May another message follow on this connection?
    [[nodiscard]] bool keep_alive() const;

    [[nodiscard]] std::optional<std::uint64_t> content_length() const;
    [[nodiscard]] std::uint64_t body_bytes() const;

    [[nodiscard]] MessageHead& head();

    /// The body bytes that came since the last call.
    [[nodiscard]] std::string take_body();

  private:
    class Grammar;  // what differs between requests and responses, and Beast
    template <bool IsRequest>
    class BeastGrammar;

    std::unique_ptr<Grammar> grammar_;
};

}  // namespace evalfleet::http
