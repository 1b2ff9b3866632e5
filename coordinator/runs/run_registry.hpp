#pragma once

#include "common/async/task_group.hpp"
#include "coordinator/runs/run_keeper.hpp"
#include "coordinator/runs/submission.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace evalfleet::runs {

/// All runs of a coordinator: takes up those that are not over when it starts, takes in new ones,
/// and keeps each of them with a RunKeeper of its own.
///
/// Everything must be called on `executor`, which must be single-threaded.
class RunRegistry {
  public:
    RunRegistry(const boost::asio::any_io_executor& executor, std::filesystem::path store,
                Surroundings surroundings);

    /// Takes up the runs of the store, then works until cancelled: that stops every keeper and
    /// throws operation_aborted. Throws std::runtime_error if the store cannot be used.
    [[nodiscard]] boost::asio::awaitable<void> run();

    /// Takes a submission in: it is durable when this returns the ids of its runs. `invalid` with
    /// everything that is wrong with its data set.
    [[nodiscard]] boost::asio::awaitable<Result<std::vector<std::string>>> submit(
        job::RunSpec spec);

    /// Null if there is no such run.
    [[nodiscard]] RunKeeper* find(const std::string& run_id);

    /// Of all runs that this coordinator has kept, in the order of their ids.
    [[nodiscard]] std::vector<Progress> progress() const;

    [[nodiscard]] std::vector<RunFigures> figures() const;

    /// The store was read: submissions and requests make sense.
    [[nodiscard]] bool is_ready() const noexcept { return is_ready_; }

  private:
    void keep(store::RunFolder folder);
    [[nodiscard]] Result<std::vector<store::RunFolder>> blocking_find_open_runs() const;
    [[nodiscard]] Result<std::vector<store::RunFolder>> blocking_take_in(const job::RunSpec& spec);

    std::filesystem::path store_;
    Surroundings around_;
    async::TaskGroup keepers_;
    std::map<std::string, std::unique_ptr<RunKeeper>> runs_;
    bool is_ready_ = false;
};

}  // namespace evalfleet::runs
