#include "coordinator/api/model_routes.hpp"

#include "coordinator/api/replies.hpp"
#include "coordinator/views/model_figures.hpp"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace evalfleet::api {

namespace asio = boost::asio;

namespace {

using Hold = records::TrialShelf::Hold;

constexpr std::chrono::minutes kWindow{10};
constexpr std::size_t kMostRuns = 20;

// The newest runs that go on.
Result<std::vector<std::string>> blocking_active_runs(catalog::RunCatalog& catalog) {
    const auto runs = catalog.blocking_look();
    if (!runs) return runs.error();
    std::vector<std::string> ids;
    for (const auto& [id, facts] : **runs) {
        if (!runs::is_over(facts->phase)) ids.push_back(id);
        if (ids.size() == kMostRuns) break;
    }
    return ids;
}

asio::awaitable<http::Reply> show_models(TrialServices& services) {
    const auto now = services.services.clock.utc_now();
    const auto since =
        std::chrono::duration_cast<std::chrono::milliseconds>((now - kWindow).time_since_epoch());
    auto look = [&services] { return blocking_active_runs(services.services.catalog); };
    const auto ids = co_await services.services.quick_pool.run(look);
    if (!ids) co_return failure(ids.error());
    views::ModelFigures figures(since.count());
    for (const std::string& id : *ids) {
        const auto view = co_await find_run(services.services, id);
        if (!view) continue;
        auto add = [&figures, &view](Hold& hold) -> Result<bool> {
            figures.add(view->facts.model, hold.table().trials());
            return true;
        };
        const auto added = co_await with_trials(services, *view, add);
        if (!added && added.error().kind != ErrorKind::too_large) co_return failure(added.error());
    }
    co_return http::Reply::json(figures.to_json(std::chrono::duration<double>(kWindow).count()));
}

}  // namespace

void add_model_routes(RouteTable& table, TrialServices& services) {
    table.add({.method = "GET",
               .pattern = "/api/v1/models",
               .id = "list_models",
               .section = "Fleet",
               .summary = "Errors and latencies of late, by model",
               .answers = {{200, "the models that runs ask", "ModelList"}}},
              [&services](Call&) { return show_models(services); });
}

}  // namespace evalfleet::api
