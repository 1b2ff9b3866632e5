#include "tests/integration/redis/scenario.hpp"
#include "tests/support/redis_server.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace evalfleet::redis {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using testing::RedisServer;

/// What may become of a command. None of them is somebody else's reply.
struct Tally {
    std::atomic<int> answered = 0;
    std::atomic<int> timed_out = 0;
    std::atomic<int> lost = 0;
    std::atomic<int> aborted = 0;
    std::atomic<int> mismatched = 0;
};

void count(Tally& tally, const Error& error) {
    switch (error.kind) {
        case ErrorKind::timeout:
            ++tally.timed_out;
            break;
        case ErrorKind::transient:
            ++tally.lost;
            break;
        default:
            ADD_FAILURE() << error.message;
    }
}

/// One command of a random kind, with a random deadline. Each has a text of its own.
asio::awaitable<void> ask(Client& client, std::string text, unsigned dice, Tally& tally) {
    const async::TimePoint deadline =
        dice % 4 == 0 ? in(std::chrono::milliseconds(dice % 7)) : soon();
    if (dice % 5 == 0) {
        std::vector<Command> commands;
        for (const char* part : {"a", "b", "c"})
            commands.emplace_back("ECHO", text + part);
        const auto replies = co_await client.pipeline(std::move(commands), deadline);
        if (!replies) co_return count(tally, replies.error());
        const bool fits = replies->size() == 3 && replies->at(0).text() == text + "a" &&
                          replies->at(1).text() == text + "b" &&
                          replies->at(2).text() == text + "c";
        ++(fits ? tally.answered : tally.mismatched);
        co_return;
    }
    if (dice % 11 == 0) text += std::string(dice % 50'000, 'x');
    const auto reply = co_await client.execute(Command("ECHO", text), deadline);
    if (!reply) co_return count(tally, reply.error());
    ++(reply->text() == text ? tally.answered : tally.mismatched);
}

/// A caller on a strand of his own, who issues commands in bursts and cancels some of them.
class Caller {
  public:
    Caller(asio::any_io_executor executor, Client& client, async::Clock& clock, Tally& tally,
           unsigned seed)
        : strand_(asio::make_strand(executor)),
          client_(client),
          clock_(clock),
          tally_(tally),
          random_(seed),
          seed_(seed) {}

    asio::awaitable<void> run(int bursts) {
        for (int burst = 0; burst < bursts; ++burst) {
            for (auto& signal : signals_)
                start(signal, burst);
            co_await clock_.wait_for(std::chrono::microseconds(random_() % 3000));
            for (auto& signal : signals_)
                if (random_() % 6 == 0) signal.emit(asio::cancellation_type::terminal);
            while (running_ > 0)
                co_await clock_.wait_for(200us);
        }
    }

    asio::any_io_executor executor() const { return strand_; }

  private:
    void start(asio::cancellation_signal& signal, int burst) {
        const std::string text = std::to_string(seed_) + ":" + std::to_string(burst) + ":" +
                                 std::to_string(next_++) + ":";
        ++running_;
        asio::co_spawn(
            strand_, ask(client_, text, static_cast<unsigned>(random_()), tally_),
            asio::bind_cancellation_slot(signal.slot(), [this](const std::exception_ptr& failure) {
                --running_;
                if (failure) ++tally_.aborted;
            }));
    }

    asio::any_io_executor strand_;
    Client& client_;
    async::Clock& clock_;
    Tally& tally_;
    std::mt19937 random_;
    unsigned seed_;
    int next_ = 0;
    int running_ = 0;
    std::array<asio::cancellation_signal, 20> signals_;
};

/// Cuts all connections but its own, again and again, until `running` is 0.
asio::awaitable<void> cut(Client& client, async::Clock& clock, const std::atomic<int>& running,
                          unsigned seed) {
    std::mt19937 random(seed);
    while (running > 0) {
        co_await clock.wait_for(std::chrono::microseconds(random() % 20'000));
        (co_await client.execute(Command("CLIENT", "KILL", "TYPE", "normal"), soon())).value();
    }
}

void play_history(unsigned seed, Tally& tally) {
    RedisServer server;
    async::SystemClock clock;
    asio::thread_pool pool(3);
    const auto strand = asio::make_strand(pool.get_executor());
    Client client(pool.get_executor(), clock, quick_config(server.url()));
    Client cutter(pool.get_executor(), clock, quick_config(server.url()));
    asio::cancellation_signal stop_client;
    asio::cancellation_signal stop_cutter;
    auto ignore = [](const std::exception_ptr&) {};
    asio::co_spawn(strand, client.run(), asio::bind_cancellation_slot(stop_client.slot(), ignore));
    asio::co_spawn(strand, cutter.run(), asio::bind_cancellation_slot(stop_cutter.slot(), ignore));

    constexpr int kCallers = 4;
    std::atomic<int> running = kCallers;
    std::vector<std::unique_ptr<Caller>> callers;
    for (unsigned i = 0; i < kCallers; ++i) {
        const auto& caller = callers.emplace_back(
            std::make_unique<Caller>(pool.get_executor(), client, clock, tally, seed * 100 + i));
        asio::co_spawn(caller->executor(), caller->run(40), [&](const std::exception_ptr& failure) {
            EXPECT_FALSE(failure);
            --running;
        });
    }
    asio::co_spawn(strand, cut(cutter, clock, running, seed),
                   [&](const std::exception_ptr& failure) {
                       EXPECT_FALSE(failure);
                       asio::post(strand, [&] {
                           stop_client.emit(asio::cancellation_type::terminal);
                           stop_cutter.emit(asio::cancellation_type::terminal);
                       });
                   });
    pool.join();
}

TEST(Interleaving, NeverGivesAReplyToSomebodyElse) {
    Tally tally;
    for (unsigned seed = 1; seed <= 3; ++seed)
        play_history(seed, tally);
    EXPECT_EQ(tally.mismatched, 0);
    // The test is worth something only if all of this happened.
    EXPECT_GT(tally.answered, 1000);
    EXPECT_GT(tally.aborted, 0);
    EXPECT_GT(tally.timed_out, 0);
    EXPECT_GT(tally.lost, 0);
    EXPECT_EQ(tally.answered + tally.aborted + tally.timed_out + tally.lost, 3 * 4 * 40 * 20);
}

}  // namespace
}  // namespace evalfleet::redis
