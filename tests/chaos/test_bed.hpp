#pragma once

#include "tests/chaos/checks.hpp"
#include "tests/support/fault_proxy.hpp"
#include "tests/support/fleet.hpp"
#include "tests/support/redis_pair.hpp"

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::chaos {

using testing::FaultProxy;
using testing::Fleet;

/// What is done with a run while its trials go on.
enum class Steering { plain, paused, cancelled, deleted, early_stop, budget };
inline constexpr std::array kSteerings{Steering::plain,   Steering::paused,     Steering::cancelled,
                                       Steering::deleted, Steering::early_stop, Steering::budget};
[[nodiscard]] const char* to_string(Steering steering);

/// The ways between programs, each with a proxy on it.
enum class Way { coordinator_redis, worker_redis, worker_provider, client_api };
inline constexpr std::array<std::string_view, 4> kWayNames{"coordinator-redis", "worker-redis",
                                                           "worker-provider", "client-api"};

struct TestBedOptions {
    enum class Redis { one, sentinel, cluster };
    Redis redis = Redis::one;
    bool large_payloads = false;  ///< tasks and answers of some 200 KB, a window of 4 MiB
};

/// A fleet into which faults are injected: its programs, the proxies between them, its runs, and
/// what can be observed of all that. Runs are handed in and steered over the proxy of the API, as a
/// client does that tries again until it is answered; what is observed is observed directly.
class TestBed {
  public:
    static constexpr std::size_t kWorkers = 3;
    static constexpr std::size_t kSlotsOfWorker = 4;
    static constexpr std::size_t kSlots = kWorkers * kSlotsOfWorker;
    static constexpr std::size_t kWindow = 60;  ///< jobs of a run that are out in Redis at most
    static constexpr std::size_t kRepeats = 10;

    explicit TestBed(TestBedOptions options = {});

    [[nodiscard]] Fleet& fleet() { return *fleet_; }
    [[nodiscard]] FaultProxy& link(Way way) { return links_[static_cast<std::size_t>(way)]; }
    /// Only with a Redis of two.
    [[nodiscard]] testing::RedisPair& pair() { return pair_.value(); }

    struct Run {
        std::string id;
        Steering steering = Steering::plain;
    };
    /// Hands a run in; blocks until that was answered. May be called beside anything else.
    Run submit(Steering steering);
    /// pause, resume or cancel: until it is accepted or has come about otherwise; false if it takes
    /// longer than a minute. With `once`: tried once, whatever comes of it.
    bool steer(const Run& run, const std::string& what, bool once = false);
    bool remove(const Run& run);

    [[nodiscard]] std::optional<fleet::RunProgress> progress(const Run& run);
    [[nodiscard]] std::uint64_t count_done(const std::vector<Run>& runs);
    [[nodiscard]] bool are_over(const std::vector<Run>& runs);
    /// The first word of the run's file `work/phase`; empty if there is none.
    [[nodiscard]] std::string phase(const Run& run);
    [[nodiscard]] bool is_removed(const Run& run);
    /// Runs in the store that nobody handed in, one sentence each: a submission that was sent again
    /// must not make a second one.
    [[nodiscard]] Findings unknown_runs();

    [[nodiscard]] std::size_t count_trials() const { return count_samples() * kRepeats; }
    [[nodiscard]] std::size_t count_samples() const;

    /// `evalfleet watch`, over the proxy of the API.
    [[nodiscard]] testing::Process start_watcher(const Run& run);

    // What is there to be checked.
    [[nodiscard]] RunOutcome outcome(const Run& run);
    /// Model calls, without the first `skip`.
    [[nodiscard]] Calls calls(std::size_t skip) const;
    [[nodiscard]] std::size_t count_calls() const { return fleet_->read_calls().size(); }
    /// Those that came to the provider after that moment.
    [[nodiscard]] std::size_t count_calls_after(std::chrono::steady_clock::time_point moment) const;
    /// Those of them that are of this run, which has its records.
    [[nodiscard]] std::size_t count_calls_of(const Run& run,
                                             std::chrono::steady_clock::time_point after);
    [[nodiscard]] std::vector<QueueKey> keys();
    [[nodiscard]] Levels levels();

  private:
    [[nodiscard]] std::string route(std::string_view way, const std::string& url);
    [[nodiscard]] Fleet::Options fleet_options();
    [[nodiscard]] std::string spec(Steering steering, unsigned number) const;
    [[nodiscard]] std::string redis_url();
    [[nodiscard]] std::string api_url();
    [[nodiscard]] unsigned next_number();
    Fleet::Answer ask(const std::string& method, const std::string& path,
                      const std::string& body = "", const std::string& idempotency_key = "");

    TestBedOptions options_;
    testing::TemporaryFolder folder_;
    std::array<FaultProxy, kWayNames.size()> links_;
    std::optional<testing::RedisPair> pair_;
    std::unique_ptr<Fleet> fleet_;
    std::mutex mutex_;  // guards the members below
    unsigned submitted_ = 0;
    std::set<std::string> known_;
};

}  // namespace evalfleet::chaos
