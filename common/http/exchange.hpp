#pragma once

#include "common/async/clock.hpp"
#include "common/http/body_source.hpp"
#include "common/http/connection_pool.hpp"
#include "common/http/message.hpp"
#include "common/http/message_parser.hpp"
#include "common/result/result.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::http {

/// One request and its response on one connection, with the moments it passes through. Part of the
/// client; nobody else makes one.
class Exchange {
  public:
    Exchange(async::Clock& clock, ConnectionPool::Slot slot, CallLimits limits, Timings timings);

    /// Puts the request on `connection` and reads the head of the response, until the earlier of
    /// the first-byte and the total deadline. `head`, `request` and `body` must live until then.
    /// `body`: instead of the request's own; null if that is it.
    [[nodiscard]] boost::asio::awaitable<Status> begin(std::unique_ptr<Connection> connection,
                                                       const std::string& head,
                                                       const Request& request, BodySource* body);

    /// After `begin` failed: the connection was closed under us without one byte of an answer.
    [[nodiscard]] bool was_stale() const { return was_stale_; }

    [[nodiscard]] boost::asio::awaitable<Result<std::optional<std::string>>> read_part();
    [[nodiscard]] boost::asio::awaitable<Result<std::string>> read_rest();

    [[nodiscard]] MessageHead& head() { return parser_.head(); }
    [[nodiscard]] Timings& timings() { return timings_; }
    [[nodiscard]] ConnectionPool::Slot& slot() { return slot_; }

  private:
    [[nodiscard]] boost::asio::awaitable<Status> write_and_read_head(std::string_view head,
                                                                     std::string_view body,
                                                                     BodySource* source);
    [[nodiscard]] boost::asio::awaitable<Status> write(std::string_view head, std::string_view body,
                                                       BodySource* source);
    void note_first_byte();
    [[nodiscard]] boost::asio::awaitable<Status> read_head();
    [[nodiscard]] boost::asio::awaitable<Result<std::string>> read_until_done(std::string body);
    [[nodiscard]] boost::asio::awaitable<Result<std::optional<std::string>>> read_once();
    [[nodiscard]] boost::asio::awaitable<Status> advance();
    [[nodiscard]] MessageParser make_parser() const;
    [[nodiscard]] Status check_head();
    void release_connection();

    async::Clock& clock_;
    ConnectionPool::Slot slot_;
    CallLimits limits_;
    Timings timings_;
    std::string_view phase_;  // of what happens until the head is there
    bool is_head_request_ = false;
    bool was_stale_ = false;
    bool is_answered_ = false;  // a byte has come, be it of an interim response
    Status source_read_;        // whether a body's source gave what it promised
    MessageParser parser_;
    std::unique_ptr<Connection> connection_;  // null once it was given back or broken
};

}  // namespace evalfleet::http
