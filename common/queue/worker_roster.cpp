#include "common/queue/worker_roster.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace evalfleet::queue {

namespace asio = boost::asio;

namespace {

using redis::Command;
using redis::Reply;

constexpr std::chrono::minutes kForgotten{1};  // as in functions.lua
constexpr std::size_t kMaxWorkers = 10'000;

bool has_texts(const Reply& reply) {
    if (reply.type() != Reply::Type::array) return false;
    for (const Reply& item : reply.items())
        if (item.type() != Reply::Type::string) return false;
    return true;
}

std::optional<double> number(const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

// Milliseconds of the server's clock, from its answer to TIME.
std::optional<double> server_ms(const Reply& reply) {
    if (!has_texts(reply) || reply.items().size() != 2) return std::nullopt;
    const auto seconds = number(reply.items()[0].text());
    const auto micros = number(reply.items()[1].text());
    if (!seconds || !micros) return std::nullopt;
    return *seconds * 1000 + *micros / 1000;
}

std::vector<WorkerSighting> sightings(const Reply& beats, double now_ms) {
    std::vector<WorkerSighting> workers;
    for (std::size_t i = 0; i + 1 < beats.items().size() && workers.size() < kMaxWorkers; i += 2) {
        const auto beat_ms = number(beats.items()[i + 1].text());
        const std::string& name = beats.items()[i].text();
        if (!beat_ms || !is_run_id(name)) continue;
        const std::chrono::milliseconds age(
            static_cast<std::int64_t>(std::max(0.0, now_ms - *beat_ms)));
        if (age <= kForgotten) workers.push_back({name, age, {}});
    }
    std::sort(workers.begin(), workers.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    return workers;
}

}  // namespace

WorkerRoster::WorkerRoster(redis::Client& client, Keys keys)
    : client_(client), keys_(std::move(keys)) {}

asio::awaitable<Status> WorkerRoster::announce(std::string worker, std::string card,
                                               std::chrono::milliseconds lifetime,
                                               async::TimePoint deadline) {
    Command command("SET", keys_.card(worker), card, "PX", lifetime.count());
    const auto reply = co_await client_.execute(std::move(command), deadline);
    if (!reply) co_return reply.error();
    co_return Status();
}

asio::awaitable<Result<std::vector<WorkerSighting>>> WorkerRoster::read(async::TimePoint deadline) {
    const Error nonsense{ErrorKind::invalid, "Redis gave an answer that makes no sense"};
    const auto time = co_await client_.execute(Command("TIME"), deadline);
    if (!time) co_return time.error();
    Command list("ZRANGE", keys_.workers(), 0, -1, "WITHSCORES");
    const auto beats = co_await client_.execute(std::move(list), deadline);
    if (!beats) co_return beats.error();
    const auto now_ms = server_ms(*time);
    if (!now_ms || !has_texts(*beats)) co_return nonsense;
    auto workers = sightings(*beats, *now_ms);
    if (workers.empty()) co_return workers;
    Command get("MGET");
    for (const WorkerSighting& worker : workers)
        get.add(keys_.card(worker.name));
    const auto cards = co_await client_.execute(std::move(get), deadline);
    if (!cards) co_return cards.error();
    if (cards->type() != Reply::Type::array || cards->items().size() != workers.size())
        co_return nonsense;
    for (std::size_t i = 0; i < workers.size(); ++i)
        if (cards->items()[i].type() == Reply::Type::string)
            workers[i].card = cards->items()[i].text();
    co_return workers;
}

}  // namespace evalfleet::queue
