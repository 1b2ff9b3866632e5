#include "cli/simulator/stream_producer.hpp"

#include "cli/simulator/body_faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace evalfleet::simulator {

namespace asio = boost::asio;

namespace {

/// `[DONE]`, where the protocol has it.
void drop_end_mark(std::string& text) {
    constexpr std::string_view kMark = "data: [DONE]\n\n";
    if (text.ends_with(kMark)) text.resize(text.size() - kMark.size());
}

}  // namespace

StreamProducer::StreamProducer(const Protocol& protocol, Outcome outcome, Visit& visit,
                               StreamSchedule schedule, std::chrono::seconds stall)
    : outcome_(std::move(outcome)),
      stream_(protocol.write_stream(outcome_.completion)),
      visit_(visit),
      schedule_(schedule),
      stall_(stall) {}

asio::awaitable<Status> StreamProducer::produce(http::BodyWriter& writer) {
    const auto pieces = cut_into_pieces(outcome_.completion.content);
    const std::size_t middle = pieces.size() / 2;
    pending_ = stream_->begin();
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (i == middle) {
            const auto next = co_await go_wrong(writer);
            if (!next) co_return next.error();
            if (*next == Next::end) co_return Status{};
            if (*next == Next::cut) co_return Error{ErrorKind::transient, "cut as ordered"};
        }
        const Status waited = co_await wait_until_due(writer, i, pieces.size());
        if (!waited) co_return waited;
        add_text(pieces[i], i == middle && outcome_.fault == Fault::malformed, writer);
    }
    if (pieces.empty()) {
        const Status waited = co_await wait_until_due(writer, 0, 1);
        if (!waited) co_return waited;
    }
    std::string end = stream_->end(writer.clock().now() - visit_.entry.arrival);
    if (outcome_.fault == Fault::no_done) drop_end_mark(end);
    pending_ += end;
    co_return co_await flush(writer);
}

asio::awaitable<Result<StreamProducer::Next>> StreamProducer::go_wrong(http::BodyWriter& writer) {
    const Fault fault = outcome_.fault;
    if (fault == Fault::mid_error) {
        Failure failure;
        failure.code = outcome_.error_code;
        failure.request_id = visit_.entry.request_id;
        pending_ += stream_->fail(failure);
    }
    const bool is_over = fault == Fault::mid_error || fault == Fault::truncate ||
                         fault == Fault::cut || fault == Fault::stall;
    if (is_over) {
        const Status sent = co_await flush(writer);
        if (!sent) co_return sent.error();
    }
    if (fault == Fault::stall) co_await writer.clock().wait_for(stall_);
    if (fault == Fault::cut || fault == Fault::stall) co_return Next::cut;
    if (is_over) co_return Next::end;
    if (fault == Fault::oversized) {
        const Status sent = co_await flush(writer);
        if (!sent) co_return sent.error();
        const Status padded = co_await write_blanks(writer, outcome_.oversized_bytes);
        if (!padded) co_return padded.error();
    }
    co_return Next::go_on;
}

asio::awaitable<Status> StreamProducer::wait_until_due(http::BodyWriter& writer, std::size_t i,
                                                       std::size_t count) {
    const bool drips = outcome_.fault == Fault::drip;
    async::TimePoint due = visit_.entry.service + schedule_.due(i, count);
    if (drips) due += outcome_.drip * static_cast<std::int64_t>(i + 1);
    if (due <= writer.clock().now()) co_return Status{};
    const Status sent = co_await flush(writer);
    if (!sent) co_return sent;
    co_await writer.clock().wait_until(due);
    co_return Status{};
}

void StreamProducer::add_text(std::string_view piece, bool is_malformed, http::BodyWriter& writer) {
    if (visit_.entry.first_text == async::TimePoint{}) {
        visit_.entry.first_text = writer.clock().now();
    }
    if (outcome_.fault == Fault::surrogates) {
        pending_ += in_halves(piece);
        return;
    }
    std::string text = stream_->text(piece);
    if (outcome_.fault == Fault::blank_error) add_blank_error(text);
    const auto brace = text.rfind('}');
    if (is_malformed && brace != std::string::npos) text.erase(brace, 1);
    pending_ += stream_->sealed(std::move(text));
}

/// The text in two, with the first character beyond the BMP cut into the halves of its pair.
std::string StreamProducer::in_halves(std::string_view piece) {
    const auto is_long = [](char c) { return static_cast<unsigned char>(c) >= 0xF0; };
    const auto found = std::find_if(piece.begin(), piece.end(), is_long);
    const auto at = static_cast<std::size_t>(found - piece.begin());
    if (at + 4 > piece.size()) return stream_->sealed(stream_->text(piece));
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(piece[at + i]); };
    const unsigned code = ((byte(0) & 0x07U) << 18U | (byte(1) & 0x3FU) << 12U |
                           (byte(2) & 0x3FU) << 6U | (byte(3) & 0x3FU)) -
                          0x10000U;
    constexpr std::string_view kMark = "-half-";
    const auto with_escape = [&](std::string text, unsigned half) {
        std::string event = stream_->text(text);
        const std::size_t at_mark = event.find(kMark);
        if (at_mark != std::string::npos)
            event.replace(at_mark, kMark.size(), fmt::format("\\u{:04x}", half));
        return stream_->sealed(std::move(event));
    };
    return with_escape(std::string(piece.substr(0, at)).append(kMark), 0xD800U + (code >> 10U)) +
           with_escape(std::string(kMark).append(piece.substr(at + 4)), 0xDC00U + (code & 0x3FFU));
}

asio::awaitable<Status> StreamProducer::flush(http::BodyWriter& writer) {
    const std::string bytes = std::exchange(pending_, {});
    co_return co_await writer.write(bytes);
}

}  // namespace evalfleet::simulator
