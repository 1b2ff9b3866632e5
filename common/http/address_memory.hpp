#pragma once

#include "common/async/clock.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

namespace evalfleet::http {

/// Which addresses were of no use lately, so that the next connection does not
/// begin with them. Safe to use from any thread.
class AddressMemory {
  public:
    using Endpoint = boost::asio::ip::tcp::endpoint;

    static constexpr std::chrono::minutes kKeepFor{10};
    static constexpr std::size_t kMaxAddresses = 1024;

    void note_bad(const Endpoint& endpoint, async::TimePoint now);
    void note_good(const Endpoint& endpoint);

    /// The same, those of no use behind the others; otherwise in the order in
    /// which they came.
    [[nodiscard]] std::vector<Endpoint> sort(std::vector<Endpoint> endpoints, async::TimePoint now);

  private:
    std::mutex mutex_;                          // guards bad_
    std::map<Endpoint, async::TimePoint> bad_;  // until when
};

}  // namespace evalfleet::http
