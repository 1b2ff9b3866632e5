#include "coordinator/runs/reconciler.hpp"

#include "common/queue/run_claim.hpp"
#include "common/queue/run_queue.hpp"
#include "coordinator/runs/redis_backoff.hpp"
#include "coordinator/store/store_id.hpp"

#include <boost/asio/this_coro.hpp>

#include <utility>

namespace evalfleet::runs {

namespace asio = boost::asio;
namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds kInterval{1};
constexpr std::chrono::minutes kForeignInterval{5};  // between looks at the runs of other stores

// What the store has of a run that nobody keeps. Missing is only what is certainly not there: in a
// store that can be read, and is the one it was.
struct OnDisk {
    Standing standing = Standing::elsewhere;
    bool is_missing = false;
};

OnDisk blocking_look_up(const fs::path& store, const std::string& store_id,
                        const std::string& run_id) {
    const store::RunFolder folder(store / "runs" / run_id);
    if (const auto name = folder.blocking_read_phase()) {
        const auto phase = parse_run_phase(*name);
        return {phase ? standing_of(*phase, false) : Standing::elsewhere, false};
    }
    std::error_code code;
    const auto type = fs::symlink_status(folder.path(), code).type();
    if (type != fs::file_type::not_found) return {};
    const auto id = store::blocking_read_store_id(store);
    return {Standing::elsewhere, id && *id == store_id};
}

}  // namespace

Reconciler::Reconciler(RunDeps deps, fs::path store, Look look)
    : deps_(std::move(deps)),
      logger_(deps_.logger.with("reconciler")),
      store_(std::move(store)),
      look_(std::move(look)) {}

asio::awaitable<void> Reconciler::run() {
    for (;;) {
        std::string broken;
        try {
            co_await compare();
        } catch (const std::exception& exception) {
            broken = exception.what();
        }
        const auto state = co_await asio::this_coro::cancellation_state;
        const bool is_cancelled = state.cancelled() != asio::cancellation_type::none;
        if (!broken.empty() && !is_cancelled)
            logger_.error("cannot compare the runs in Redis with the store", {{"error", broken}});
        co_await deps_.clock.wait_for(kInterval);
    }
}

void Reconciler::note_removed(const std::string& run_id) {
    // A look that is on its way now may have begun before.
    removed_.insert_or_assign(run_id, deps_.pool_watch.view().looks + 1);
}

asio::awaitable<void> Reconciler::compare() {
    const PoolWatch::View& view = deps_.pool_watch.view();
    if (!view.reachable || view.looks == compared_) co_return;
    compared_ = view.looks;
    std::set<std::string> present;
    std::set<std::string> suspects;
    for (const queue::RunStats& run : view.stats.runs) {
        present.insert(run.run);
        const auto standing = find_known(run.run);
        if (!standing || decide_state(*standing, run.state)) suspects.insert(run.run);
    }
    forget_what_is_gone(present);
    for (const std::string& run_id : suspects)
        co_await settle(run_id);
}

void Reconciler::forget_what_is_gone(const std::set<std::string>& present) {
    missing_.keep_only(present);
    const auto is_gone = [&](const auto& each) { return !present.contains(each.first); };
    std::erase_if(not_ours_, is_gone);
    std::erase_if(removed_,
                  [&](const auto& each) { return is_gone(each) && compared_ > each.second; });
}

std::optional<Standing> Reconciler::find_known(const std::string& run_id) const {
    if (auto standing = look_(run_id)) return standing;
    if (removed_.contains(run_id)) return Standing::over;
    return std::nullopt;
}

asio::awaitable<Standing> Reconciler::find_standing(std::string run_id, std::string owner) {
    auto look = [this, &run_id] { return blocking_look_up(store_, deps_.store_id, run_id); };
    const OnDisk found = co_await deps_.pool.run(look);
    const bool is_ours = !deps_.store_id.empty() && owner == deps_.store_id;
    if (!found.is_missing || !is_ours) {
        missing_.found(run_id);
        co_return found.standing;
    }
    co_return missing_.is_over(run_id, deps_.clock.now()) ? Standing::over : Standing::going;
}

asio::awaitable<void> Reconciler::settle(std::string run_id) {
    const async::TimePoint now = deps_.clock.now();
    const auto again = not_ours_.find(run_id);
    if (again != not_ours_.end() && now < again->second) co_return;
    const auto claim =
        co_await queue::read_claim(deps_.client, deps_.keys, run_id, now + kCallTimeout);
    if (!claim) co_return;  // Redis is away: the next look comes when it is back
    auto standing = find_known(run_id);
    if (!standing) standing = co_await find_standing(run_id, claim->owner);
    if (*standing == Standing::elsewhere && !look_(run_id)) {
        const bool is_new =
            not_ours_.insert_or_assign(run_id, deps_.clock.now() + kForeignInterval).second;
        if (is_new)
            logger_.info("Redis has a run that is not of this store; it is left alone",
                         {{"run", run_id}, {"owner", claim->owner}});
        co_return;
    }
    // It may have been taken up while the store was read.
    if (const auto known = find_known(run_id)) standing = known;
    const auto state = decide_state(*standing, claim->state);
    if (!state) co_return;
    queue::RunQueue queue(deps_.client, deps_.functions, deps_.keys, run_id, claim->epoch);
    const auto set = co_await queue.set_state(*state, deps_.clock.now() + kCallTimeout);
    if (!set) {
        logger_.warn("cannot stop a run in Redis; tries again",
                     {{"run", run_id}, {"error", set.error()}});
        co_return;
    }
    logger_.info("stopped in Redis what was stopped here",
                 {{"run", run_id}, {"was", claim->state}, {"is", to_string(*state)}});
}

}  // namespace evalfleet::runs
