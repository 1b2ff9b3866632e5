#include "coordinator/api/fleet_routes.hpp"

#include "common/json/document.hpp"
#include "common/json/writer.hpp"
#include "coordinator/api/replies.hpp"
#include "coordinator/runs/operator_providers.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>

namespace evalfleet::api {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds kTimeout{5};

template <class T>
std::optional<T> find(const Result<json::Document>& card, std::string_view name) {
    if (!card || !card->root().is_object()) return std::nullopt;
    const auto value = card->root().optional<T>(name);
    return value ? *value : std::nullopt;
}

// What workers say of themselves is not trusted: only what is known is passed on.
void write_card(json::Writer& writer, const std::string& text) {
    const auto card = json::Document::parse(text);
    for (const std::string_view name : {"host", "version", "started_at"})
        writer.member(name, find<std::string>(card, name));
    for (const std::string_view name : {"pid", "concurrency", "held"})
        writer.member(name, find<std::uint64_t>(card, name));
    writer.member("loop_lag_ms", find<double>(card, "loop_lag_ms"));
}

void write_facts(json::Writer& writer, const runs::WorkerFacts& facts) {
    writer.key("providers").begin_array();
    for (const std::string& provider : facts.providers)
        writer.value(provider);
    writer.end_array().key("unreachable").begin_object();
    for (const auto& [provider, reason] : facts.unreachable)
        writer.member(provider, reason);
    writer.end_object();
}

double seconds(std::chrono::milliseconds time) {
    return std::chrono::duration<double>(time).count();
}

void write_limit(json::Writer& writer, const queue::LimitStats& limit,
                 const runs::RecentRefusals::Figures& recent, const providers::Providers& known) {
    writer.begin_object()
        .member("limit_key", limit.key)
        .member("running", limit.running)
        .member("waiting", limit.unmet)
        .member("begun_waiting", limit.urgent)
        .member("calls_at_once", limit.calls)
        .member("calls_per_second", limit.rate)
        .member("refused", limit.refused)
        .member("refused_recently", recent.calls)
        .member("recent_s", recent.span.count())
        .member("paused_s", seconds(limit.paused))
        .member("reason", limit.reason)
        .member("changed_s_ago", seconds(limit.since_change))
        .member("in_use", limit.held)
        .member("workers", limit.workers)
        .member("refused_s_ago",
                limit.refused > 0 ? std::optional(seconds(limit.since_refusal)) : std::nullopt);
    // What the operator says of it, and whose it is.
    std::optional<providers::Limits> set;
    writer.key("providers").begin_array();
    for (const auto& [name, provider] : known) {
        if (providers::limit_account(provider) != limit.key && name != limit.key) continue;
        writer.value(name);
        set = provider.limits;
    }
    writer.end_array().key("limit_set");
    if (!set) {
        writer.null().end_object();
        return;
    }
    writer.begin_object()
        .member("requests_per_minute", set->rpm)
        .member("tokens_per_minute", set->tpm)
        .member("calls_at_once", set->max_concurrent)
        .end_object()
        .end_object();
}

/// What is looked up on the disk.
struct StoreView {
    providers::Providers known{};
    std::optional<std::filesystem::space_info> space{};
};

StoreView blocking_look_at_store(const Services& services) {
    StoreView store;
    if (auto known = runs::blocking_read_operator_providers(services.providers_file))
        store.known = std::move(*known);
    std::error_code code;
    const auto space = std::filesystem::space(services.store, code);
    if (!code) store.space = space;
    return store;
}

void write_store(json::Writer& writer, const StoreView& store) {
    writer.key("store").begin_object();
    writer.member("free_bytes", store.space ? std::optional(std::uint64_t{store.space->available})
                                            : std::nullopt);
    writer.member("total_bytes",
                  store.space ? std::optional(std::uint64_t{store.space->capacity}) : std::nullopt);
    writer.end_object();
}

// Since when its oldest job is out, by who keeps it.
std::optional<double> oldest_job_s(const Services& services, const std::string& run_id) {
    const auto keeper = services.registry.find(run_id);
    const auto figures = keeper == nullptr ? std::nullopt : keeper->stats();
    if (!figures) return std::nullopt;
    return std::chrono::duration<double>(figures->oldest_job_age).count();
}

asio::awaitable<http::Reply> show_workers(Services& services) {
    if (services.is_view)
        co_return http::Problem{.status = 503, .detail = "runs are only looked at here"}.to_reply();
    const auto workers = co_await services.roster.read(services.clock.now() + kTimeout);
    if (!workers) {
        co_return http::Problem{.status = 503, .detail = "Redis does not answer"}.to_reply();
    }
    std::string text;
    json::Writer writer(text);
    writer.begin_object().key("workers").begin_array();
    for (const queue::WorkerSighting& worker : *workers) {
        writer.begin_object().member("name", worker.name);
        writer.member("last_seen_s", std::chrono::duration<double>(worker.age).count());
        write_card(writer, worker.card);
        write_facts(writer, runs::read_worker_facts(worker));
        writer.end_object();
    }
    writer.end_array().end_object();
    co_return http::Reply::json(std::move(text));
}

asio::awaitable<http::Reply> show_queues(Services& services) {
    auto look = [&services] { return blocking_look_at_store(services); };
    const StoreView store = co_await services.quick_pool.run(look);
    const runs::PoolWatch::View& view = services.pool_watch.view();
    std::string text;
    json::Writer writer(text);
    writer.begin_object()
        .member("pool", services.pool_name)
        .member("leased", view.stats.leased)
        .member("delayed", view.stats.delayed)
        .member("workers", view.stats.workers)
        .key("redis")
        .begin_object()
        .member("reachable", view.reachable)
        .member("used_bytes", view.memory.used_bytes)
        .member("max_bytes", view.memory.max_bytes)
        .member("memory_full", view.memory_full)
        .end_object()
        .key("limits")
        .begin_array();
    for (const queue::LimitStats& limit : view.limits)
        write_limit(writer, limit, view.refusals.of(limit.key), store.known);
    writer.end_array();
    write_store(writer, store);
    writer.key("runs").begin_array();
    for (const queue::RunStats& run : view.stats.runs) {
        writer.begin_object()
            .member("run_id", run.run)
            .member("state", run.state)
            .member("outstanding", run.outstanding)
            .member("ready", run.ready)
            .member("results", run.results)
            .member("leased", run.leased)
            .member("oldest_job_s", oldest_job_s(services, run.run))
            .end_object();
    }
    writer.end_array().end_object();
    co_return http::Reply::json(std::move(text));
}

}  // namespace

void add_fleet_routes(RouteTable& table, Services& services) {
    table.add({.method = "GET",
               .pattern = "/api/v1/workers",
               .id = "list_workers",
               .section = "Fleet",
               .summary = "Workers that sent a heartbeat of late",
               .needs_store = false,
               .answers = {{200, "the workers, by name", "WorkerList"},
                           {503, "Redis does not answer", "Problem"}}},
              [&services](Call&) { return show_workers(services); });
    table.add({.method = "GET",
               .pattern = "/api/v1/queues",
               .id = "get_queues",
               .section = "Fleet",
               .summary = "What is out in Redis",
               .needs_store = false,
               .answers = {{200, "the queues", "Queues"}}},
              [&services](Call&) { return show_queues(services); });
}

}  // namespace evalfleet::api
