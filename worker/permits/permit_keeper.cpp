#include "worker/permits/permit_keeper.hpp"

#include "common/async/deadline.hpp"
#include "common/async/task_group.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace evalfleet::worker {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds kTimeout{2};
constexpr std::chrono::milliseconds kCloseStep{10};
constexpr std::chrono::milliseconds kLookStep{50};
constexpr std::size_t kMostDesks = 256;

asio::awaitable<Status> wait_for(std::shared_ptr<async::Waiter> waiter) {
    co_await waiter->wait();
    co_return Status();
}

}  // namespace

Permit::Permit(PermitReceipt receipt, PermitMetrics* metrics, async::Clock& clock) noexcept
    : receipt_(receipt), metrics_(metrics), clock_(&clock) {}

Permit::Permit(Permit&& other) noexcept
    : receipt_(other.receipt_),
      metrics_(other.metrics_),
      clock_(std::exchange(other.clock_, nullptr)) {}

Permit& Permit::operator=(Permit&& other) noexcept {
    std::swap(receipt_, other.receipt_);
    std::swap(metrics_, other.metrics_);
    std::swap(clock_, other.clock_);
    return *this;
}

Permit::~Permit() {
    if (clock_ == nullptr) return;
    CallEnd dropped;
    dropped.kind = CallEnd::Kind::unsent;
    dropped.sent = clock_->now();
    settle(dropped);
}

void Permit::settle(CallEnd end) {
    async::Clock* clock = std::exchange(clock_, nullptr);
    if (clock == nullptr) return;
    if (end.kind == CallEnd::Kind::throttled) metrics_->throttled.increment();
    end.purpose = receipt_.purpose;
    end.waited = receipt_.waited;
    receipt_.desk->end(receipt_.charge, end, clock->now());
}

PermitKeeper::PermitKeeper(async::Clock& clock, queue::PermitQueue& queue, LimitKeys keys,
                           const std::vector<std::string>& providers, queue::WindowTerms terms,
                           metrics::Registry& registry, Random random, log::Logger logger)
    : clock_(clock),
      queue_(queue),
      keys_(std::move(keys)),
      terms_(terms),
      random_(std::move(random)),
      logger_(std::move(logger)) {
    for (const std::string& provider : providers)
        metrics_.emplace(provider, PermitMetrics(registry, provider));
}

PermitKeeper::~PermitKeeper() = default;

PermitDesk& PermitKeeper::open_desk(const queue::LimitKey& key) {
    auto& desk = desks_[key.name];
    if (!desk) {
        desk = std::make_unique<PermitDesk>(PermitBook::Config{key, terms_});
        unattended_.push_back(desk.get());
        opened_.notify_all();
    }
    return *desk;
}

PermitDesk& PermitKeeper::desk_of(const std::string& provider, const std::string& model) {
    const queue::LimitKey key = keys_.of(provider, model);
    const std::lock_guard lock(mutex_);
    // Models are named by runs: past this many they share what calls of no model have.
    const bool is_known = desks_.contains(key.name) || desks_.size() < kMostDesks;
    PermitDesk& desk = open_desk(is_known ? key : keys_.of(provider, ""));
    used_by_[provider].insert(&desk);
    return desk;
}

std::vector<PermitDesk*> PermitKeeper::take_unattended() {
    const std::lock_guard lock(mutex_);
    return std::exchange(unattended_, {});
}

asio::awaitable<void> PermitKeeper::run() {
    const auto executor = co_await asio::this_coro::executor;
    std::exception_ptr end;
    async::TaskGroup attendants(executor, [&](std::exception_ptr failure) {
        end = std::move(failure);
        opened_.notify_all();
    });
    while (!end) {
        for (PermitDesk* desk : take_unattended())
            attendants.spawn(attend(*desk));
        try {
            co_await opened_.wait(clock_, clock_.now() + kLookStep);
        } catch (...) {
            end = std::current_exception();
        }
    }
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    attendants.cancel();
    co_await attendants.join();
    std::rethrow_exception(end);
}

asio::awaitable<void> PermitKeeper::attend(PermitDesk& desk) {
    const auto executor = co_await asio::this_coro::executor;
    bool is_failing = false;
    for (;;) {
        const auto sleeper = std::make_shared<async::Waiter>(executor);
        PermitDesk::Turn turn = desk.next_turn(sleeper, clock_.now());
        if (!turn.ask) {
            (void)co_await async::with_deadline(clock_, turn.due, wait_for(sleeper));
            const auto state = co_await asio::this_coro::cancellation_state;
            if (state.cancelled() != asio::cancellation_type::none) co_return;
            continue;
        }
        const async::TimePoint asked = clock_.now();
        const auto answer =
            co_await queue_.ask(desk.key(), terms_, *std::move(turn.ask), asked + kTimeout);
        if (answer) {
            desk.answered(*answer, asked, clock_.now(), random_());
        } else {
            desk.failed(clock_.now());
        }
        std::optional<Error> failure;
        if (!answer) failure = answer.error();
        report(desk, is_failing, failure);
    }
}

void PermitKeeper::report(PermitDesk& desk, bool& is_failing,
                          const std::optional<Error>& error) const {
    if (const std::string news = desk.take_news(); !news.empty()) {
        const PermitDesk::View view = desk.view(clock_.now());
        logger_.info("limit changed", {{"limit_key", desk.key().name},
                                       {"calls_at_once", view.fleet_limit},
                                       {"calls_per_second", view.fleet_rate},
                                       {"reason", news}});
    }
    const bool was_failing = std::exchange(is_failing, error.has_value());
    if (was_failing == is_failing) return;
    if (!error) {
        logger_.info("permits come again", {{"limit_key", desk.key().name}});
        return;
    }
    logger_.warn(
        "Redis gives no permits; calls under way go on, new ones wait once what is held runs out",
        {{"limit_key", desk.key().name}, {"error", *error}});
}

asio::awaitable<Permit> PermitKeeper::acquire(std::string provider, std::string model,
                                              CallNeeds needs) {
    const auto executor = co_await asio::this_coro::executor;
    PermitDesk& desk = desk_of(provider, model);
    PermitMetrics& metrics = metrics_.at(provider);
    const async::TimePoint came = clock_.now();
    PermitClaim claim;
    claim.waiter = std::make_shared<async::Waiter>(executor);
    const bool must_wait = !desk.enter(claim, needs, came);
    if (must_wait) co_await claim.waiter->wait();
    const auto start = desk.leave(claim);
    if (!start) throw boost::system::system_error(asio::error::operation_aborted);
    metrics.wait.observe(clock_.now() - came);
    const PermitReceipt receipt{&desk, start->charge, needs.purpose, claim.waits_for_room};
    co_return Permit(receipt, &metrics, clock_);
}

void PermitKeeper::correct(const PermitReceipt& receipt, std::int64_t input_tokens,
                           std::int64_t output_tokens) {
    if (receipt.desk == nullptr) return;
    receipt.desk->correct(receipt.charge, receipt.purpose, input_tokens, output_tokens);
}

asio::awaitable<void> PermitKeeper::close(async::TimePoint deadline) {
    std::vector<PermitDesk*> desks;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [name, desk] : desks_)
            desks.push_back(desk.get());
    }
    for (PermitDesk* desk : desks)
        desk->close(clock_.now());
    const auto is_settled = [this](PermitDesk* desk) {
        return desk->view(clock_.now()).is_settled;
    };
    while (clock_.now() < deadline && !std::all_of(desks.begin(), desks.end(), is_settled))
        co_await clock_.wait_for(kCloseStep);
}

void PermitKeeper::collect() {
    const std::lock_guard lock(mutex_);
    for (const auto& [provider, desks] : used_by_) {
        PermitDesk::View all;
        for (PermitDesk* desk : desks) {
            const PermitDesk::View view = desk->view(clock_.now());
            all.running += view.running;
            all.waiting += view.waiting;
            all.fleet_limit += view.fleet_limit;
            all.fleet_rate += view.fleet_rate;
            all.paused = std::max(all.paused, view.paused);
        }
        PermitMetrics& metrics = metrics_.at(provider);
        metrics.in_use.set(static_cast<double>(all.running));
        metrics.waiting.set(static_cast<double>(all.waiting));
        metrics.limit.set(all.fleet_limit);
        metrics.rate.set(all.fleet_rate);
        metrics.paused.set(std::chrono::duration<double>(all.paused).count());
    }
}

}  // namespace evalfleet::worker
