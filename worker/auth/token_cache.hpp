#pragma once

#include "common/async/semaphore.hpp"
#include "common/redaction/secrets.hpp"
#include "worker/auth/token_source.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>

namespace evalfleet::worker {

/// How long before its end a token is replaced: a tenth of its life, at most five minutes.
[[nodiscard]] std::chrono::system_clock::duration renewal_margin(
    std::chrono::system_clock::duration lifetime);

/// Keeps the credential of one provider and gets a new one in time.
///
/// - One caller at a time asks the source. While it does, others go on with the old credential as
///   long as that is good, and wait for the new one otherwise.
/// - After a failure the source is left alone for a second (ten if it refused us): a thousand
///   callers that wait must not become a thousand requests.
/// - A credential that the provider refuses is replaced, at most every ten seconds.
///
/// Every secret is among those that redactors know before anybody gets it from here. Safe to use
/// from any thread.
class TokenCache {
  public:
    TokenCache(std::unique_ptr<TokenSource> source, std::shared_ptr<redaction::Secrets> secrets)
        : source_(std::move(source)), secrets_(std::move(secrets)) {}

    /// The credential now. Errors as those of the source.
    [[nodiscard]] boost::asio::awaitable<Result<Credential>> current(AuthTools tools,
                                                                     async::TimePoint deadline);

    /// The provider refused `used`. True if there is, or may be, another one now.
    [[nodiscard]] bool renew(const Credential& used, async::TimePoint now);

  private:
    [[nodiscard]] std::optional<Result<Credential>> at_hand(AuthTools& tools, bool may_be_due);
    [[nodiscard]] boost::asio::awaitable<Result<Credential>> fetch(AuthTools tools,
                                                                   async::TimePoint deadline);
    void adopt(const Credential& credential, std::chrono::system_clock::time_point now);
    void keep_secret(const Credential& credential);

    std::unique_ptr<TokenSource> source_;
    std::shared_ptr<redaction::Secrets> secrets_;
    async::Semaphore asking_{1};
    std::mutex mutex_;  // guards the members below
    std::optional<Credential> held_;
    std::vector<std::string> known_;  // to the redactors
    std::chrono::system_clock::time_point due_{};
    std::optional<Error> failure_;
    async::TimePoint failed_until_{};
    async::TimePoint renewed_{};
    bool was_renewed_ = false;
};

}  // namespace evalfleet::worker
