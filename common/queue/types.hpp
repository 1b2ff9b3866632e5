#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace evalfleet::queue {

/// A job as somebody holds it: which trial, and its delivery attempt number.
struct JobRef {
    std::string run;
    std::uint64_t index = 0;    ///< of the trial within its run
    std::uint64_t attempt = 0;  ///< counts every hand-out; fences whoever held the job before
    bool operator==(const JobRef&) const = default;
};

/// A job that a worker took.
struct TakenJob {
    JobRef ref;
    std::uint64_t deliveries = 0;  ///< that began and were not heard of again, and this one
    std::uint64_t tries = 0;       ///< failures that a worker reported
    std::string payload;
    /// How long it was ready before it was taken, by the server's clock. Empty if Redis does not
    /// know: the job was made ready by an older version of the functions.
    std::optional<std::chrono::milliseconds> waited{};
    std::string past{};                ///< what whoever put it back last said; empty: nobody did
    std::chrono::milliseconds age{0};  ///< since it was first attempted, if somebody put it back
};

struct Taken {
    std::vector<TakenJob> jobs;
    /// How long nothing new will come by itself: 0 if jobs are left, empty if nothing is delayed.
    std::optional<std::chrono::milliseconds> quiet_for;
    bool passed_over = false;  ///< jobs are left, but none that this worker can do
};

/// What a heartbeat says about a job.
enum class Beat {
    held,       ///< the lease was prolonged
    cancelled,  ///< the run was cancelled, or is over: stop if you can
    lost,       ///< finished or someone else's: only a result is still welcome
};

/// What became of a result.
enum class Delivery {
    finished,  ///< the job is finished by it
    late,      ///< the job was gone already; the coordinator gets the result all the same
    dropped,   ///< the run is over
};

/// What became of a failure.
enum class Failure {
    delayed,  ///< the job is tried again later
    dead,     ///< that was the last try
    lost,     ///< the job is finished or someone else's; nothing was changed
    noted,    ///< the worker keeps the job
    paused,   ///< likewise, but its run does not go on
};

/// Infrastructure was in the way of a job.
struct JobSetback {
    /// When it is tried again, elsewhere if possible; empty: the worker keeps it.
    std::optional<std::chrono::milliseconds> delay{};
    std::chrono::milliseconds elapsed{0};  ///< since this worker began with it
    std::string past{};                    ///< for whoever takes it next
    std::string note{};                    ///< for the coordinator
};

enum class RunState { running, paused, cancelled, done };

/// What a run may use up of one thing, in all.
struct Budget {
    std::uint64_t limit = 0;  ///< 0: no limit
    double per_job = 0;       ///< set aside for a job while it is out,
    double per_byte = 0;      ///< and for each byte of its payload
    std::uint64_t spent = 0;  ///< by what is in the log already

    bool operator==(const Budget&) const = default;
};

/// What the calls of a job took.
struct Spent {
    std::uint64_t nano_usd = 0;  ///< billionths of a dollar
    std::uint64_t tokens = 0;

    bool operator==(const Spent&) const = default;
};

/// What a worker has made of a job.
struct JobResult {
    JobRef job;
    std::string record;
    Spent spent{};
};

/// What a coordinator tells the queue about a run.
struct RunTerms {
    double share = 1;  ///< of the workers, relative to the shares of the other runs
    std::uint64_t max_deliveries = 5;
    RunState state = RunState::running;
    std::string spec{};               ///< what workers must know of the run
    std::uint64_t max_in_flight = 0;  ///< jobs out at once; 0: no limit
    Budget cost{};                    ///< in billionths of a dollar
    Budget tokens{};
    std::vector<std::string> needs{};  ///< providers, without which no worker can do its jobs
    std::string owner{};               ///< id of the store that has the run
};

/// A job to be enqueued.
struct NewJob {
    std::uint64_t index = 0;
    std::string payload;
};

struct Enqueued {
    bool window_full = false;       ///< not all were added
    std::uint64_t added = 0;        ///< those that were not there before
    std::uint64_t outstanding = 0;  ///< jobs in the window now
};

/// An entry of a run's result stream.
struct RunResult {
    enum class Kind {
        record,  ///< `value` is the trial's record
        dead,    ///< nobody could finish the job; `value` says why
        note,    ///< the job goes on; `value` says what was in its way
    };
    std::string id;  ///< of the stream entry, for `ack`
    std::uint64_t index = 0;
    std::uint64_t attempt = 0;
    Kind kind = Kind::record;
    std::string value;
};

struct Reaped {
    std::uint64_t requeued = 0;
    std::uint64_t dead = 0;
};

struct RunStats {
    std::string run;
    std::uint64_t outstanding = 0;
    std::uint64_t ready = 0;
    std::uint64_t results = 0;
    std::string state;
    std::uint64_t leased = 0;  ///< jobs in workers' hands
    std::string ended{};       ///< the budget that is used up: cost, tokens, or empty
    Spent spent{};
};

struct PoolStats {
    std::uint64_t leased = 0;
    std::uint64_t delayed = 0;
    std::uint64_t workers = 0;
    std::vector<RunStats> runs;
};

/// Names with spaces between them, as the queue has them.
[[nodiscard]] std::string join(const std::vector<std::string>& names);

}  // namespace evalfleet::queue
