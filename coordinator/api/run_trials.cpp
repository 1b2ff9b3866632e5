#include "coordinator/api/run_trials.hpp"

#include "coordinator/api/heavy_jobs.hpp"

namespace evalfleet::api {

namespace asio = boost::asio;

records::TrialShelf::Run trials_of(const Services& services, const RunView& view) {
    return {services.catalog.folder(view.facts.run_id), view.facts.dataset_hash,
            view.has_results()};
}

asio::awaitable<async::HeavyPool::Job> looking_at(TrialServices& services, const RunView& view) {
    if (services.trials.has(trials_of(services.services, view)))
        co_return async::HeavyPool::Job{view.facts.run_id};
    std::vector<std::string> only{view.facts.run_id};
    co_return co_await reading_of(services.services, std::move(only));
}

}  // namespace evalfleet::api
