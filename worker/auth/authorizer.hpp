#pragma once

#include "common/aws/sigv4.hpp"
#include "worker/auth/token_cache.hpp"
#include "worker/providers/key_keeper.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace evalfleet::worker {

/// A header that requests carry besides their own.
struct OutgoingHeader {
    std::string name;
    std::string value;                  ///< or what stands before the secret
    std::shared_ptr<KeyKeeper> secret;  ///< null: there is none
};

/// Puts on a request what lets it in, at the moment at which it is sent: keys and tokens may have
/// changed while it waited. Safe to use from any thread.
class Authorizer {
  public:
    /// How a fixed key is sent; `name` is empty if the protocol has no place for it.
    struct KeyHeader {
        std::string name;
        std::string prefix;
    };

    struct Config {
        KeyHeader key_header;
        std::shared_ptr<KeyKeeper> key;       ///< never null; may hold no key
        std::shared_ptr<TokenCache> tokens;   ///< null: the key it is
        std::optional<aws::Scope> aws;        ///< tokens are AWS's: requests are signed
        std::vector<OutgoingHeader> headers;  ///< of the operator's
    };

    explicit Authorizer(Config config);

    /// What was put on a request.
    struct Badge {
        Credential credential;
        std::vector<std::string> secrets;  ///< of the operator's headers
    };

    /// Adds the operator's headers and what lets the request in. Errors as those of tokens.
    [[nodiscard]] boost::asio::awaitable<Result<Badge>> authorize(http::Request& request,
                                                                  AuthTools tools,
                                                                  async::TimePoint deadline) const;

    /// The provider did not accept the badge. Looks at files again at once; true if a request with
    /// a new badge may do better.
    [[nodiscard]] boost::asio::awaitable<bool> renew(Badge used, AuthTools tools) const;

  private:
    [[nodiscard]] Badge blocking_read(async::TimePoint now) const;
    [[nodiscard]] bool blocking_reread(const Badge& used) const;

    Config config_;
    bool may_block_ = false;  // there are files to look at
};

}  // namespace evalfleet::worker
