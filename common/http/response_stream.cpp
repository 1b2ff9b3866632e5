#include "common/http/response_stream.hpp"

#include "common/http/exchange.hpp"

#include <utility>

namespace evalfleet::http {

namespace asio = boost::asio;

ResponseStream::ResponseStream() noexcept = default;
ResponseStream::ResponseStream(std::unique_ptr<Exchange> exchange) noexcept
    : exchange_(std::move(exchange)) {}
ResponseStream::ResponseStream(ResponseStream&&) noexcept = default;
ResponseStream& ResponseStream::operator=(ResponseStream&&) noexcept = default;
ResponseStream::~ResponseStream() = default;

int ResponseStream::status() const {
    return exchange_->head().status;
}

const Headers& ResponseStream::headers() const {
    return exchange_->head().headers;
}

const Timings& ResponseStream::timings() const {
    return exchange_->timings();
}

asio::awaitable<Result<std::optional<std::string>>> ResponseStream::read() {
    return exchange_->read_part();
}

asio::awaitable<Result<std::string>> ResponseStream::read_all() {
    return exchange_->read_rest();
}

}  // namespace evalfleet::http
