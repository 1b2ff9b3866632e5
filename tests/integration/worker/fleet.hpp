#pragma once

#include "common/job/setback.hpp"
#include "common/job/trial_record.hpp"
#include "common/queue/permit_queue.hpp"
#include "common/queue/pool_queue.hpp"
#include "common/queue/run_queue.hpp"
#include "common/queue/worker_roster.hpp"
#include "tests/integration/worker/model_server.hpp"
#include "tests/integration/worker/worker_process.hpp"
#include "tests/support/redis_server.hpp"
#include "tests/support/temporary_folder.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace evalfleet::worker {

inline constexpr std::string_view kTestKey = "key-of-the-test-0123456789";

/// Blocks until `condition()` holds, asking again and again; false if that takes a minute. For what
/// sends no signal.
[[nodiscard]] bool blocking_eventually(const std::function<bool()>& condition);

/// A real redis-server, a scripted model and the part of the coordinator in one run `r1`: it
/// enqueues jobs and reads results. Workers are started by the tests. The first failure of a trial
/// is its record, unless `spec_members` has limits with a `give_up_after_ms`.
class Fleet {
  public:
    explicit Fleet(ModelServer::Script script, const std::string& spec_members = "");
    Fleet(const Fleet&) = delete;
    Fleet& operator=(const Fleet&) = delete;
    ~Fleet();

    [[nodiscard]] ModelServer& models() { return models_; }
    [[nodiscard]] testing::RedisServer& redis() { return redis_; }
    [[nodiscard]] const testing::TemporaryFolder& folder() const { return folder_; }

    /// Writes a providers file, into the fleet's folder, with one provider; without `url` it is the
    /// fleet's model. `members`: its other members, as JSON.
    void write_provider(const std::string& members, const std::string& file = "providers.json",
                        const std::string& name = "main", const std::string& url = "") const;

    /// Arguments of a worker of this fleet with that providers file, and `more`.
    [[nodiscard]] std::vector<std::string> arguments(
        std::vector<std::string> more = {}, const std::string& providers = "providers.json") const;
    [[nodiscard]] std::unique_ptr<WorkerProcess> start_worker(
        std::vector<std::string> more = {}, const std::string& providers = "providers.json");

    /// Puts a job into the queue.
    void enqueue(std::uint64_t index, std::string payload = R"({"id": "q1", "task": "Why?"})");
    /// Blocks for the next result, which is then acknowledged; throws if none comes in a minute.
    [[nodiscard]] queue::RunResult blocking_next_result();
    /// The next record, which must be the next result but for notes; those are kept.
    [[nodiscard]] job::TrialRecord blocking_next_record();
    /// What was in the way of trials, as workers told before the records that were read.
    [[nodiscard]] const std::vector<job::Setback>& notes() const { return notes_; }
    /// Results that wait now.
    [[nodiscard]] std::size_t count_results();
    [[nodiscard]] queue::PoolStats stats();
    /// What Redis counts of the providers' limits.
    [[nodiscard]] std::vector<queue::LimitStats> limits();
    /// The workers that are alive, with what they say of themselves.
    [[nodiscard]] std::vector<queue::WorkerSighting> workers();
    void cancel_run();
    void pause_run();
    void own_run();
    /// What workers must know of the run gets lost.
    void forget_spec();

  private:
    template <class T>
    T await(boost::asio::awaitable<Result<T>> operation) {
        return boost::asio::co_spawn(context_, std::move(operation), boost::asio::use_future)
            .get()
            .value();
    }
    [[nodiscard]] async::TimePoint soon() const;

    testing::RedisServer redis_;
    testing::TemporaryFolder folder_;
    ModelServer models_;
    std::string spec_;
    boost::asio::io_context context_{1};
    async::SystemClock clock_;
    redis::Client client_;
    redis::Client blocking_;
    redis::FunctionLibrary functions_;
    queue::RunQueue run_;
    queue::PoolQueue pool_;
    queue::PermitQueue permits_;
    queue::WorkerRoster roster_;
    std::vector<job::Setback> notes_;
    std::thread thread_;
};

}  // namespace evalfleet::worker
