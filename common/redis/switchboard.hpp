#pragma once

#include "common/async/clock.hpp"
#include "common/redis/call.hpp"
#include "common/redis/metrics.hpp"
#include "common/redis/multiplexer.hpp"
#include "common/redis/state.hpp"
#include "common/redis/wakeup.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>
#include <unordered_map>
#include <vector>

namespace evalfleet::redis {

/// Joins the calls of many coroutines with the multiplexer that orders them: takes calls in, tells
/// the writer that there is work, and gives every caller exactly one outcome. All functions run on
/// the client's strand.
class Switchboard {
  public:
    Switchboard(const boost::asio::any_io_executor& strand, async::Clock& clock,
                const StateBoard& state, MetricsCounter& metrics, Multiplexer::Limits limits);

    /// Takes a call in, or completes it at once with the reason why not.
    void submit(std::shared_ptr<Call> call);

    /// The caller went away. Nothing happens if the call is over already.
    void abandon(const std::shared_ptr<Call>& call);

    /// Queues a request that nobody waits for; no matter if there is no room for it.
    void submit_unattended(std::string wire);

    /// While paused, requests stay in the queue. Calls are taken in all the same.
    void pause_writing() noexcept { is_paused_ = true; }
    void resume_writing();

    /// Waits until there is something to write and puts it into `wire`.
    [[nodiscard]] boost::asio::awaitable<void> next_batch(std::string& wire);

    /// Gives a reply to whom it belongs. `invalid` if nobody asked for it.
    [[nodiscard]] Status on_reply(Reply reply);
    void on_disconnect(const Error& cause);

    /// Ends calls whose deadline passed; never returns. Cancelled: throws operation_aborted.
    [[nodiscard]] boost::asio::awaitable<void> watch_deadlines();

    /// Fails everything pending and everything to come as `cancelled`.
    void close();

    [[nodiscard]] std::size_t count_unanswered() const noexcept {
        return multiplexer_.count_unanswered();
    }

  private:
    void finish(Multiplexer::Finished finished);
    void finish_all(std::vector<Multiplexer::Finished> finished);
    void fail(Call& call, Error error);
    [[nodiscard]] Error explain_timeout(Error error) const;

    async::Clock& clock_;
    const StateBoard& state_;
    MetricsCounter& metrics_;
    Multiplexer multiplexer_;
    std::unordered_map<Multiplexer::Id, std::shared_ptr<Call>> calls_;
    Wakeup writable_;
    Wakeup deadline_moved_;
    async::TimePoint armed_ = async::kNever;  // what watch_deadlines waits for
    bool is_paused_ = false;
    bool is_closed_ = false;
};

}  // namespace evalfleet::redis
