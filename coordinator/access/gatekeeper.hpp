#pragma once

#include "common/async/clock.hpp"
#include "common/http/reply.hpp"
#include "common/http/request_context.hpp"
#include "coordinator/access/rate_limiter.hpp"
#include "coordinator/access/role.hpp"
#include "coordinator/access/session_book.hpp"
#include "coordinator/access/token_keeper.hpp"

#include <optional>
#include <string>

namespace evalfleet::access {

/// Decides who may do what: by token and role, by rate, by where a browser's request comes from. A
/// browser shows the cookie of a session in place of a token, and with every change what its page
/// alone knows (`X-CSRF-Token`).
///
/// Who shows a token that is known is counted by it alone: behind a proxy all callers have one
/// address, and what others send from there must not lock him out. docs/security.md has the
/// reasons.
///
/// Must be used on one thread.
class Gatekeeper {
  public:
    struct Config {
        RateLimiter::Config per_token{100, 200};
        RateLimiter::Config per_address{500, 1000};  ///< of requests without a token that is known
        RateLimiter::Config failures{1, 20};         ///< wrong tokens, by address
        SessionBook::Config sessions{};
    };

    /// Who was let in, or what those are told who were not.
    struct Admission {
        Identity caller;
        std::optional<http::Reply> refusal;
    };

    /// `tokens` may be null: then everybody who reaches us is let in as "local", and must be on
    /// this machine. It and `clock` must outlive the gatekeeper.
    Gatekeeper(Config config, const TokenKeeper* tokens, async::Clock& clock);

    /// `required`: the least role; none: open to all.
    [[nodiscard]] Admission admit(const http::RequestContext& request,
                                  std::optional<Role> required);

    /// A session that was opened, and what its cookie shall hold.
    struct SignIn {
        Identity caller{};
        std::string session_id{};
        std::string csrf{};
        std::chrono::seconds lifetime{};
        std::optional<http::Reply> refusal{};
    };

    /// Opens a session for who shows a token that is known. Wrong ones are counted as in `admit`.
    [[nodiscard]] SignIn sign_in(std::string_view token, const std::string& peer);

    /// Ends the session of a request, if it has one.
    void sign_out(const http::RequestContext& request);

    /// The session of a request whose token is still known; null: it has none. Good until the next
    /// call.
    [[nodiscard]] const SessionBook::Session* session_of(const http::RequestContext& request);

    [[nodiscard]] bool has_tokens() const noexcept { return tokens_ != nullptr; }

  private:
    [[nodiscard]] std::optional<http::Reply> check_site(const http::RequestContext& request) const;
    [[nodiscard]] std::optional<Identity> identify(std::string_view token) const;
    [[nodiscard]] Admission admit_known(const http::RequestContext& request, Identity caller,
                                        const SessionBook::Session* session,
                                        std::optional<Role> required);
    [[nodiscard]] Admission admit_unknown(const std::string& peer, bool had_token,
                                          std::optional<Role> required);

    RateLimiter per_token_;
    RateLimiter per_address_;
    RateLimiter failures_;
    SessionBook sessions_;
    const TokenKeeper* tokens_;
    async::Clock& clock_;
};

/// What counts as one address: an IPv4 address, or the 64 bits of an IPv6 network, within which
/// anybody can have as many addresses as he likes.
[[nodiscard]] std::string network_of(const std::string& peer);

/// The token of an `Authorization: Bearer` header; empty if there is none.
[[nodiscard]] std::string_view bearer_token(const http::Headers& headers);

}  // namespace evalfleet::access
