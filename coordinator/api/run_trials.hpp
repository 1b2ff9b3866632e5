#pragma once

#include "coordinator/api/run_view.hpp"
#include "coordinator/records/trial_shelf.hpp"

#include <boost/asio/awaitable.hpp>

#include <stop_token>
#include <string>
#include <utility>

namespace evalfleet::api {

/// Where the trials of a run are.
[[nodiscard]] records::TrialShelf::Run trials_of(const Services& services, const RunView& view);

/// What routes are made of that look at trials. Outlives the router.
struct TrialServices {
    Services& services;
    records::TrialShelf& trials;  ///< of the runs that people look at
};

/// What it takes to read the trials of a run; nothing to speak of if somebody else reads them.
[[nodiscard]] boost::asio::awaitable<async::HeavyPool::Job> looking_at(TrialServices& services,
                                                                       const RunView& view);

/// Runs `work(Hold&)`, which returns a Result, with the trials of a run. Somebody waits for it:
/// once they are in memory it does not queue with what reads records, nor give way to other
/// programs.
template <class Work>
[[nodiscard]] auto with_trials(TrialServices& services, const RunView& view, Work work)
    -> boost::asio::awaitable<std::invoke_result_t<Work&, records::TrialShelf::Hold&>> {
    using Outcome = std::invoke_result_t<Work&, records::TrialShelf::Hold&>;
    auto look = [&services, &view, &work](const std::stop_token& stop) -> Outcome {
        auto hold = services.trials.blocking_take(trials_of(services.services, view), stop);
        if (!hold) return hold.error();
        return work(*hold);
    };
    if (services.trials.is_ready(trials_of(services.services, view))) {
        auto glance = [&look] { return look(std::stop_token()); };
        co_return co_await services.services.look_pool.run(std::move(glance));
    }
    auto job = co_await looking_at(services, view);
    co_return co_await services.services.report_pool.run(std::move(job), look);
}

}  // namespace evalfleet::api
