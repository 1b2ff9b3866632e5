#pragma once

#include "common/async/clock.hpp"
#include "common/http/input_buffer.hpp"
#include "common/http/message_parser.hpp"
#include "common/http/pace.hpp"
#include "common/http/reply_head.hpp"
#include "common/http/request_context.hpp"
#include "common/http/server.hpp"
#include "common/http/session_list.hpp"
#include "common/http/stream.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ssl/context.hpp>

#include <memory>
#include <optional>
#include <string>

namespace evalfleet::http {

/// What all sessions of a server share; outlives them.
struct SessionContext {
    async::Clock& clock;
    const ServerConfig& config;
    const Router& router;
    ServerObserver& observer;
    boost::asio::ssl::context* tls = nullptr;  ///< null: plain
    const bool& is_draining;                   ///< no further request is taken
    SessionList& sessions;
};

/// One connection of the server, from handshake to farewell: reads a request, has it answered,
/// writes the reply, and again. Part of the server; lives on its executor.
class Session final : private BodyReader, private BodyWriter {
  public:
    /// `is_spare`: there are too many connections; only a probe is answered, and only one.
    Session(const SessionContext& context, Stream stream, std::string peer, bool is_spare);
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session();

    /// Until the connection ends, in whatever way. Throws operation_aborted when cancelled or
    /// closed, nothing else.
    [[nodiscard]] boost::asio::awaitable<void> run();

    /// Ends a connection that waits for its next request; one that has a request ends after it.
    void close_if_idle();

    /// Ends a connection that waits for its client, in favour of another.
    void give_way();

    /// Ends what waits longer than it may. The server asks this of all sessions every so often: a
    /// timer for each read and write would cost more than all the rest of a request.
    void check_deadlines(async::TimePoint now);

  private:
    /// What is left to do after a request.
    enum class Next { serve, say_goodbye, hang_up };

    struct Served;  // the request being served

    [[nodiscard]] boost::asio::awaitable<Next> serve_one();
    [[nodiscard]] boost::asio::awaitable<Result<bool>> await_request();
    [[nodiscard]] boost::asio::awaitable<Status> read_head();
    [[nodiscard]] boost::asio::awaitable<Status> secure();
    [[nodiscard]] boost::asio::awaitable<Status> read_more(
        async::TimePoint deadline, SessionList::Wait wait = SessionList::Wait::client);
    void wait(SessionList::Wait what);
    [[nodiscard]] Status feed();
    [[nodiscard]] boost::asio::awaitable<Next> refuse(Error error);
    [[nodiscard]] boost::asio::awaitable<Reply> answer(Served& served);
    [[nodiscard]] boost::asio::awaitable<Reply> call_handler(const Router::Route& route,
                                                             RequestContext& request);
    [[nodiscard]] boost::asio::awaitable<Next> finish_request(Served& served, Reply reply);
    [[nodiscard]] boost::asio::awaitable<bool> drain_body();
    [[nodiscard]] bool take_body_at_hand();
    [[nodiscard]] boost::asio::awaitable<Status> send(Served& served, const Reply& reply,
                                                      bool keep_alive);
    [[nodiscard]] boost::asio::awaitable<Status> send_stream(BodyProducer& producer);
    [[nodiscard]] boost::asio::awaitable<void> produce(BodyProducer& producer, Status& outcome);
    [[nodiscard]] boost::asio::awaitable<void> watch_for_hangup();
    [[nodiscard]] boost::asio::awaitable<Status> write_paced(std::string_view first,
                                                             std::string_view second = {});
    [[nodiscard]] boost::asio::awaitable<void> say_goodbye();

    // BodyReader
    [[nodiscard]] boost::asio::awaitable<Result<std::optional<std::string>>> read() override;
    [[nodiscard]] boost::asio::awaitable<Result<std::string>> read_all() override;
    [[nodiscard]] std::optional<std::uint64_t> content_length() const override;
    [[nodiscard]] async::TimePoint last_arrival() const override { return last_arrival_; }
    [[nodiscard]] boost::asio::awaitable<Result<std::optional<std::string>>> read_body_part(
        async::TimePoint deadline);
    // BodyWriter
    [[nodiscard]] boost::asio::awaitable<Status> write(std::string_view bytes) override;
    [[nodiscard]] async::Clock& clock() override { return context_.clock; }

    SessionContext context_;
    SessionList::Place place_;
    Stream stream_;
    std::string peer_;
    InputBuffer input_;
    MessageParser parser_;
    Pace pace_;
    const bool is_spare_;
    bool is_idle_ = false;
    bool is_first_request_ = true;
    async::TimePoint read_deadline_ = async::kNever;   // of the read under way
    async::TimePoint write_deadline_ = async::kNever;  // of the write under way
    bool is_expired_ = false;                          // one of them passed
    bool gave_way_ = false;
    async::TimePoint last_arrival_{};

    // Of the request being served.
    async::TimePoint body_begun_{};
    bool must_send_continue_ = false;
    std::optional<Error> body_failure_;  // what a read of the body ended with, told again
    Framing framing_ = Framing::length;
    std::uint64_t sent_bytes_ = 0;
};

}  // namespace evalfleet::http
