#include "coordinator/runs/pool_watch.hpp"

#include "common/json/document.hpp"
#include "common/queue/decode.hpp"

#include <utility>

namespace evalfleet::runs {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds kInterval{1};
constexpr std::chrono::seconds kTimeout{2};
constexpr std::size_t kReapLimit = 64;  // in one call: Redis is busy for less than 2 ms

std::optional<std::string_view> text_after(std::string_view info, std::string_view name) {
    const auto begin = info.find(name);
    if (begin == std::string_view::npos) return std::nullopt;
    const std::string_view text = info.substr(begin + name.size());
    return text.substr(0, text.find('\r'));
}

std::optional<std::uint64_t> number_after(std::string_view info, std::string_view name) {
    const auto text = text_after(info, name);
    return text ? queue::parse_index(*text) : std::nullopt;
}

}  // namespace

std::optional<RedisMemory> parse_memory_info(std::string_view info) {
    const auto used = number_after(info, "\r\nused_memory:");
    const auto max = number_after(info, "\r\nmaxmemory:");
    if (!used || !max) return std::nullopt;
    return RedisMemory{*used, *max};
}

bool is_memory_full(const RedisMemory& memory, bool was_full) noexcept {
    if (memory.max_bytes == 0) return false;
    const double share =
        static_cast<double>(memory.used_bytes) / static_cast<double>(memory.max_bytes);
    return share >= (was_full ? 0.65 : 0.70);
}

std::optional<std::string> EvictionWatch::observe(std::string_view info) {
    const auto policy = text_after(info, "\r\nmaxmemory_policy:");
    if (!policy || policy->empty() || *policy == last_) return std::nullopt;
    last_ = *policy;
    if (last_ == "noeviction") return std::nullopt;
    return last_;
}

WorkerFacts read_worker_facts(const queue::WorkerSighting& sighting) {
    WorkerFacts facts{sighting.name, {}, {}};
    const auto document = json::Document::parse(sighting.card);
    if (!document) return facts;
    if (auto names = document->root().get<std::vector<std::string>>("providers"))
        facts.providers = *std::move(names);
    const auto member = document->root().find("unreachable");
    const auto reasons = member ? member->as_object() : Error{ErrorKind::not_found, ""};
    if (!reasons) return facts;
    for (const auto& [provider, reason] : *reasons) {
        if (const auto text = reason.as_string()) facts.unreachable.emplace(provider, *text);
    }
    return facts;
}

PoolWatch::PoolWatch(queue::PoolQueue& queue, queue::PermitQueue& permits,
                     queue::WorkerRoster& roster, redis::Client& client, RunsMetrics& metrics,
                     async::Clock& clock, log::Logger logger)
    : queue_(queue),
      permits_(permits),
      roster_(roster),
      client_(client),
      metrics_(metrics),
      clock_(clock),
      logger_(std::move(logger)) {
    view_.last_worker = clock_.now();
}

asio::awaitable<void> PoolWatch::run() {
    for (;;) {
        co_await look();
        if (view_.reachable) co_await reap();
        if (view_.reachable) co_await check_memory();
        if (view_.reachable) co_await look_at_limits();
        if (view_.reachable) co_await look_at_workers();
        co_await clock_.wait_for(kInterval);
    }
}

asio::awaitable<void> PoolWatch::reap() {
    for (;;) {
        const auto reaped = co_await queue_.reap(kReapLimit, clock_.now() + kTimeout);
        if (!reaped || reaped->requeued + reaped->dead == 0) co_return;
        metrics_.leases_requeued.increment(static_cast<double>(reaped->requeued));
        metrics_.leases_dead.increment(static_cast<double>(reaped->dead));
        logger_.warn("leases ran out", {{"requeued", reaped->requeued}, {"dead", reaped->dead}});
        if (reaped->requeued + reaped->dead < kReapLimit) co_return;
    }
}

asio::awaitable<void> PoolWatch::look() {
    auto stats = co_await queue_.stats(clock_.now() + kTimeout);
    const redis::ConnectionState state = client_.state();
    const bool is_connected = state.phase == redis::ConnectionState::Phase::ready;
    const bool is_news = stats.has_value() != view_.reachable ||
                         (!stats && is_connected != view_.connected) || !was_looked_at_;
    was_looked_at_ = true;
    if (is_news && stats) logger_.info("connected to Redis");
    if (is_news && !stats && !is_connected)
        logger_.warn("Redis cannot be reached; trying again until it can",
                     {{"error", state.last_error.value_or(stats.error())}});
    if (is_news && !stats && is_connected)
        logger_.error("Redis answers, but the queue cannot be used; trying again until it can",
                      {{"error", stats.error()}});
    view_.reachable = stats.has_value();
    view_.connected = is_connected;
    if (!stats) co_return;
    view_.stats = std::move(*stats);
    ++view_.looks;
    if (view_.stats.workers > 0) view_.last_worker = clock_.now();
}

asio::awaitable<void> PoolWatch::look_at_limits() {
    auto limits = co_await permits_.stats(clock_.now() + kTimeout);
    if (!limits) co_return;
    view_.limits = std::move(*limits);
    view_.refusals.observe(view_.limits, clock_.now());
    for (const queue::LimitStats& limit : view_.limits)
        report(limit);
}

void PoolWatch::report(const queue::LimitStats& limit) {
    std::string& last = reasons_[limit.key];
    if (limit.reason == last) return;
    last = limit.reason;
    logger_.info("limit changed", {{"limit_key", limit.key},
                                   {"calls_at_once", limit.calls},
                                   {"calls_per_second", limit.rate},
                                   {"reason", limit.reason}});
}

asio::awaitable<void> PoolWatch::look_at_workers() {
    const auto sightings = co_await roster_.read(clock_.now() + kTimeout);
    if (!sightings) co_return;
    view_.workers.clear();
    for (const queue::WorkerSighting& sighting : *sightings) {
        // One whose card was lost with Redis's data has said nothing yet; the next one comes soon.
        if (!sighting.card.empty()) view_.workers.push_back(read_worker_facts(sighting));
    }
}

asio::awaitable<void> PoolWatch::check_memory() {
    auto info = co_await client_.execute_as<std::string>(redis::Command("INFO", "memory"),
                                                         clock_.now() + kTimeout);
    if (!info) co_return;
    check_eviction(*info);
    const auto memory = parse_memory_info(*info);
    if (!memory) co_return;
    view_.memory = *memory;
    const bool is_full = is_memory_full(*memory, view_.memory_full);
    if (is_full != view_.memory_full) {
        logger_.warn(is_full ? "Redis is filling up; no more trials go out"
                             : "Redis has room again; trials go out",
                     {{"used_bytes", memory->used_bytes}, {"max_bytes", memory->max_bytes}});
    }
    view_.memory_full = is_full;
}

void PoolWatch::check_eviction(std::string_view info) {
    if (const auto policy = eviction_.observe(info)) {
        logger_.warn(
            "Redis forgets data when its memory is full, and calls are paid twice; set "
            "maxmemory-policy to noeviction",
            {{"maxmemory_policy", *policy}});
    }
}

}  // namespace evalfleet::runs
