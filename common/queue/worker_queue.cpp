#include "common/queue/worker_queue.hpp"

#include "common/queue/decode.hpp"
#include "common/redis/convert.hpp"
#include "common/redis/server_error.hpp"

#include <utility>

namespace evalfleet::queue {

namespace asio = boost::asio;

namespace {

void append(std::vector<std::string>& arguments, const JobRef& job) {
    arguments.push_back(job.run);
    arguments.push_back(std::to_string(job.index));
    arguments.push_back(std::to_string(job.attempt));
}

}  // namespace

std::string join(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "" : " ") + name;
    return text;
}

WorkerQueue::WorkerQueue(redis::FunctionLibrary& functions, Keys keys, std::string worker)
    : functions_(functions), keys_(std::move(keys)), worker_(std::move(worker)) {}

asio::awaitable<Result<Taken>> WorkerQueue::take(std::size_t count, std::chrono::milliseconds lease,
                                                 std::vector<std::string> providers,
                                                 async::TimePoint deadline) {
    std::vector<std::string> arguments{worker_, std::to_string(count),
                                       std::to_string(lease.count()), join(providers)};
    const std::vector<std::string> keys{keys_.base()};
    auto reply = co_await functions_.call("ef1_take", keys, arguments, deadline);
    if (!reply && redis::is_out_of_memory(reply.error()))
        reply = co_await functions_.call("ef1_take_when_full", keys, arguments, deadline);
    if (!reply) co_return reply.error();
    co_return decode_taken(*reply);
}

asio::awaitable<Result<std::vector<Beat>>> WorkerQueue::beat(std::vector<JobRef> held,
                                                             std::chrono::milliseconds lease,
                                                             async::TimePoint deadline) {
    std::vector<std::string> arguments{worker_, std::to_string(lease.count())};
    for (const JobRef& job : held)
        append(arguments, job);
    std::vector<std::string> keys{keys_.base()};
    const auto reply =
        co_await functions_.call("ef1_beat", std::move(keys), std::move(arguments), deadline);
    if (!reply) co_return reply.error();
    co_return decode_beats(*reply, held.size());
}

asio::awaitable<Result<std::vector<Delivery>>> WorkerQueue::done(std::vector<JobResult> results,
                                                                 async::TimePoint deadline) {
    std::vector<std::string> arguments;
    arguments.reserve(results.size() * 6);
    for (JobResult& result : results) {
        append(arguments, result.job);
        arguments.push_back(std::move(result.record));
        arguments.push_back(std::to_string(result.spent.nano_usd));
        arguments.push_back(std::to_string(result.spent.tokens));
    }
    std::vector<std::string> keys{keys_.base()};
    const auto reply =
        co_await functions_.call("ef1_done_all", std::move(keys), std::move(arguments), deadline);
    if (!reply) co_return reply.error();
    co_return decode_deliveries(*reply, results.size());
}

asio::awaitable<Result<Delivery>> WorkerQueue::done(JobRef job, std::string record, Spent spent,
                                                    async::TimePoint deadline) {
    std::vector<JobResult> results;
    results.push_back({std::move(job), std::move(record), spent});
    const auto deliveries = co_await done(std::move(results), deadline);
    if (!deliveries) co_return deliveries.error();
    co_return deliveries->front();
}

asio::awaitable<Result<Delivery>> WorkerQueue::done(JobRef job, std::string record,
                                                    async::TimePoint deadline) {
    return done(std::move(job), std::move(record), Spent{}, deadline);
}

asio::awaitable<Result<Failure>> WorkerQueue::fail(JobRef job, std::chrono::milliseconds delay,
                                                   std::uint64_t max_tries, std::string reason,
                                                   async::TimePoint deadline) {
    std::vector<std::string> arguments{worker_};
    append(arguments, job);
    arguments.push_back(std::to_string(delay.count()));
    arguments.push_back(std::to_string(max_tries));
    arguments.push_back(std::move(reason));
    std::vector<std::string> keys{keys_.base()};
    const auto reply =
        co_await functions_.call("ef1_fail", std::move(keys), std::move(arguments), deadline);
    if (!reply) co_return reply.error();
    co_return decode_failure(*reply);
}

asio::awaitable<Result<Failure>> WorkerQueue::setback(JobRef job, JobSetback setback,
                                                      async::TimePoint deadline) {
    std::vector<std::string> arguments{worker_};
    append(arguments, job);
    arguments.push_back(setback.delay ? std::to_string(setback.delay->count()) : "-1");
    arguments.push_back(std::to_string(setback.elapsed.count()));
    arguments.push_back(std::move(setback.past));
    arguments.push_back(std::move(setback.note));
    std::vector<std::string> keys{keys_.base()};
    const auto reply =
        co_await functions_.call("ef1_setback", std::move(keys), std::move(arguments), deadline);
    if (!reply) co_return reply.error();
    co_return decode_failure(*reply);
}

asio::awaitable<Result<std::uint64_t>> WorkerQueue::count_jobs(std::string function,
                                                               std::vector<JobRef> jobs,
                                                               async::TimePoint deadline) {
    std::vector<std::string> arguments{worker_};
    for (const JobRef& job : jobs)
        append(arguments, job);
    std::vector<std::string> keys{keys_.base()};
    auto reply = co_await functions_.call(std::move(function), std::move(keys),
                                          std::move(arguments), deadline);
    if (!reply) co_return reply.error();
    const auto count = redis::as<std::int64_t>(std::move(*reply));
    if (!count) co_return count.error();
    co_return static_cast<std::uint64_t>(*count);
}

asio::awaitable<Result<std::uint64_t>> WorkerQueue::release(std::vector<JobRef> jobs,
                                                            async::TimePoint deadline) {
    return count_jobs("ef1_release", std::move(jobs), deadline);
}

asio::awaitable<Result<std::uint64_t>> WorkerQueue::begun(std::vector<JobRef> jobs,
                                                          async::TimePoint deadline) {
    return count_jobs("ef1_begun", std::move(jobs), deadline);
}

asio::awaitable<Status> WorkerQueue::leave(async::TimePoint deadline) {
    std::vector<std::string> arguments{worker_};
    std::vector<std::string> keys{keys_.base()};
    const auto reply =
        co_await functions_.call("ef1_leave", std::move(keys), std::move(arguments), deadline);
    if (!reply) co_return reply.error();
    co_return Status();
}

}  // namespace evalfleet::queue
