#pragma once

#include "common/result/result.hpp"

#include <boost/asio/ip/address.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace evalfleet::http {

using Addresses = std::vector<boost::asio::ip::address>;

/// What is known of a host's name.
struct NameAnswer {
    Addresses addresses;  ///< in the order in which they should be tried; never empty
    /// How long the name server allows to use them again; none: it was not asked.
    std::optional<std::chrono::seconds> ttl{};
};

/// Looks names up as the system is set up to do it (/etc/hosts, /etc/resolv.conf), and tells how
/// long an answer is good for, which getaddrinfo does not. A name that neither has is asked of the
/// system, which may know it from elsewhere (/etc/nsswitch.conf).
///
/// A question to name servers takes at most 20 seconds, and ends at once with `stop`; one to the
/// system takes as long as that likes. Safe to use from any thread.
class NameLookup {
  public:
    /// `servers` ("host:port,host:port") are asked instead of the system's if there are any; the
    /// system then knows nothing else. Throws std::system_error if there is no descriptor left.
    explicit NameLookup(std::string servers = {});
    NameLookup(const NameLookup&) = delete;
    NameLookup& operator=(const NameLookup&) = delete;
    ~NameLookup();

    /// Blocks. Errors: not_found (no such name, or no address of it), transient (no answer).
    [[nodiscard]] Result<NameAnswer> blocking_ask(const std::string& host) const;

    /// Ends all questions, and those to come.
    void stop() noexcept;

  private:
    std::string servers_;
    int stopped_;  // an eventfd, which can be read once they should end
};

/// Asks the system. Blocks, for as long as that takes; tells no ttl. Errors: as `blocking_ask`.
[[nodiscard]] Result<NameAnswer> blocking_ask_system(const std::string& host);

}  // namespace evalfleet::http
