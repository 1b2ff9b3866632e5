#pragma once

#include "common/redis/client.hpp"
#include "coordinator/access/gatekeeper.hpp"
#include "coordinator/access/token_keeper.hpp"
#include "coordinator/api/route_table.hpp"
#include "coordinator/api/run_trials.hpp"
#include "coordinator/api/services.hpp"

#include <boost/asio/awaitable.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace evalfleet::api {

struct ApiConfig {
    std::string pool_name = "main";
    std::filesystem::path store;
    std::vector<std::filesystem::path> dataset_roots{};
    std::filesystem::path providers_file{};
    std::filesystem::path tokens_file{};  ///< empty: everybody who reaches us is let in
    std::uint64_t max_dataset_bytes = std::uint64_t{2} * 1024 * 1024 * 1024;
    std::uint64_t max_trials = runfile::kDefaultMaxTrials;  ///< of one submission
    access::Gatekeeper::Config limits{};
    bool is_tls = false;
    bool is_view = false;  ///< runs are only looked at
};

/// The HTTP API of a coordinator: its routes, who may use them, and what they need.
///
/// Everything runs on one executor, which must be single-threaded.
class Api {
  public:
    /// Reads the tokens and providers, and so blocks. Throws std::runtime_error if they cannot be
    /// used. What is given must outlive it.
    Api(ApiConfig config, runs::RunRegistry& registry, const runs::PoolWatch& pool_watch,
        redis::Client& client, async::HeavyPool& request_pool, async::Clock& clock,
        const log::Logger& logger);
    Api(const Api&) = delete;
    Api& operator=(const Api&) = delete;

    /// The router must not outlive the API.
    void install(http::Router& router);

    /// Keeps the tokens up to date until cancelled: then throws operation_aborted.
    [[nodiscard]] boost::asio::awaitable<void> run();

    [[nodiscard]] access::Gatekeeper& gatekeeper() noexcept { return gatekeeper_; }
    [[nodiscard]] const RouteTable& routes() const noexcept { return table_; }

  private:
    async::BlockingPool quick_pool_{{.threads = 2, .max_queued = 1024, .name = "api"}};
    async::BlockingPool look_pool_{{.threads = 2, .max_queued = 1024, .name = "looks"}};
    async::HeavyPool report_pool_{{.threads = 2, .large_at_once = 1, .name = "reports"}};
    async::Clock& clock_;
    log::Logger logger_;
    std::unique_ptr<access::TokenKeeper> tokens_;  // null: there are none
    access::Gatekeeper gatekeeper_;
    catalog::RunCatalog catalog_;
    datasets::DatasetLibrary datasets_;
    records::TrialShelf trials_{{}};
    queue::WorkerRoster roster_;
    Services services_;
    TrialServices trial_services_{services_, trials_};
    RouteTable table_;
};

/// What stands in every reply: it is what it says it is, belongs to no other site, is framed by
/// nobody, runs no script and is kept nowhere. `is_tls`: and comes by TLS only.
[[nodiscard]] http::Headers house_headers(bool is_tls);

}  // namespace evalfleet::api
