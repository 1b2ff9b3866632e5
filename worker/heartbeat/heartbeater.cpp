#include "worker/heartbeat/heartbeater.hpp"

#include "common/async/run_all.hpp"
#include "common/json/writer.hpp"
#include "common/log/line.hpp"
#include "common/queue/functions_text.hpp"
#include "common/queue/pool_queue.hpp"
#include "common/queue/worker_queue.hpp"
#include "common/queue/worker_roster.hpp"
#include "common/version/version.hpp"
#include "worker/call/model_caller.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <thread>
#include <utility>
#include <vector>

namespace evalfleet::worker {

namespace asio = boost::asio;
using std::chrono::milliseconds;

namespace {

constexpr std::size_t kBatch = 256;     // jobs in one beat: keeps the function under a millisecond
constexpr std::size_t kReapLimit = 64;  // likewise

/// From 0.8 to 1.2 times `middle`: workers that started together do not stay together.
async::Duration jittered(milliseconds middle) {
    return std::chrono::duration_cast<async::Duration>(middle * (0.8 + 0.4 * random_fraction()));
}

std::string host_name() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace

class Heartbeater::Thread {
  public:
    Thread(async::Clock& clock, HeartbeaterConfig config, HeldJobs& held,
           const ProviderHealth& health, WorkerMetrics& metrics, log::Logger logger)
        : clock_(clock),
          config_(std::move(config)),
          held_(held),
          health_(health),
          metrics_(metrics),
          logger_(std::move(logger)),
          client_(context_.get_executor(), clock, config_.redis),
          functions_(client_, redis::parse_library(std::string(queue::functions_text())).value()),
          worker_queue_(functions_, config_.keys, config_.worker),
          pool_queue_(functions_, config_.keys),
          roster_(client_, config_.keys),
          started_at_(log::format_utc(clock.utc_now())) {
        metrics_.queue_calls.watch(functions_);
        asio::co_spawn(context_, run(),
                       asio::bind_cancellation_slot(stop_.slot(), [](std::exception_ptr failure) {
                           if (failure) rethrow_unless_cancelled(failure);
                       }));
        thread_ = std::thread([this] {
            pthread_setname_np(pthread_self(), "heartbeat");
            context_.run();
        });
    }

    ~Thread() {
        asio::post(context_, [this] { stop_.emit(asio::cancellation_type::terminal); });
        thread_.join();
    }

    Thread(const Thread&) = delete;
    Thread& operator=(const Thread&) = delete;

  private:
    static void rethrow_unless_cancelled(const std::exception_ptr& failure) {
        try {
            std::rethrow_exception(failure);
        } catch (const boost::system::system_error& error) {
            if (error.code() != asio::error::operation_aborted) throw;
        }
    }

    asio::awaitable<void> run() {
        std::vector<asio::awaitable<void>> roles;
        roles.push_back(client_.run());
        roles.push_back(beat_forever());
        roles.push_back(reap_forever());
        co_await async::run_all(std::move(roles));
    }

    asio::awaitable<void> beat_forever() {
        for (;;) {
            co_await beat_all();
            co_await announce();
            co_await clock_.wait_for(jittered(config_.lease / 3));
        }
    }

    asio::awaitable<void> beat_all() {
        const HeldJobs::Jobs jobs = held_.all();
        std::size_t begin = 0;
        do {  // a worker that holds nothing says so, too
            const std::size_t end = std::min(begin + kBatch, jobs.size());
            HeldJobs::Jobs batch(jobs.begin() + static_cast<std::ptrdiff_t>(begin),
                                 jobs.begin() + static_cast<std::ptrdiff_t>(end));
            co_await beat(std::move(batch));
            begin = end;
        } while (begin < jobs.size());
    }

    // For whoever asks the coordinator which workers there are; nothing depends on it.
    asio::awaitable<void> announce() {
        std::string card;
        json::Writer writer(card);
        writer.begin_object()
            .member("host", host_name())
            .member("pid", std::int64_t{::getpid()})
            .member("version", build_info().version)
            .member("started_at", started_at_)
            .member("concurrency", config_.concurrency)
            .member("held", held_.all().size())
            .member("loop_lag_ms",
                    config_.loop_lag_ms ? std::optional(config_.loop_lag_ms()) : std::nullopt)
            .key("providers")
            .begin_array();
        for (const std::string& provider : config_.providers)
            writer.value(provider);
        writer.end_array().key("unreachable").begin_object();
        for (const auto& [provider, reason] : health_.unreachable())
            writer.member(provider, reason);
        writer.end_object().end_object();
        (void)co_await roster_.announce(config_.worker, std::move(card), 2 * config_.lease,
                                        clock_.now() + config_.lease / 3);
    }

    asio::awaitable<void> beat(HeldJobs::Jobs jobs) {
        std::vector<queue::JobRef> refs;
        refs.reserve(jobs.size());
        for (const auto& job : jobs)
            refs.push_back(job->ref());
        const auto beats = co_await worker_queue_.beat(std::move(refs), config_.lease,
                                                       clock_.now() + config_.lease / 3);
        if (!beats) {
            metrics_.heartbeat_failures.increment();
            logger_.warn("heartbeat failed", {{"jobs", jobs.size()}, {"error", beats.error()}});
            co_return;
        }
        metrics_.heartbeats.increment();
        for (std::size_t i = 0; i < jobs.size(); ++i)
            tell(*jobs[i], (*beats)[i]);
    }

    void tell(HeldJob& job, queue::Beat beat) {
        if (beat == queue::Beat::lost && job.mark_lost()) {
            metrics_.leases_lost.increment();
            logger_.warn("lease lost", {{"run", job.ref().run}, {"index", job.ref().index}});
        }
        if (beat == queue::Beat::cancelled && job.stop_for_run()) {
            metrics_.jobs_cancelled.increment();
        }
    }

    asio::awaitable<void> reap_forever() {
        for (;;) {
            co_await clock_.wait_for(jittered(config_.reap_interval));
            const auto reaped =
                co_await pool_queue_.reap(kReapLimit, clock_.now() + config_.reap_interval);
            if (!reaped || reaped->requeued + reaped->dead == 0) continue;
            metrics_.leases_reaped.increment(static_cast<double>(reaped->requeued + reaped->dead));
            logger_.info("ended leases that ran out",
                         {{"requeued", reaped->requeued}, {"dead", reaped->dead}});
        }
    }

    async::Clock& clock_;
    HeartbeaterConfig config_;
    HeldJobs& held_;
    const ProviderHealth& health_;
    WorkerMetrics& metrics_;
    log::Logger logger_;
    asio::io_context context_{1};
    redis::Client client_;
    redis::FunctionLibrary functions_;
    queue::WorkerQueue worker_queue_;
    queue::PoolQueue pool_queue_;
    queue::WorkerRoster roster_;
    std::string started_at_;
    asio::cancellation_signal stop_;
    std::thread thread_;
};

Heartbeater::Heartbeater(async::Clock& clock, HeartbeaterConfig config, HeldJobs& held,
                         const ProviderHealth& health, WorkerMetrics& metrics, log::Logger logger)
    : thread_(std::make_unique<Thread>(clock, std::move(config), held, health, metrics,
                                       std::move(logger))) {}

Heartbeater::~Heartbeater() = default;

}  // namespace evalfleet::worker
