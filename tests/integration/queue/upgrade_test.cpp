#include "common/queue/decode.hpp"
#include "tests/integration/queue/queue_scenario.hpp"

#include <fstream>
#include <sstream>

/// A rolling upgrade: programs of two versions use one Redis, whose library and data one of them
/// made.
namespace evalfleet::queue {
namespace {

namespace asio = boost::asio;
using ::testing::HasSubstr;

redis::LibraryText version_4() {
    std::ifstream file(EVALFLEET_TEST_DATA_DIR "/integration/queue/functions_4.lua");
    std::ostringstream text;
    text << file.rdbuf();
    return redis::parse_library(text.str()).value();
}

/// What a worker of version 4 sends.
class OldWorker {
  public:
    explicit OldWorker(Queues& queues) : queues_(queues), functions_(queues.client, version_4()) {}

    asio::awaitable<Result<redis::Reply>> call(std::string function,
                                               std::vector<std::string> arguments) {
        std::vector<std::string> keys{queues_.keys.base()};
        co_return co_await functions_.call("ef1_" + function, std::move(keys), std::move(arguments),
                                           soon());
    }
    asio::awaitable<Taken> take(std::size_t count) {
        std::vector<std::string> arguments{"old", std::to_string(count), "30000", "main judge"};
        const auto reply = co_await call("take", std::move(arguments));
        co_return decode_taken(reply.value()).value();
    }
    asio::awaitable<Delivery> done(JobRef job) {
        std::vector<std::string> arguments{
            job.run, std::to_string(job.index), std::to_string(job.attempt), "{}", "0", "0"};
        const auto reply = co_await call("done", std::move(arguments));
        std::vector<redis::Reply> words{reply.value()};
        co_return decode_deliveries(redis::Reply::array(std::move(words)), 1).value().front();
    }
    redis::FunctionLibrary& functions() { return functions_; }

  private:
    Queues& queues_;
    redis::FunctionLibrary functions_;
};

TEST(Upgrade, WhatTheOldLibraryStoredGoesOnUnderTheNewOne) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        OldWorker old(queues);
        EXPECT_EQ((co_await old.functions().ensure_loaded(soon())).value(), 4);
        RunQueue run = queues.run("r");
        co_await open_run(run, 4);
        const Taken taken = co_await old.take(3);
        EXPECT_EQ(taken.jobs.size(), 3U);
        std::vector<std::string> later{"old", "r", "1", "1", "1", "5", "past", "note"};
        EXPECT_TRUE(co_await old.call("setback", std::move(later)));

        EXPECT_GT((co_await queues.functions.ensure_loaded(soon())).value(), 4);
        EXPECT_EQ(co_await old.done(taken.jobs[0].ref), Delivery::finished);
        WorkerQueue fresh = queues.worker("new");
        std::vector<JobRef> theirs{taken.jobs[2].ref};
        EXPECT_EQ((co_await fresh.beat(theirs, kLease, soon())).value().at(0), Beat::lost)
            << "it is still the old worker's";
        std::vector<std::uint64_t> seen;
        while (seen.size() < 2)
            for (const TakenJob& job :
                 (co_await fresh.take(9, kLease, kProviders, soon())).value().jobs)
                seen.push_back(job.ref.index);
        EXPECT_THAT(seen, ::testing::UnorderedElementsAre(1U, 3U));
        EXPECT_EQ(co_await old.done(taken.jobs[2].ref), Delivery::finished);
    });
}

TEST(Upgrade, AnOldWorkerWorksWithTheNewLibraryAndLeavesItInPlace) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 2);
        OldWorker old(queues);
        const auto version = (co_await old.functions().ensure_loaded(soon())).value();
        EXPECT_EQ(version, queues.functions.version());
        const Taken taken = co_await old.take(1);
        std::vector<std::string> beat{"old", "30000", "r", "0", "1"};
        const auto held = co_await old.call("beat", std::move(beat));
        EXPECT_EQ(decode_beats(held.value(), 1).value().at(0), Beat::held);
        EXPECT_EQ(co_await old.done(taken.jobs.at(0).ref), Delivery::finished);
        constexpr std::chrono::milliseconds kPatience{1};
        EXPECT_EQ((co_await run.results(queues.client, 9, kPatience, soon())).value().size(), 1U);
        WorkerQueue fresh = queues.worker("new");
        EXPECT_EQ((co_await fresh.take(9, kLease, kProviders, soon())).value().jobs.size(), 1U);
    });
}

// A Redis that went back to a snapshot has the library of that time, too.
TEST(Upgrade, ANewProgramThatFindsTheOldLibraryBringsItsOwn) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        OldWorker old(queues);
        (co_await old.functions().ensure_loaded(soon())).value();
        RunQueue run = queues.run("r");
        co_await open_run(run, 1);
        const std::vector<std::uint64_t> all{0};
        EXPECT_EQ((co_await run.unheld(all, soon())).value().size(), 1U)
            << "version 4 has no such function";
        EXPECT_EQ((co_await old.functions().ensure_loaded(soon())).value(),
                  queues.functions.version());
    });
}

// The next break: its functions have other names, so that nobody misunderstands them.
TEST(Upgrade, AProgramThatIsTooOldSaysSoAndTakesNothing) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        RunQueue run = queues.run("r");
        co_await open_run(run, 1);
        const std::string code =
            "#!lua name=evalfleet\n-- version: 99\n-- serves: 98\n"
            "redis.register_function('ef2_take', function() return {} end)\n";
        redis::FunctionLibrary future(queues.client, redis::parse_library(code).value());
        (co_await future.ensure_loaded(soon())).value();
        WorkerQueue worker = queues.worker("w");
        const auto taken = co_await worker.take(1, kLease, kProviders, soon());
        EXPECT_EQ(taken.error().kind, ErrorKind::denied);
        EXPECT_THAT(taken.error().message, HasSubstr("version 99"));
        EXPECT_THAT(taken.error().message, HasSubstr("upgrade it"));
        const std::vector<std::string> none;
        EXPECT_TRUE(co_await future.call("ef2_take", none, none, soon())) << "it is still there";
    });
}

}  // namespace
}  // namespace evalfleet::queue
