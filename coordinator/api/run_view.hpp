#pragma once

#include "coordinator/api/services.hpp"
#include "coordinator/catalog/run_facts.hpp"
#include "coordinator/runs/progress.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>

namespace evalfleet::api {

/// A run as the API shows it: how far it is, from whoever keeps it or from its folder, and what it
/// is about.
struct RunView {
    runs::Progress progress;
    catalog::RunFacts facts;

    [[nodiscard]] bool is_over() const noexcept { return runs::is_over(progress.phase); }
    /// Its files are written and stay as they are.
    [[nodiscard]] bool has_results() const noexcept {
        return progress.phase == runs::RunPhase::done ||
               progress.phase == runs::RunPhase::cancelled;
    }
};

/// How far a run is that nobody keeps any more. Pure.
[[nodiscard]] runs::Progress stored_progress(const catalog::RunFacts& facts, std::string folder);

/// How far a run is by its keeper, where it has one that knows; what that leaves out, and all
/// of it without a keeper, is from the folder. Pure.
[[nodiscard]] runs::Progress current_progress(std::optional<runs::Progress> live,
                                              const catalog::RunFacts& facts, std::string folder);

/// RUN of docs/api.md.
[[nodiscard]] std::string to_json(const RunView& view);

/// Nothing if there is no such run.
[[nodiscard]] boost::asio::awaitable<std::optional<RunView>> find_run(Services& services,
                                                                      std::string run_id);

}  // namespace evalfleet::api
