#include "common/queue/run_queue.hpp"

#include "common/queue/decode.hpp"
#include "common/redis/convert.hpp"

#include <fmt/format.h>

#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

namespace evalfleet::queue {

namespace asio = boost::asio;

namespace {

constexpr std::int64_t kListSlice = 2'000;  // keeps Redis busy for a fraction of a millisecond

void append(std::vector<std::string>& arguments, const std::vector<std::uint64_t>& indexes) {
    for (const std::uint64_t index : indexes)
        arguments.push_back(std::to_string(index));
}

void append(std::vector<std::string>& arguments, const Budget& budget) {
    arguments.push_back(std::to_string(budget.limit));
    arguments.push_back(fmt::format("{}", budget.per_job));
    arguments.push_back(fmt::format("{}", budget.per_byte));
    arguments.push_back(std::to_string(budget.spent));
}

/// "index,since", or the index alone; what is neither names no job.
std::optional<std::uint64_t> parse_ready_entry(std::string_view entry) {
    const std::size_t comma = entry.find(',');
    const bool is_whole = comma == std::string_view::npos || parse_index(entry.substr(comma + 1));
    return is_whole ? parse_index(entry.substr(0, comma)) : std::nullopt;
}

Result<std::vector<std::uint64_t>> parse_indexes(const std::vector<redis::Reply>& items,
                                                 std::size_t first) {
    std::vector<std::uint64_t> indexes;
    for (std::size_t i = first; i < items.size(); ++i) {
        const bool is_text = items[i].type() == redis::Reply::Type::string;
        const auto index = is_text ? parse_index(items[i].text()) : std::nullopt;
        if (!index)
            return Error{ErrorKind::invalid, "a job in Redis has an index that is no number"};
        indexes.push_back(*index);
    }
    return indexes;
}

}  // namespace

std::string_view to_string(RunState state) noexcept {
    switch (state) {
        case RunState::running:
            return "run";
        case RunState::paused:
            return "pause";
        case RunState::cancelled:
            return "cancel";
        case RunState::done:
            return "done";
    }
    return "run";
}

RunQueue::RunQueue(redis::Client& client, redis::FunctionLibrary& functions, Keys keys,
                   std::string run, std::uint64_t epoch)
    : client_(client),
      functions_(functions),
      keys_(std::move(keys)),
      run_(std::move(run)),
      epoch_(epoch) {}

std::vector<std::string> RunQueue::arguments() const {
    return {run_, std::to_string(epoch_)};
}

asio::awaitable<Result<redis::Reply>> RunQueue::call(std::string function,
                                                     std::vector<std::string> arguments,
                                                     async::TimePoint deadline) {
    std::vector<std::string> keys{keys_.base()};
    co_return co_await functions_.call(std::move(function), std::move(keys), std::move(arguments),
                                       deadline);
}

asio::awaitable<Result<std::uint64_t>> RunQueue::call_for_count(std::string function,
                                                                std::vector<std::string> arguments,
                                                                async::TimePoint deadline) {
    const auto reply = co_await call(std::move(function), std::move(arguments), deadline);
    if (!reply) co_return reply.error();
    const auto items = decode_owned(*reply);
    if (!items) co_return items.error();
    if (items->size() < 2) co_return Error{ErrorKind::invalid, "the queue's answer has no count"};
    const auto count = redis::as<std::int64_t>((*items)[1]);
    if (!count) co_return count.error();
    co_return static_cast<std::uint64_t>(*count);
}

asio::awaitable<Status> RunQueue::own(RunTerms terms, async::TimePoint deadline) {
    std::vector<std::string> all = arguments();
    all.push_back(fmt::format("{}", terms.share));
    all.push_back(std::to_string(terms.max_deliveries));
    all.emplace_back(to_string(terms.state));
    all.push_back(std::move(terms.spec));
    all.push_back(std::to_string(terms.max_in_flight));
    append(all, terms.cost);
    append(all, terms.tokens);
    all.push_back(join(terms.needs));
    all.push_back(std::move(terms.owner));
    const auto reply = co_await call("ef1_own", std::move(all), deadline);
    if (!reply) co_return reply.error();
    const auto owned = decode_owned(*reply);
    if (!owned) co_return owned.error();
    co_return Status();
}

asio::awaitable<Result<Enqueued>> RunQueue::enqueue(std::vector<NewJob> jobs,
                                                    std::uint64_t max_jobs,
                                                    async::TimePoint deadline) {
    std::vector<std::string> all = arguments();
    all.push_back(std::to_string(max_jobs));
    for (NewJob& job : jobs) {
        all.push_back(std::to_string(job.index));
        all.push_back(std::move(job.payload));
    }
    const auto reply = co_await call("ef1_enq", std::move(all), deadline);
    if (!reply) co_return reply.error();
    co_return decode_enqueued(*reply);
}

asio::awaitable<Result<std::vector<RunResult>>> RunQueue::results(
    redis::Client& blocking, std::size_t count, std::chrono::milliseconds patience,
    async::TimePoint deadline) {
    // Always from 0-0: what is acknowledged is gone, and after a loss of data new entries may have
    // lower ids than those we have seen.
    const auto reply =
        co_await blocking.execute(redis::Command("XREAD", "COUNT", count, "BLOCK", patience.count(),
                                                 "STREAMS", keys_.results(run_), "0-0"),
                                  deadline);
    if (!reply) co_return reply.error();
    co_return decode_stream(*reply);
}

asio::awaitable<Status> RunQueue::acknowledge(std::vector<std::string> ids,
                                              async::TimePoint deadline) {
    std::vector<std::string> all = arguments();
    for (std::string& id : ids)
        all.push_back(std::move(id));
    const auto removed = co_await call_for_count("ef1_ack", std::move(all), deadline);
    if (!removed) co_return removed.error();
    co_return Status();
}

asio::awaitable<Result<std::vector<std::uint64_t>>> RunQueue::call_for_indexes(
    std::string function, std::vector<std::uint64_t> indexes, async::TimePoint deadline) {
    std::vector<std::string> all = arguments();
    append(all, indexes);
    const auto reply = co_await call(std::move(function), std::move(all), deadline);
    if (!reply) co_return reply.error();
    const auto items = decode_owned(*reply);
    if (!items) co_return items.error();
    co_return parse_indexes(*items, 1);
}

asio::awaitable<Result<std::vector<std::uint64_t>>> RunQueue::absent(
    std::vector<std::uint64_t> indexes, async::TimePoint deadline) {
    return call_for_indexes("ef1_check", std::move(indexes), deadline);
}

asio::awaitable<Result<std::vector<std::uint64_t>>> RunQueue::unheld(
    std::vector<std::uint64_t> indexes, async::TimePoint deadline) {
    return call_for_indexes("ef1_unheld", std::move(indexes), deadline);
}

asio::awaitable<Result<std::unordered_set<std::uint64_t>>> RunQueue::present(
    async::TimePoint deadline, std::size_t slice) {
    std::unordered_set<std::uint64_t> indexes;
    std::string cursor = "0";
    do {
        std::vector<std::string> all = arguments();
        all.push_back(std::move(cursor));
        all.push_back(std::to_string(slice));
        const auto reply = co_await call("ef1_jobs", std::move(all), deadline);
        if (!reply) co_return reply.error();
        const auto items = decode_owned(*reply);
        if (!items) co_return items.error();
        if (items->size() < 2 || (*items)[1].type() != redis::Reply::Type::string)
            co_return Error{ErrorKind::invalid, "the queue's answer has no cursor"};
        cursor = (*items)[1].text();
        const auto some = parse_indexes(*items, 2);
        if (!some) co_return some.error();
        indexes.insert(some->begin(), some->end());
    } while (cursor != "0");
    co_return indexes;
}

asio::awaitable<Result<std::unordered_set<std::uint64_t>>> RunQueue::ready(
    async::TimePoint deadline) {
    std::unordered_set<std::uint64_t> indexes;
    for (std::int64_t from = 0;; from += kListSlice) {
        const redis::Command slice("LRANGE", keys_.ready(run_), from, from + kListSlice - 1);
        const auto entries = co_await client_.execute_as<std::vector<std::string>>(slice, deadline);
        if (!entries) co_return entries.error();
        for (const std::string& entry : *entries)
            if (const auto index = parse_ready_entry(entry)) indexes.insert(*index);
        if (std::ssize(*entries) < kListSlice) co_return indexes;
    }
}

asio::awaitable<Result<std::uint64_t>> RunQueue::cut_result(std::uint64_t max_bytes,
                                                            async::TimePoint deadline) {
    std::vector<std::string> all = arguments();
    all.push_back(std::to_string(max_bytes));
    co_return co_await call_for_count("ef1_cut", std::move(all), deadline);
}

asio::awaitable<Result<std::uint64_t>> RunQueue::remove(std::vector<std::uint64_t> indexes,
                                                        async::TimePoint deadline) {
    std::vector<std::string> all = arguments();
    append(all, indexes);
    co_return co_await call_for_count("ef1_remove", std::move(all), deadline);
}

asio::awaitable<Result<std::uint64_t>> RunQueue::mend(std::vector<std::uint64_t> indexes,
                                                      async::TimePoint deadline) {
    std::vector<std::string> all = arguments();
    append(all, indexes);
    co_return co_await call_for_count("ef1_mend", std::move(all), deadline);
}

asio::awaitable<Result<std::uint64_t>> RunQueue::set_state(RunState state,
                                                           async::TimePoint deadline) {
    std::vector<std::string> all = arguments();
    all.emplace_back(to_string(state));
    const auto reply = co_await call("ef1_state", std::move(all), deadline);
    if (!reply) co_return reply.error();
    co_return decode_waiting(*reply);
}

}  // namespace evalfleet::queue
