#pragma once

#include "common/async/blocking_pool.hpp"
#include "common/async/clock.hpp"
#include "common/http/client.hpp"
#include "common/providers/auth_config.hpp"
#include "worker/auth/credential.hpp"
#include "worker/providers/key_keeper.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>

namespace evalfleet::worker {

/// What it takes to get a credential. All of it outlives the call.
struct AuthTools {
    http::Client& client;
    async::Clock& clock;
    async::BlockingPool& pool;
};

/// Where credentials come from that do not last. One for each kind of `auth`.
class TokenSource {
  public:
    TokenSource() = default;
    TokenSource(const TokenSource&) = delete;
    TokenSource& operator=(const TokenSource&) = delete;
    virtual ~TokenSource() = default;

    /// A new one. Errors: `denied` or `invalid` (asking again gives the same), others may pass. No
    /// error holds a secret.
    [[nodiscard]] virtual boost::asio::awaitable<Result<Credential>> fetch(
        AuthTools tools, async::TimePoint deadline) = 0;
};

/// The secrets that an `auth` refers to, by member; null where there is none.
struct AuthSecrets {
    std::shared_ptr<KeyKeeper> client_secret;
    std::shared_ptr<KeyKeeper> access_key_id;
    std::shared_ptr<KeyKeeper> secret_access_key;
    std::shared_ptr<KeyKeeper> session_token;
};

/// The source that an `auth` describes.
[[nodiscard]] std::unique_ptr<TokenSource> make_token_source(providers::AuthConfig auth,
                                                             AuthSecrets secrets);

}  // namespace evalfleet::worker
