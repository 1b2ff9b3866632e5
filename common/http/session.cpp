#include "common/http/session.hpp"

#include "common/async/deadline.hpp"
#include "common/async/run_all.hpp"
#include "common/http/problem.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>
#include <fmt/format.h>

#include <array>
#include <utility>

namespace evalfleet::http {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kMinInputBytes = 16 * 1024;

// What is left of a body that the handler did not want is read and dropped up to this much, to keep
// the connection; beyond it the connection is the cheaper thing to give up.
constexpr std::uint64_t kMaxDrainedBytes = 64 * 1024;

constexpr std::chrono::seconds kFarewell{2};

Error expired() {
    return {ErrorKind::timeout, "deadline exceeded"};
}

std::string_view known_method(std::string_view method) {
    constexpr std::array<std::string_view, 7> kKnown = {"GET",    "HEAD",  "POST",   "PUT",
                                                        "DELETE", "PATCH", "OPTIONS"};
    for (const std::string_view known : kKnown) {
        if (known == method) return known;
    }
    return "OTHER";
}

/// What a client is told whose request could not be read.
Problem malformed_request(const Error& error) {
    Problem problem = to_problem(error);
    if (error.kind == ErrorKind::too_large) problem.status = 431;
    return problem;
}

Problem too_many_connections() {
    return {.status = 503, .detail = "too many connections"};
}

Problem not_routed(const Router::Match& match) {
    Problem problem;
    problem.status = 404;
    if (match.outcome == Router::Outcome::method_not_allowed) problem.status = 405;
    if (match.outcome == Router::Outcome::malformed_path) problem.status = 400;
    return problem;
}

}  // namespace

struct Session::Served {
    RequestContext request;
    int version = 11;
    std::string_view route = "unmatched";
    async::TimePoint begun{};
};

Session::Session(const SessionContext& context, Stream stream, std::string peer, bool is_spare)
    : context_(context),
      place_(context.sessions.add(*this, is_spare)),
      stream_(std::move(stream)),
      peer_(std::move(peer)),
      input_(std::max(context.config.max_header_bytes, kMinInputBytes)),
      parser_(MessageKind::request, context.config.max_header_bytes),
      pace_{context.config.transfer_grace, context.config.min_bytes_per_second},
      is_spare_(is_spare) {}

Session::~Session() {
    context_.sessions.remove(place_);
}

void Session::close_if_idle() {
    if (std::exchange(is_idle_, false)) stream_.close();
}

void Session::give_way() {
    context_.sessions.go_on(place_);
    gave_way_ = true;
    stream_.close();
}

void Session::wait(SessionList::Wait what) {
    if (!gave_way_) context_.sessions.wait(place_, what, context_.clock.now());
}

void Session::check_deadlines(async::TimePoint now) {
    if (now < read_deadline_ && now < write_deadline_) return;
    read_deadline_ = write_deadline_ = async::kNever;
    is_expired_ = true;
    stream_.cancel();
}

asio::awaitable<void> Session::run() {
    if (context_.tls != nullptr) {
        const Status secured = co_await secure();
        if (!secured) co_return;
    }
    Next next = Next::serve;
    while (next == Next::serve)
        next = co_await serve_one();
    if (next == Next::say_goodbye) co_await say_goodbye();
}

asio::awaitable<Status> Session::secure() {
    wait(SessionList::Wait::client);
    const auto deadline = context_.clock.now() + context_.config.handshake_timeout;
    const Status secured = co_await async::with_deadline(
        context_.clock, deadline, stream_.handshake_as_server(*context_.tls));
    context_.sessions.go_on(place_);
    co_return secured;
}

asio::awaitable<void> Session::say_goodbye() {
    wait(SessionList::Wait::client);
    static_cast<void>(co_await async::with_deadline(
        context_.clock, context_.clock.now() + kFarewell, stream_.finish()));
}

asio::awaitable<Session::Next> Session::serve_one() {
    parser_ = MessageParser(MessageKind::request, context_.config.max_header_bytes);
    const auto there_is_one = co_await await_request();
    if (!there_is_one || !*there_is_one) co_return Next::hang_up;
    const Status head = co_await read_head();
    if (!head) co_return co_await refuse(head.error());

    Served served;
    served.begun = body_begun_ = context_.clock.now();
    body_failure_.reset();
    sent_bytes_ = 0;
    Reply reply = co_await answer(served);
    if (reply.is_reset) stream_.reset();
    if (reply.status == 0) co_return Next::hang_up;
    co_return co_await finish_request(served, std::move(reply));
}

/// Waits for the first byte of a request. False: there will be none.
asio::awaitable<Result<bool>> Session::await_request() {
    if (!input_.empty()) co_return true;
    if (context_.is_draining) co_return false;
    // Nothing waits in it: ten thousand quiet clients should not hold a buffer each.
    input_.release();
    const auto patience = std::exchange(is_first_request_, false) ? context_.config.header_timeout
                                                                  : context_.config.idle_timeout;
    is_idle_ = true;
    const Status more = co_await read_more(context_.clock.now() + patience);
    is_idle_ = false;
    if (!more) co_return more.error();
    co_return true;
}

asio::awaitable<Status> Session::read_head() {
    const async::TimePoint deadline = context_.clock.now() + context_.config.header_timeout;
    // RFC 9112 2.2: an empty line in front of a request is forgiven.
    while (input_.data().starts_with("\r\n"))
        input_.consume(2);
    if (const Status fed = feed(); !fed) co_return fed;
    while (!parser_.is_header_done()) {
        const Status more = co_await read_more(deadline);
        if (!more) co_return more;
        if (const Status fed = feed(); !fed) co_return fed;
    }
    co_return Status{};
}

// Whoever gave way has ended like one whose client went away: that is nobody's failure.
asio::awaitable<Status> Session::read_more(async::TimePoint deadline, SessionList::Wait what) {
    const auto space = input_.prepare();
    if (space.size == 0) co_return Error{ErrorKind::too_large, "line too long"};
    read_deadline_ = deadline;
    is_expired_ = false;
    if (what != SessionList::Wait::nothing) wait(what);
    Result<Stream::Arrival> arrival = expired();
    try {
        arrival = co_await stream_.read_some(space.data, space.size);
    } catch (const boost::system::system_error&) {
        if (!is_expired_ && !gave_way_) throw;
    }
    read_deadline_ = async::kNever;
    if (what != SessionList::Wait::nothing) context_.sessions.go_on(place_);
    if (gave_way_) co_return Error{ErrorKind::transient, "gave way to another connection"};
    if (!arrival) co_return arrival.error();
    last_arrival_ = arrival->at;
    if (arrival->bytes == 0) co_return Error{ErrorKind::transient, "the client went away"};
    input_.commit(arrival->bytes);
    co_return Status{};
}

Status Session::feed() {
    const auto used = parser_.feed(input_.data());
    if (!used) return used.error();
    input_.consume(*used);
    return {};
}

/// After a request that cannot be understood nothing behind it can be either.
asio::awaitable<Session::Next> Session::refuse(Error error) {
    if (error.kind == ErrorKind::transient || error.kind == ErrorKind::tls) {
        co_return Next::hang_up;
    }
    Served served;
    served.begun = context_.clock.now();
    sent_bytes_ = 0;
    const Reply reply = malformed_request(error).to_reply();
    const Status sent = co_await send(served, reply, false);
    co_return sent ? Next::say_goodbye : Next::hang_up;
}

asio::awaitable<Reply> Session::answer(Served& served) {
    MessageHead& head = parser_.head();
    RequestContext& request = served.request;
    served.version = head.version;
    request.method = std::move(head.method);
    request.headers = std::move(head.headers);
    request.request_id = choose_request_id(request.headers.find("X-Request-Id"));
    request.peer = peer_;
    request.body = this;
    must_send_continue_ = head.version >= 11 && request.headers.has_token("Expect", "100-continue");

    const auto question = head.target.find('?');
    request.path = head.target.substr(0, question);
    auto query = Query::parse(question == std::string::npos
                                  ? std::string_view()
                                  : std::string_view(head.target).substr(question + 1));
    if (!query) co_return Problem{.status = 400, .detail = "malformed query"}.to_reply();
    request.query = std::move(*query);

    auto match = context_.router.match(request.method, request.path);
    if (match.outcome != Router::Outcome::found) {
        Reply reply = not_routed(match).to_reply();
        if (!match.allow.empty()) reply.headers.set("Allow", match.allow);
        co_return reply;
    }
    served.route = match.route->pattern;
    if (is_spare_ && !match.route->options.is_probe) {
        context_.observer.on_connection_refused();
        co_return too_many_connections().to_reply();
    }
    request.parameters = std::move(match.parameters);
    // Known too large from its head: told before the handler starts, and before 100 is sent.
    if (const Status fits = parser_.limit_body(match.route->options.max_body_bytes); !fits) {
        body_failure_ = fits.error();
        co_return to_problem(fits.error()).to_reply();
    }
    co_return co_await call_handler(*match.route, request);
}

asio::awaitable<Reply> Session::call_handler(const Router::Route& route, RequestContext& request) {
    std::exception_ptr failure;
    try {
        Reply reply = co_await route.handler(request);
        if (!reply.headers.first_invalid_name()) co_return reply;
        failure = std::make_exception_ptr(std::logic_error("a reply with an invalid header"));
    } catch (...) {
        failure = std::current_exception();
    }
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    if (cancellation.cancelled() != asio::cancellation_type::none) {
        throw boost::system::system_error(asio::error::operation_aborted);
    }
    context_.observer.on_handler_exception(route.pattern, request.request_id, failure);
    co_return Problem{.status = 500}.to_reply();
}

asio::awaitable<Session::Next> Session::finish_request(Served& served, Reply reply) {
    // A refusal does not wait for the body of what it refuses.
    const bool is_refusal = reply.status >= 400;
    const bool body_is_read = is_refusal ? take_body_at_hand() : co_await drain_body();
    bool keep_alive =
        parser_.keep_alive() && body_is_read && !context_.is_draining && !is_spare_ && !gave_way_;
    framing_ = served.request.method == "HEAD" && reply.producer
                   ? Framing::none
                   : choose_framing(reply, served.version);
    if (framing_ == Framing::close) keep_alive = false;
    const Status sent = co_await send(served, reply, keep_alive);
    if (!sent) co_return Next::hang_up;
    co_return keep_alive ? Next::serve : Next::say_goodbye;
}

/// Reads what the handler left of the body, if that is little. False: it is still there.
asio::awaitable<bool> Session::drain_body() {
    if (parser_.is_done()) co_return true;
    // A client that waits for 100 has not sent it, and may or may not do so now.
    if (must_send_continue_ || body_failure_) co_return false;
    if (parser_.content_length().value_or(0) > parser_.body_bytes() + kMaxDrainedBytes) {
        co_return false;
    }
    const std::uint64_t limit = parser_.body_bytes() + kMaxDrainedBytes;
    while (parser_.body_bytes() <= limit) {
        const auto part = co_await read();
        if (!part) co_return false;
        if (!*part) co_return true;
    }
    co_return false;
}

/// Drops what has come of the body. False: there is more to come.
bool Session::take_body_at_hand() {
    if (must_send_continue_ || body_failure_) return parser_.is_done();
    for (std::size_t before = 0; !parser_.is_done() && input_.data().size() != before;) {
        before = input_.data().size();
        if (!feed()) return false;
        static_cast<void>(parser_.take_body());
    }
    return parser_.is_done();
}

asio::awaitable<Status> Session::send(Served& served, const Reply& reply, bool keep_alive) {
    const bool is_head = served.request.method == "HEAD";
    if (!reply.producer) framing_ = choose_framing(reply, served.version);
    const ReplyShape shape{
        framing_,       reply.body.size(),         keep_alive,
        served.version, served.request.request_id, &context_.config.reply_headers};
    const std::string head = format_reply_head(reply, shape, context_.clock.utc_now());
    const bool has_body = !is_head && framing_ != Framing::none;
    const std::string_view body = has_body ? std::string_view(reply.body) : std::string_view();
    const async::TimePoint first_byte = context_.clock.now();
    Status sent = co_await write_paced(head, body);
    if (sent) sent_bytes_ += body.size();
    if (sent && reply.producer && has_body) sent = co_await send_stream(*reply.producer);
    const async::TimePoint last_byte = context_.clock.now();
    if (sent && reply.receipt) reply.receipt->on_sent(first_byte, last_byte);
    context_.observer.on_request({.route = served.route,
                                  .method = known_method(served.request.method),
                                  .status = reply.status,
                                  .duration = last_byte - served.begun,
                                  .received_bytes = parser_.body_bytes(),
                                  .sent_bytes = sent_bytes_,
                                  .request_id = served.request.request_id,
                                  .peer = peer_});
    co_return sent;
}

asio::awaitable<Status> Session::send_stream(BodyProducer& producer) {
    Status outcome = Error{ErrorKind::transient, "the client went away"};
    std::vector<asio::awaitable<void>> roles;
    roles.push_back(produce(producer, outcome));
    roles.push_back(watch_for_hangup());
    static_cast<void>(co_await async::run_all(std::move(roles)));
    if (outcome && framing_ == Framing::chunked) co_return co_await write_paced("0\r\n\r\n");
    co_return outcome;
}

asio::awaitable<void> Session::produce(BodyProducer& producer, Status& outcome) {
    outcome = co_await producer.produce(*this);
}

/// Ends when the client closes its side. Requests that it sends meanwhile wait in the buffer.
asio::awaitable<void> Session::watch_for_hangup() {
    for (;;) {
        if (input_.prepare().size == 0) co_await context_.clock.wait_until(async::kNever);
        const Status more = co_await read_more(async::kNever, SessionList::Wait::nothing);
        if (!more) co_return;
    }
}

asio::awaitable<Status> Session::write(std::string_view bytes) {
    if (bytes.empty()) co_return Status{};
    sent_bytes_ += bytes.size();
    if (framing_ != Framing::chunked) co_return co_await write_paced(bytes);
    std::string chunk = fmt::format("{:x}\r\n", bytes.size());
    chunk.append(bytes).append("\r\n");
    co_return co_await write_paced(chunk);
}

asio::awaitable<Status> Session::write_paced(std::string_view first, std::string_view second) {
    write_deadline_ = pace_.deadline(context_.clock.now(), first.size() + second.size());
    is_expired_ = false;
    wait(SessionList::Wait::transfer);
    Status written = expired();
    try {
        written = co_await stream_.write(first, second);
    } catch (const boost::system::system_error&) {
        if (!is_expired_ && !gave_way_) throw;
    }
    write_deadline_ = async::kNever;
    context_.sessions.go_on(place_);
    co_return written;
}

std::optional<std::uint64_t> Session::content_length() const {
    return parser_.content_length();
}

asio::awaitable<Result<std::optional<std::string>>> Session::read() {
    if (body_failure_) co_return *body_failure_;
    std::string waiting = parser_.take_body();
    if (!waiting.empty()) co_return std::optional(std::move(waiting));
    if (parser_.is_done()) co_return std::optional<std::string>();
    if (std::exchange(must_send_continue_, false)) {
        const Status told = co_await write_paced("HTTP/1.1 100 Continue\r\n\r\n");
        if (!told) co_return told.error();
    }
    auto part = co_await read_body_part(pace_.deadline(body_begun_, parser_.body_bytes()));
    if (!part) body_failure_ = part.error();
    co_return part;
}

asio::awaitable<Result<std::string>> Session::read_all() {
    std::string body;
    if (!body_failure_) body = parser_.take_body();
    while (body_failure_ || !parser_.is_done()) {
        const auto part = co_await read();
        if (!part) co_return part.error();
        if (*part) body += **part;
    }
    co_return body;
}

asio::awaitable<Result<std::optional<std::string>>> Session::read_body_part(
    async::TimePoint deadline) {
    for (;;) {
        if (const Status fed = feed(); !fed) co_return fed.error();
        std::string part = parser_.take_body();
        if (!part.empty()) co_return std::optional(std::move(part));
        if (parser_.is_done()) co_return std::optional<std::string>();
        const Status more = co_await read_more(deadline, SessionList::Wait::transfer);
        if (!more) co_return more.error();
    }
}

}  // namespace evalfleet::http
