#include "coordinator/api/api.hpp"

#include "common/providers/provider_config.hpp"
#include "coordinator/api/baseline_routes.hpp"
#include "coordinator/api/dataset_routes.hpp"
#include "coordinator/api/derive_routes.hpp"
#include "coordinator/api/event_routes.hpp"
#include "coordinator/api/fleet_routes.hpp"
#include "coordinator/api/group_routes.hpp"
#include "coordinator/api/model_routes.hpp"
#include "coordinator/api/openapi.hpp"
#include "coordinator/api/overview_routes.hpp"
#include "coordinator/api/page_routes.hpp"
#include "coordinator/api/result_routes.hpp"
#include "coordinator/api/run_routes.hpp"
#include "coordinator/api/session_routes.hpp"
#include "coordinator/api/submit_routes.hpp"
#include "coordinator/api/view_routes.hpp"

#include <stdexcept>
#include <utility>

namespace evalfleet::api {

namespace asio = boost::asio;

namespace {

void check_providers(const std::filesystem::path& file, const log::Logger& logger) {
    if (file.empty()) {
        logger.warn("without --providers the names of providers are not checked");
        return;
    }
    const auto providers = providers::blocking_read_providers_file(file);
    if (!providers) throw std::runtime_error(providers.error().message);
}

std::unique_ptr<access::TokenKeeper> open_tokens(const std::filesystem::path& file,
                                                 async::BlockingPool& pool, async::Clock& clock,
                                                 const log::Logger& logger) {
    if (file.empty()) return nullptr;
    return std::make_unique<access::TokenKeeper>(file, pool, clock, logger.with("tokens"));
}

}  // namespace

Api::Api(ApiConfig config, runs::RunRegistry& registry, const runs::PoolWatch& pool_watch,
         redis::Client& client, async::HeavyPool& request_pool, async::Clock& clock,
         const log::Logger& logger)
    : clock_(clock),
      logger_(logger),
      tokens_(open_tokens(config.tokens_file, quick_pool_, clock, logger)),
      gatekeeper_(config.limits, tokens_.get(), clock),
      catalog_(config.store),
      datasets_(config.store),
      roster_(client, queue::Keys(config.pool_name)),
      services_{registry,
                pool_watch,
                roster_,
                catalog_,
                datasets_,
                quick_pool_,
                look_pool_,
                report_pool_,
                request_pool,
                clock,
                logger_,
                config.pool_name,
                config.store,
                config.dataset_roots,
                config.providers_file,
                config.max_dataset_bytes,
                config.max_trials,
                config.is_tls,
                config.is_view} {
    check_providers(config.providers_file, logger_);
    add_dataset_routes(table_, services_);
    add_submit_routes(table_, services_);
    add_run_routes(table_, services_);
    add_derive_routes(table_, services_);
    add_event_routes(table_, services_);
    add_result_routes(table_, services_);
    add_view_routes(table_, trial_services_);
    add_overview_routes(table_, trial_services_);
    add_group_routes(table_, services_);
    add_baseline_routes(table_, services_);
    add_fleet_routes(table_, services_);
    add_model_routes(table_, trial_services_);
    add_session_routes(table_, services_, gatekeeper_);
    add_page_routes(table_);
    add_description_routes(table_);
}

void Api::install(http::Router& router) {
    const runs::RunRegistry& registry = services_.registry;
    const bool is_view = services_.is_view;
    table_.install(
        router, gatekeeper_,
        [&registry, is_view] { return is_view ? std::string() : registry.blocked_reason(); },
        logger_.with("audit"), is_view);
    add_unknown_routes(router, gatekeeper_);
}

asio::awaitable<void> Api::run() {
    if (tokens_) co_await tokens_->run();
    co_await clock_.wait_until(async::kNever);
}

http::Headers house_headers(bool is_tls) {
    http::Headers headers{
        {"X-Content-Type-Options", "nosniff"},
        {"Content-Security-Policy",
         "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
         "form-action 'none'; frame-ancestors 'none'"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cache-Control", "no-store"}};
    if (is_tls) headers.add("Strict-Transport-Security", "max-age=31536000");
    return headers;
}

}  // namespace evalfleet::api
