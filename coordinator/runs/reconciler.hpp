#pragma once

#include "coordinator/runs/reconciliation.hpp"
#include "coordinator/runs/run_keeper.hpp"

#include <boost/asio/awaitable.hpp>

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace evalfleet::runs {

/// Keeps the runs that Redis has like those of the store: whatever was over, stopped or removed
/// while Redis could not be told, or came back with an old copy of its data, is ended there, which
/// leaves a tombstone that vanishes by itself. Looks every second at what PoolWatch saw, so that
/// workers stop as soon as Redis is back.
///
/// Of several stores that use one pool, each ends its own runs only: those of which it has a
/// folder, those it removed itself, and those without a folder that carry its id.
///
/// Runs on one executor, the caller's.
class Reconciler {
  public:
    /// What is known of a run without looking into the store; nothing if only that can tell.
    using Look = std::function<std::optional<Standing>(const std::string& run_id)>;

    Reconciler(RunDeps deps, std::filesystem::path store, Look look);

    /// Never returns. Cancelled: throws operation_aborted.
    [[nodiscard]] boost::asio::awaitable<void> run();

    /// The store has removed the run for good.
    void note_removed(const std::string& run_id);

  private:
    [[nodiscard]] boost::asio::awaitable<void> compare();
    [[nodiscard]] boost::asio::awaitable<void> settle(std::string run_id);
    [[nodiscard]] std::optional<Standing> find_known(const std::string& run_id) const;
    [[nodiscard]] boost::asio::awaitable<Standing> find_standing(std::string run_id,
                                                                 std::string owner);
    void forget_what_is_gone(const std::set<std::string>& present);

    RunDeps deps_;
    log::Logger logger_;
    std::filesystem::path store_;
    Look look_;
    MissingRuns missing_;
    std::map<std::string, std::uint64_t> removed_;      // and how often Redis was seen before
    std::map<std::string, async::TimePoint> not_ours_;  // when to look at them again
    std::uint64_t compared_ = 0;                        // the number of the last look
};

}  // namespace evalfleet::runs
