#pragma once

#include "cli/fleet/coordinator_client.hpp"
#include "common/async/clock.hpp"
#include "common/http/client.hpp"
#include "common/redis/command.hpp"
#include "common/redis/reply.hpp"
#include "tests/support/process.hpp"
#include "tests/support/redis_server.hpp"
#include "tests/support/run_coroutine.hpp"
#include "tests/support/temporary_folder.hpp"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace evalfleet::testing {

/// A fleet of real processes whose every part can be killed, stopped or robbed of its memory: a
/// redis-server that writes everything down, a simulated provider, a coordinator, workers with
/// short leases unless told otherwise. The data set is the example with `kSamples` samples.
class Fleet {
  public:
    static constexpr std::size_t kSamples = 62;

    struct Options {
        /// The clock of redis-server can be set: RedisServer::step_clock.
        bool stepping_clock = false;
        /// The way from one program to another: given its name and the URL of the other one, the
        /// URL to use instead. Ways: coordinator-redis, worker-redis, worker-provider, client-api
        /// (whose answer does not count: the fleet itself always asks the coordinator directly).
        std::function<std::string(std::string_view way, const std::string& url)> route{};

        std::size_t workers = 3;
        std::vector<std::string> coordinator{};  ///< further arguments
        std::string latency_ms = "25";           ///< of the simulated provider
        std::string provider_path = "/v1";       ///< another one is answered with 404
        std::size_t max_concurrent = 0;          ///< of the provider; 0: it is not named
        std::vector<std::string> simulator{};    ///< further arguments
        std::string lease = "2s";                ///< of a worker; empty: as it is by default
        std::size_t concurrency = 4;             ///< of a worker
        std::vector<std::string> worker{};       ///< further arguments of a worker
        bool faulty_disk = false;                ///< of the coordinator; see `break_disk`
        std::vector<std::string> redis{};        ///< further arguments of redis-server
        std::string redis_user{};     ///< "name:password" of coordinator and workers; empty: none
        bool can_be_cut_off = false;  ///< the coordinator has a user of its own; see `cut_off`
    };

    /// Redis as this user ("name:password") reaches it.
    [[nodiscard]] std::string redis_url(const std::string& user) const;

    /// What workers said so far.
    [[nodiscard]] std::string worker_log() const { return workers_.front().output(); }

    /// The file its runs are made of.
    static std::string dataset();

    Fleet() : Fleet(Options{}) {}
    explicit Fleet(Options options);

    /// Hands a run in. `more`: further members of the run file, as JSON, beginning with a comma.
    void submit(int repeats, const std::string& more = "");

    /// None if the coordinator does not answer.
    std::optional<fleet::RunProgress> progress();

    /// Until so many trials are done, or the run is over; false if that takes too long.
    bool await_done(std::uint64_t done, int seconds = 60);
    bool await_end(int seconds);
    template <class Condition>
    bool await(Condition condition, int seconds) {
        for (int i = 0; i < seconds * 20; ++i) {
            const auto now = progress();
            if (now && condition(*now)) return true;
            pause();
        }
        return false;
    }

    /// POST /api/v1/runs/{id}/<what>; false if it is refused.
    bool steer(const std::string& what);

    /// Any request to the coordinator that is asked.
    struct Answer {
        int status = 0;  ///< 0: it did not answer
        std::string body;
    };
    Answer ask(const std::string& method, const std::string& path, const std::string& body = "",
               const std::string& idempotency_key = "");
    struct Question {
        std::string method;
        std::string path;
        std::string body{};
        std::string idempotency_key{};
        std::chrono::seconds patience{20};
    };
    /// The same of whoever is at that URL.
    static Answer ask_at(const std::string& url, Question question);
    /// The answer as JSON has this member, a text; empty if not.
    std::string ask_for(const std::string& path, const std::string& member);
    /// From now on this run is watched.
    void watch(const std::string& run_id) { run_id_ = run_id; }

    /// A second coordinator of the same store.
    void add_standby(const std::vector<std::string>& more = {});
    /// The exit code of one that is started with these arguments, and ends.
    int run_coordinator(const std::vector<std::string>& more);
    /// From now on the standby is asked; what was asked so far is `former()`.
    void ask_standby();
    [[nodiscard]] Process& former() { return *former_; }
    [[nodiscard]] Process& coordinator() { return *coordinator_; }
    [[nodiscard]] Process& worker(std::size_t number) { return workers_[number]; }
    [[nodiscard]] RedisServer& redis() { return redis_; }
    [[nodiscard]] std::filesystem::path store() const { return folder_ / "store"; }

    /// Where workers find the provider; those that are started later do.
    void write_providers(const std::string& path);
    void restart_workers();
    /// The same with other further arguments.
    void restart_workers(std::vector<std::string> worker);
    /// From here on; what is under way is lost, as the workers are killed too.
    void change_latency(const std::string& milliseconds);

    void add_worker();
    void kill_worker(std::size_t number);  ///< and starts another
    void kill_coordinator();               ///< and starts another
    /// The same, with something done while there is none.
    void kill_coordinator(const std::function<void()>& meanwhile);
    /// From now on such calls of a coordinator with a faulty disk fail, until the disk is mended:
    /// `read`, `write`, `sync` or `cut`, on files with `part` in their path.
    void break_disk(const std::string& call, int error, const std::string& part);
    void mend_disk();
    void kill_redis();  ///< and starts it again
    void flush_redis();
    void limit_redis_memory(const std::string& max);  ///< as CONFIG SET maxmemory takes it
    std::uint64_t used_redis_memory();
    /// Results of the run that wait in Redis.
    std::uint64_t count_results();
    void let_redis_evict();  ///< what it pleases, once memory is full
    void stop_worker(std::size_t number) const { workers_[number].signal(SIGSTOP); }
    void continue_worker(std::size_t number) const { workers_[number].signal(SIGCONT); }
    void end_worker(std::size_t number) { workers_[number].kill(); }

    /// What Redis has on disk now, to be put back later.
    void remember_redis();
    void roll_redis_back();

    [[nodiscard]] const std::string& url() const noexcept { return url_; }
    [[nodiscard]] const std::string& run_id() const noexcept { return run_id_; }
    std::filesystem::path run_folder() { return progress().value().folder; }
    [[nodiscard]] std::string coordinator_log() const { return coordinator_->output(); }

    /// A number of GET /api/v1/queues, as the coordinator last saw it; 0 if it does not answer.
    std::uint64_t figure(std::string_view name);

    /// A model call that the simulated provider got; known once the call is over.
    struct SeenCall {
        std::string key;  ///< equal calls have equal ones
        std::chrono::steady_clock::time_point arrival;
        std::string request_id;  ///< as the provider names it to the caller
    };
    [[nodiscard]] std::vector<SeenCall> read_calls() const;

    /// Looks again and again until it is true; false if that takes too long.
    template <class Condition>
    static bool await_true(Condition condition, std::chrono::steady_clock::time_point deadline) {
        while (!condition()) {
            if (std::chrono::steady_clock::now() > deadline) return false;
            pause();
        }
        return true;
    }

    /// The coordinator, and nobody else, cannot reach Redis any more, until it can again.
    void cut_off();
    void reconnect();

    /// What is in the store although no manifest and no part of the product has a use for it, and
    /// what Redis has of runs that are over, but for tombstones with a ttl. A run that has just
    /// ended is given a moment to clear up.
    std::vector<std::string> find_leftovers();
    /// The part of it that is in Redis, at this moment.
    std::vector<std::string> find_redis_keys();
    /// What Redis has of the run: its state (run, pause, cancel, done), epoch, ...; empty: nothing.
    std::string redis_field(const std::string& name);
    /// Puts a run into Redis of which no store knows.
    void plant_run(const std::string& run_id);

    /// The exit code of `evalfleet verify` for the run's folder.
    int verify();

    /// How often each trial, (sample_index, repeat), is in the run's records.
    using Ledger = std::map<std::pair<std::int64_t, std::int64_t>, int>;
    Ledger read_ledger();
    /// What the provider named the calls in the run's records.
    std::set<std::string> read_request_ids();

  private:
    /// What calls are made with. Reading the authorities that it could trust takes longer than a
    /// call; connections are not kept from one call to the next, since programs and ways change.
    struct Caller {
        boost::asio::io_context context{1};
        async::SystemClock clock;
        http::Client http{context.get_executor(), clock, {.max_idle_per_host = 0}};
    };
    static Caller& caller();  ///< one for each thread

    template <class Call>
    auto with_coordinator(Call call) {
        Caller& with = caller();
        fleet::CoordinatorClient client(with.http, with.clock, http::Url::parse(url_).value());
        return run(with.context, call(client));
    }

    static void pause();
    [[nodiscard]] static RedisServer::Options redis_options(const Options& options);
    [[nodiscard]] std::string redis_url() const { return redis_url(options_.redis_user); }
    [[nodiscard]] std::string route(std::string_view way, const std::string& url) const {
        return options_.route ? options_.route(way, url) : url;
    }
    redis::Reply tell_redis(redis::Command command);
    [[nodiscard]] std::string path(std::string_view name) const {
        return (folder_ / name).string();
    }
    std::string await_file(const std::string& name);
    void start_simulator();
    void start_coordinator();
    void await_store();
    [[nodiscard]] std::vector<std::string> coordinator_argv(const std::string& port_file) const;
    Process start_worker();

    Options options_;
    TemporaryFolder folder_;
    RedisServer redis_{redis_options(options_)};
    std::optional<Process> simulator_;
    std::optional<Process> coordinator_;
    std::optional<Process> standby_;
    std::optional<Process> former_;
    std::string standby_url_;
    std::vector<Process> workers_;
    int started_workers_ = 0;
    std::string url_;
    std::string run_id_;
};

}  // namespace evalfleet::testing
