#pragma once

#include "common/async/task_group.hpp"
#include "coordinator/runs/derived_run.hpp"
#include "coordinator/runs/leadership.hpp"
#include "coordinator/runs/reconciler.hpp"
#include "coordinator/runs/retention.hpp"
#include "coordinator/runs/run_keeper.hpp"
#include "coordinator/runs/submission.hpp"
#include "coordinator/runs/submission_index.hpp"
#include "coordinator/store/baseline_book.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace evalfleet::runs {

/// Makes the repetition of a submission harmless. Hashes, so that nobody's key is stored.
struct SubmissionKey {
    std::string key_sha256;   ///< of the key and whose it is
    std::string body_sha256;  ///< of what is asked for
};

/// What a submission made, or had made before.
struct Submitted {
    std::vector<std::string> run_ids;
    std::optional<std::string> group_id;
    bool is_replay = false;  ///< an earlier submission under the same key made them
};

/// All runs of a coordinator: takes up those that are not over when it starts, takes in new ones,
/// keeps each of them with a RunKeeper of its own, and removes those that are over for long.
///
/// Everything must be called on `executor`, which must be single-threaded.
class RunRegistry {
  public:
    /// Reads the figures of runs that were over before. Runs once, on the blocking pool, when the
    /// store is taken over.
    using Recall = std::function<std::vector<RunStats>()>;

    RunRegistry(const boost::asio::any_io_executor& executor, std::filesystem::path store,
                RunDeps deps, Leadership& leadership, Retention retention = {}, Recall recall = {});

    /// Waits until this coordinator leads the store, takes up its runs, then works until cancelled:
    /// that stops every keeper and throws operation_aborted. Throws std::runtime_error if the store
    /// cannot be used.
    [[nodiscard]] boost::asio::awaitable<void> run();

    /// Takes a submission in: all of its runs are durable when this returns, or none is. With a key
    /// that was used before it gives what came of it then, or waits for it if it is under way.
    /// `invalid` with everything that is wrong, also for a limit of cost without prices and for a
    /// key that was used for something else.
    [[nodiscard]] boost::asio::awaitable<Result<Submitted>> submit(
        job::RunSpec spec, std::optional<SubmissionKey> key = {});

    /// What came of an earlier submission under this key; nothing if there was none, or it is still
    /// under way. `invalid` if the key was used for something else.
    [[nodiscard]] Result<std::optional<Submitted>> find_earlier(const SubmissionKey& key) const;

    /// A new run from the stored answers of one that is over; no model is called. `not_found`,
    /// `denied` if it is not over, `invalid` if nothing would be different.
    [[nodiscard]] boost::asio::awaitable<Result<Submitted>> rejudge(
        std::string run_id, Rejudgement rejudgement, std::optional<SubmissionKey> key = {});

    /// A new run of the trials that failed for infrastructure reasons; the others are taken over.
    /// `not_found`, `denied` if it is not over, `invalid` if no trial failed so.
    [[nodiscard]] boost::asio::awaitable<Result<Submitted>> retry(
        std::string run_id, std::optional<SubmissionKey> key = {});

    /// Removes a run that is over, also one that failed, with everything it left. `not_found`;
    /// `denied` if it is not over or is a baseline.
    [[nodiscard]] boost::asio::awaitable<Status> remove(std::string run_id);

    /// Null if there is no such run that is kept: it may be over and on disk only. It lives as long
    /// as somebody has it, also if the run is removed meanwhile.
    [[nodiscard]] std::shared_ptr<RunKeeper> find(const std::string& run_id) const;

    /// Of all runs that this coordinator has kept, in the order of their ids.
    [[nodiscard]] std::vector<RunStats> stats() const;

    /// Of those that were over before this coordinator began, as far as they were recalled.
    [[nodiscard]] std::vector<RunStats> past_stats() const;

    /// The runs of a group in the order of their submission, the first being what the others are
    /// compared with; empty if there is no such group. Once all are done, `group_file()` is there.
    [[nodiscard]] std::vector<std::string> runs_of_group(const std::string& group_id) const;
    [[nodiscard]] std::filesystem::path group_file(const std::string& group_id) const;

    /// By name. Setting one that exists moves it. `not_found`, `denied` if the run is not done,
    /// `invalid` for a name that is none.
    [[nodiscard]] const store::Baselines& baselines() const noexcept { return baselines_; }
    [[nodiscard]] boost::asio::awaitable<Status> set_baseline(std::string name, std::string run_id);
    [[nodiscard]] boost::asio::awaitable<Status> drop_baseline(std::string name);

    /// The store was read: submissions and requests make sense.
    [[nodiscard]] bool is_ready() const noexcept { return is_ready_; }

    /// Why it is not ready, for people: it is a standby, or the store is being read. Empty: it is.
    [[nodiscard]] std::string blocked_reason() const;

  private:
    struct StoreContents;
    struct UnderWay;
    // Stages runs and returns their ids; runs on the blocking pool.
    using Stage = std::function<Result<store::Submission>()>;

    [[nodiscard]] Result<StoreContents> blocking_load_store() const;
    void blocking_tidy(const store::RunFolder& folder, bool is_closed) const;
    [[nodiscard]] Result<store::Submission> blocking_stage(const job::RunSpec& spec,
                                                           const SubmissionFacts& facts) const;
    [[nodiscard]] boost::asio::awaitable<Result<Submitted>> take_in(
        Stage stage, std::optional<SubmissionKey> key);
    [[nodiscard]] boost::asio::awaitable<Result<Submitted>> derive(
        std::string run_id, std::function<Result<std::string>(const store::RunFolder&)> stage,
        std::optional<SubmissionKey> key);
    [[nodiscard]] boost::asio::awaitable<void> maintain();
    [[nodiscard]] boost::asio::awaitable<void> run_retention();
    [[nodiscard]] boost::asio::awaitable<void> remove_expired();
    [[nodiscard]] boost::asio::awaitable<Status> remove_folder(std::string run_id);
    [[nodiscard]] boost::asio::awaitable<Status> write_baselines(store::Baselines next);
    [[nodiscard]] boost::asio::awaitable<void> keep_to_its_end(std::shared_ptr<RunKeeper> keeper);
    [[nodiscard]] std::optional<Standing> standing_of_kept(const std::string& run_id) const;
    void note_end();
    [[nodiscard]] boost::asio::awaitable<void> complete_group(std::string group_id);
    [[nodiscard]] boost::asio::awaitable<void> complete_groups();
    [[nodiscard]] store::RunFolder folder(const std::string& run_id) const;
    void keep(store::RunFolder folder);

    std::filesystem::path store_;
    RunDeps deps_;
    Leadership& leadership_;
    Retention retention_;
    Recall recall_;
    std::map<std::string, RunStats> past_;
    async::TaskGroup keepers_;
    std::map<std::string, std::shared_ptr<RunKeeper>> runs_;
    std::optional<Reconciler> reconciler_;  // once the store was read
    SubmissionIndex submissions_;
    std::set<std::string> keys_under_way_;
    async::Notifier key_settled_;
    store::Baselines baselines_;
    async::Semaphore writing_baselines_{1};
    async::Notifier run_ended_;
    std::uint64_t runs_ended_ = 0;
    bool is_ready_ = false;
};

}  // namespace evalfleet::runs
