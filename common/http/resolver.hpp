#pragma once

#include "common/async/clock.hpp"
#include "common/result/result.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/thread_pool.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace evalfleet::async {
class Waiter;
}

namespace evalfleet::http {

/// Looks host names up without ever holding a caller longer than he wants to wait.
///
/// Asio's own resolver asks on one thread, one name after the other, and cannot give up a question
/// that it has begun. Here a caller waits on the answer, not on the thread; callers that ask for
/// the same name at once share one question; and an answer is kept for a while, so that a thousand
/// new connections to one host ask once.
///
/// Safe to use from any thread.
class Resolver {
  public:
    using Addresses = std::vector<boost::asio::ip::address>;
    /// Blocks; runs on a thread of the resolver.
    using Lookup = std::function<Result<Addresses>(const std::string& host)>;

    struct Config {
        std::size_t threads = 2;
        std::chrono::seconds keep_for{30};  ///< how long an answer is used again
        std::size_t max_names = 1024;       ///< kept at most
    };

    Resolver(async::Clock& clock, Config config, Lookup lookup = blocking_lookup);
    ~Resolver();

    /// IPv6 and IPv4 addresses by turns (RFC 8305); an address written out is its own answer.
    /// Errors: transient (no answer), not_found. Cancelled: throws operation_aborted; the question
    /// goes on for those who still wait.
    [[nodiscard]] boost::asio::awaitable<Result<Addresses>> resolve(std::string host);

    /// Asks the system.
    [[nodiscard]] static Result<Addresses> blocking_lookup(const std::string& host);

  private:
    struct Question;

    [[nodiscard]] std::shared_ptr<Question> ask(const std::string& host,
                                                const std::shared_ptr<async::Waiter>& waiter);
    void answer(Question& question, Result<Addresses> answer);
    void forget_old(async::TimePoint now);

    async::Clock& clock_;
    Config config_;
    Lookup lookup_;
    std::mutex mutex_;  // guards questions_ and what is in them
    std::map<std::string, std::shared_ptr<Question>> questions_;
    boost::asio::thread_pool threads_;
};

}  // namespace evalfleet::http
