#pragma once

#include "common/async/clock.hpp"
#include "common/http/name_lookup.hpp"
#include "common/result/result.hpp"

#include <boost/asio/awaitable.hpp>
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
/// the same name at once share one question; and an answer is kept for as long as its name server
/// allows, so that a thousand new connections to one host ask once.
///
/// Safe to use from any thread.
class Resolver {
  public:
    /// Blocks; runs on a thread of the resolver.
    using Lookup = std::function<Result<NameAnswer>(const std::string& host)>;

    struct Config {
        std::size_t threads = 4;
        std::chrono::seconds keep_for{30};      ///< where no ttl is told
        std::chrono::seconds keep_at_least{1};  ///< whatever the ttl is
        std::chrono::seconds keep_at_most{std::chrono::hours(24)};
        std::size_t max_names = 1024;  ///< kept at most
    };

    Resolver(async::Clock& clock, Config config, Lookup lookup);
    /// Waits for the questions that are under way: whoever made `lookup` ends them.
    ~Resolver();

    /// IPv6 and IPv4 addresses by turns (RFC 8305); an address written out is its own answer.
    /// Errors: transient (no answer), not_found. Cancelled: throws operation_aborted; the question
    /// goes on for those who still wait.
    [[nodiscard]] boost::asio::awaitable<Result<Addresses>> resolve(std::string host);

    /// What was known of a name was of no use: it is asked for anew. A question that is under way
    /// goes on.
    void forget(const std::string& host);

  private:
    struct Question;

    [[nodiscard]] std::shared_ptr<Question> ask(const std::string& host,
                                                const std::shared_ptr<async::Waiter>& waiter);
    void answer(Question& question, Result<NameAnswer> answer);
    [[nodiscard]] std::chrono::seconds life_of(const Result<NameAnswer>& answer) const;
    void forget_old(async::TimePoint now);

    async::Clock& clock_;
    Config config_;
    Lookup lookup_;
    std::mutex mutex_;  // guards questions_ and what is in them
    std::map<std::string, std::shared_ptr<Question>> questions_;
    boost::asio::thread_pool threads_;
};

}  // namespace evalfleet::http
