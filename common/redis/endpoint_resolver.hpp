#pragma once

#include "common/redis/config.hpp"
#include "common/result/result.hpp"

#include <boost/asio/awaitable.hpp>

#include <utility>

namespace evalfleet::redis {

/// Which server to connect to, asked before every attempt.
class EndpointResolver {
  public:
    EndpointResolver() = default;
    EndpointResolver(const EndpointResolver&) = delete;
    EndpointResolver& operator=(const EndpointResolver&) = delete;
    virtual ~EndpointResolver() = default;

    /// Awaited on the client's strand, within its connect timeout. Cancelled: throws
    /// operation_aborted.
    [[nodiscard]] virtual boost::asio::awaitable<Result<Endpoint>> resolve() = 0;
};

/// Always the same server.
class FixedEndpoint final : public EndpointResolver {
  public:
    explicit FixedEndpoint(Endpoint endpoint) : endpoint_(std::move(endpoint)) {}
    [[nodiscard]] boost::asio::awaitable<Result<Endpoint>> resolve() override {
        co_return endpoint_;
    }

  private:
    Endpoint endpoint_;
};

}  // namespace evalfleet::redis
