#include "common/http/exchange.hpp"

#include "common/http/phase.hpp"

#include <utility>

namespace evalfleet::http {

namespace asio = boost::asio;

namespace {

// A read of the body takes up to this much at once; a head may be as large as the call allows.
constexpr std::size_t kMinInputBytes = 16 * 1024;

// What a server may promise before we believe it and reserve memory for it.
constexpr std::uint64_t kMaxReservedBytes = 1024 * 1024;

bool is_compressed(const Headers& headers) {
    const auto coding = headers.find("Content-Encoding");
    return coding && !coding->empty() && !iequals(trim(*coding), "identity");
}

}  // namespace

Exchange::Exchange(async::Clock& clock, ConnectionPool::Slot slot, CallLimits limits,
                   Timings timings)
    : clock_(clock),
      slot_(std::move(slot)),
      limits_(limits),
      timings_(timings),
      parser_(make_parser()) {}

MessageParser Exchange::make_parser() const {
    MessageParser parser(MessageKind::response, limits_.max_header_bytes);
    if (is_head_request_) parser.expect_no_body();
    // Nothing is known of the body yet, so that this cannot fail.
    static_cast<void>(parser.limit_body(limits_.max_body_bytes));
    return parser;
}

asio::awaitable<Status> Exchange::begin(std::unique_ptr<Connection> connection,
                                        const std::string& head, const Request& request,
                                        BodySource* body) {
    connection_ = std::move(connection);
    // Nothing waits in a connection between two exchanges; the bound is this call's.
    connection_->input = InputBuffer(std::max(limits_.max_header_bytes, kMinInputBytes));
    is_head_request_ = request.method == "HEAD";
    was_stale_ = is_answered_ = false;
    parser_ = make_parser();
    phase_ = kSendPhase;
    const Phase phase{kFirstBytePhase, limits_.first_byte_deadline, limits_.total_deadline,
                      &phase_};
    Status done = co_await in_phase(clock_, phase, write_and_read_head(head, request.body, body));
    if (done) done = check_head();
    if (!done) connection_.reset();
    if (done && parser_.is_done()) release_connection();
    co_return done;
}

asio::awaitable<Status> Exchange::write(std::string_view head, std::string_view body,
                                        BodySource* source) {
    if (source == nullptr) co_return co_await connection_->stream.write(head, body);
    std::uint64_t left = source->size();
    Status written = co_await connection_->stream.write(head);
    while (written && left > 0) {
        const auto piece = source->blocking_next();
        if (!piece) source_read_ = piece.error();
        if (!source_read_) co_return source_read_;
        left -= std::min<std::uint64_t>(left, piece->size());
        written = co_await connection_->stream.write(*piece);
    }
    co_return written;
}

asio::awaitable<Status> Exchange::write_and_read_head(std::string_view head, std::string_view body,
                                                      BodySource* source) {
    const Status written = co_await write(head, body, source);
    timings_.request_written = clock_.now();
    phase_ = kFirstBytePhase;
    // Half a body will never be answered.
    if (!source_read_) co_return source_read_;
    // A server that refuses a request may answer and close before it has read it all: its answer is
    // worth more than the fact that we could not write on.
    Status done = co_await read_head();
    const bool failed_unanswered = !done && !is_answered_;
    was_stale_ = failed_unanswered && done.error().kind == ErrorKind::transient;
    if (failed_unanswered && !written) co_return written;
    co_return done;
}

asio::awaitable<Status> Exchange::read_head() {
    for (;;) {
        const bool had_started = parser_.has_started();
        if (const Status more = co_await advance(); !more) co_return more;
        if (!had_started) note_first_byte();
        while (parser_.is_done() && parser_.head().status / 100 == 1) {
            // An interim response, such as 103; the real one follows, maybe already here.
            parser_ = make_parser();
            const auto used = parser_.feed(connection_->input.data());
            if (!used) co_return used.error();
            connection_->input.consume(*used);
        }
        if (parser_.is_header_done()) co_return Status{};
    }
}

void Exchange::note_first_byte() {
    timings_.first_byte = timings_.last_byte;
    // The kernel stamps an answer when it comes; that may be before we got to know that all was
    // written.
    timings_.request_written = std::min(timings_.request_written, timings_.first_byte);
}

/// One read from the socket into the parser. Nothing but this reads.
asio::awaitable<Status> Exchange::advance() {
    InputBuffer& input = connection_->input;
    const auto space = input.prepare();
    if (space.size == 0) co_return Error{ErrorKind::too_large, "header too large"};
    const auto arrival = co_await connection_->stream.read_some(space.data, space.size);
    if (!arrival) co_return arrival.error();
    timings_.last_byte = arrival->at;
    timings_.arrival_is_stamped = arrival->is_stamped;
    if (arrival->bytes == 0) {
        if (!parser_.has_started()) {
            co_return Error{ErrorKind::transient, "connection closed before an answer came"};
        }
        co_return parser_.feed_end();
    }
    is_answered_ = true;
    input.commit(arrival->bytes);
    const auto used = parser_.feed(input.data());
    if (!used) co_return used.error();
    input.consume(*used);
    co_return Status{};
}

Status Exchange::check_head() {
    MessageHead& head = parser_.head();
    if (head.status < 200 || head.status > 599) {
        return Error{ErrorKind::invalid, "response with status " + std::to_string(head.status)};
    }
    if (is_compressed(head.headers)) {
        return Error{ErrorKind::invalid, "response is compressed, which was not asked for"};
    }
    return parser_.limit_body(limits_.max_body_bytes);
}

asio::awaitable<Result<std::optional<std::string>>> Exchange::read_part() {
    const Phase phase{kBodyPhase, async::kNever, limits_.total_deadline};
    std::string part = parser_.take_body();
    if (!part.empty()) co_return std::optional(std::move(part));
    if (parser_.is_done()) co_return std::optional<std::string>();
    if (!connection_) co_return Error{ErrorKind::transient, "the response was given up before"};
    auto result = co_await in_phase(clock_, phase, read_once());
    if (!result) connection_.reset();
    co_return result;
}

asio::awaitable<Result<std::optional<std::string>>> Exchange::read_once() {
    std::string part;
    while (part.empty() && !parser_.is_done()) {
        if (const Status more = co_await advance(); !more) co_return more.error();
        part = parser_.take_body();
    }
    if (parser_.is_done()) release_connection();
    if (part.empty()) co_return std::optional<std::string>();
    co_return std::optional(std::move(part));
}

asio::awaitable<Result<std::string>> Exchange::read_rest() {
    std::string body = parser_.take_body();
    if (parser_.is_done()) co_return body;
    if (!connection_) co_return Error{ErrorKind::transient, "the response was given up before"};
    const Phase phase{kBodyPhase, async::kNever, limits_.total_deadline};
    auto result = co_await in_phase(clock_, phase, read_until_done(std::move(body)));
    if (!result) connection_.reset();
    co_return result;
}

asio::awaitable<Result<std::string>> Exchange::read_until_done(std::string body) {
    if (const auto length = parser_.content_length()) {
        body.reserve(std::min(*length, kMaxReservedBytes));
    }
    while (!parser_.is_done()) {
        if (const Status more = co_await advance(); !more) co_return more.error();
        body += parser_.take_body();
    }
    release_connection();
    co_return body;
}

void Exchange::release_connection() {
    auto connection = std::move(connection_);
    timings_.round_trip = connection->stream.round_trip();
    // Bytes behind the response belong to nothing we asked for.
    if (parser_.keep_alive() && connection->input.empty()) slot_.give_back(std::move(connection));
    slot_ = {};
}

}  // namespace evalfleet::http
