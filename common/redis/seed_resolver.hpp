#pragma once

#include "common/async/clock.hpp"
#include "common/redis/config.hpp"
#include "common/redis/endpoint_resolver.hpp"
#include "common/result/result.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <memory>

namespace evalfleet::redis {

/// Asks sentinels or cluster nodes, one after the other, which server to connect to. The one that
/// answered is asked first the next time. Each gets a part of the connect timeout, so that one that
/// swallows packets does not hide the others.
class SeedResolver final : public EndpointResolver {
  public:
    /// `config.discovery` must be set.
    SeedResolver(async::Clock& clock, const Config& config);

    /// `transient`, with what each of them said, if no seed knows.
    [[nodiscard]] boost::asio::awaitable<Result<Endpoint>> resolve() override;

  private:
    [[nodiscard]] boost::asio::awaitable<Result<Endpoint>> ask(const Endpoint& seed);

    async::Clock& clock_;
    Discovery discovery_;
    Config seed_config_;  // how a seed is talked to
    std::chrono::milliseconds patience_;
    std::size_t first_ = 0;
};

/// The resolver that a configuration asks for.
[[nodiscard]] std::unique_ptr<EndpointResolver> make_resolver(async::Clock& clock,
                                                              const Config& config);

}  // namespace evalfleet::redis
