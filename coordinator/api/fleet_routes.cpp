#include "coordinator/api/fleet_routes.hpp"

#include "common/json/document.hpp"
#include "common/json/writer.hpp"
#include "coordinator/api/replies.hpp"

#include <chrono>
#include <optional>

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

void write_limit(json::Writer& writer, const queue::LimitStats& limit) {
    writer.begin_object()
        .member("limit_key", limit.key)
        .member("running", limit.running)
        .member("waiting", limit.unmet)
        .member("begun_waiting", limit.urgent)
        .member("calls_at_once", limit.calls)
        .member("calls_per_second", limit.rate)
        .member("refused", limit.refused)
        .member("paused_s", seconds(limit.paused))
        .member("reason", limit.reason)
        .member("changed_s_ago", seconds(limit.since_change))
        .end_object();
}

asio::awaitable<http::Reply> show_workers(Services& services) {
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
        write_limit(writer, limit);
    writer.end_array().key("runs").begin_array();
    for (const queue::RunStats& run : view.stats.runs) {
        writer.begin_object()
            .member("run_id", run.run)
            .member("state", run.state)
            .member("outstanding", run.outstanding)
            .member("ready", run.ready)
            .member("results", run.results)
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
