#include "worker/executor/run_contexts.hpp"

#include <algorithm>
#include <utility>

namespace evalfleet::worker {

namespace asio = boost::asio;

RunContexts::RunContexts(redis::Client& client, queue::Keys keys, const ProviderSet& providers,
                         async::BlockingPool& pool)
    : client_(client), keys_(std::move(keys)), providers_(providers), pool_(pool) {}

asio::awaitable<Result<RunContexts::Shared>> RunContexts::get(std::string run_id,
                                                              async::TimePoint deadline) {
    if (Shared known = find(run_id)) co_return known;
    const async::Semaphore::Permit permit = co_await loading_.acquire();
    if (Shared known = find(run_id)) co_return known;

    const redis::Command command("HGET", keys_.run(run_id), "spec");
    const auto spec = co_await client_.execute_as<std::optional<std::string>>(command, deadline);
    if (!spec) co_return spec.error();
    if (!*spec) co_return Error{ErrorKind::not_found, "Redis does not know the run"};

    auto create = [&] {
        return std::optional(
            RunContext::create(run_id, **spec, providers_, Redactors(providers_.secrets())));
    };
    auto context = *co_await pool_.run(create);
    if (!context) co_return context.error();
    Shared shared = std::make_shared<const RunContext>(*std::move(context));
    keep(shared);
    co_return shared;
}

RunContexts::Shared RunContexts::find(const std::string& run_id) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(contexts_.begin(), contexts_.end(), [&](const Shared& context) {
        return context->run_id == run_id;
    });
    if (found == contexts_.end()) return nullptr;
    contexts_.splice(contexts_.begin(), contexts_, found);
    return contexts_.front();
}

void RunContexts::keep(Shared context) {
    const std::lock_guard lock(mutex_);
    contexts_.push_front(std::move(context));
    if (contexts_.size() > kMaxRuns) contexts_.pop_back();
}

}  // namespace evalfleet::worker
