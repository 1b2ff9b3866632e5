#include "common/queue/worker_roster.hpp"

#include "common/queue/decode.hpp"
#include "common/queue/functions_text.hpp"

#include <algorithm>
#include <utility>

namespace evalfleet::queue {

namespace asio = boost::asio;

namespace {

using redis::Reply;

constexpr std::size_t kMaxWorkers = 10'000;

std::optional<WorkerSighting> decode_sighting(const Reply& reply) {
    if (reply.type() != Reply::Type::array || reply.items().size() != 3) return std::nullopt;
    const Reply& name = reply.items()[0];
    const Reply& age = reply.items()[1];
    const Reply& card = reply.items()[2];
    const bool is_sighting = name.type() == Reply::Type::string && is_run_id(name.text()) &&
                             age.type() == Reply::Type::integer &&
                             card.type() == Reply::Type::string;
    if (!is_sighting) return std::nullopt;
    return WorkerSighting{name.text(), std::chrono::milliseconds(age.as_integer()), card.text()};
}

}  // namespace

WorkerRoster::WorkerRoster(redis::Client& client, Keys keys)
    : functions_(client, redis::parse_library(std::string(functions_text())).value()),
      keys_(std::move(keys)) {}

asio::awaitable<Status> WorkerRoster::announce(std::string worker, std::string card,
                                               std::chrono::milliseconds lifetime,
                                               async::TimePoint deadline) {
    std::vector<std::string> keys{keys_.base()};
    std::vector<std::string> arguments{std::move(worker), std::to_string(lifetime.count()),
                                       std::move(card)};
    const auto reply =
        co_await functions_.call("ef1_card", std::move(keys), std::move(arguments), deadline);
    if (!reply) co_return reply.error();
    co_return Status();
}

asio::awaitable<Result<std::vector<WorkerSighting>>> WorkerRoster::read(async::TimePoint deadline) {
    std::vector<std::string> keys{keys_.base()};
    std::vector<std::string> arguments{std::to_string(kMaxWorkers)};
    const auto reply =
        co_await functions_.call("ef1_workers", std::move(keys), std::move(arguments), deadline);
    if (!reply) co_return reply.error();
    if (reply->type() != Reply::Type::array)
        co_return Error{ErrorKind::invalid, "Redis gave an answer that makes no sense"};
    std::vector<WorkerSighting> workers;
    // A name that no worker of ours has was put there by somebody else.
    for (const Reply& item : reply->items())
        if (auto sighting = decode_sighting(item)) workers.push_back(std::move(*sighting));
    std::sort(workers.begin(), workers.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    co_return workers;
}

}  // namespace evalfleet::queue
