#include "worker/permits/permit_keeper.hpp"

#include "common/async/deadline.hpp"
#include "common/async/run_all.hpp"

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

void Permit::settle(const CallEnd& end) {
    async::Clock* clock = std::exchange(clock_, nullptr);
    if (clock == nullptr) return;
    if (end.kind == CallEnd::Kind::throttled) metrics_->throttled.increment();
    receipt_.desk->end(receipt_.charge, end, clock->now());
}

struct PermitKeeper::Counter {
    PermitDesk& desk;
    PermitMetrics metrics;
};

PermitKeeper::PermitKeeper(async::Clock& clock, queue::PermitQueue& queue, const Keys& keys,
                           queue::WindowTerms terms, metrics::Registry& registry, Random random,
                           log::Logger logger)
    : clock_(clock),
      queue_(queue),
      terms_(terms),
      random_(std::move(random)),
      logger_(std::move(logger)) {
    for (const auto& [provider, key] : keys) {
        auto& desk = desks_[key.name];
        if (!desk) desk = std::make_unique<PermitDesk>(PermitBook::Config{key, terms});
        counters_.emplace(provider, new Counter{*desk, PermitMetrics(registry, provider)});
    }
}

PermitKeeper::~PermitKeeper() = default;

asio::awaitable<void> PermitKeeper::run() {
    std::vector<asio::awaitable<void>> roles;
    for (const auto& [name, desk] : desks_)
        roles.push_back(attend(*desk));
    co_await async::run_all(std::move(roles));
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

void PermitKeeper::report(const PermitDesk& desk, bool& is_failing,
                          const std::optional<Error>& error) const {
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

asio::awaitable<Permit> PermitKeeper::acquire(std::string_view provider, CallNeeds needs) {
    const auto found = counters_.find(provider);
    if (found == counters_.end()) throw std::logic_error("a call of an unknown provider");
    Counter& counter = *found->second;
    const auto executor = co_await asio::this_coro::executor;
    const async::TimePoint came = clock_.now();
    PermitClaim claim;
    claim.waiter = std::make_shared<async::Waiter>(executor);
    const bool must_wait = !counter.desk.enter(claim, needs, came);
    if (must_wait) co_await claim.waiter->wait();
    const auto start = counter.desk.leave(claim);
    if (!start) throw boost::system::system_error(asio::error::operation_aborted);
    counter.metrics.wait.observe(clock_.now() - came);
    const PermitReceipt receipt{&counter.desk, start->charge, needs.purpose};
    co_return Permit(receipt, &counter.metrics, clock_);
}

asio::awaitable<Result<Permit>> PermitKeeper::acquire_result(std::string provider,
                                                             CallNeeds needs) {
    co_return co_await acquire(provider, needs);
}

asio::awaitable<Result<Permit>> PermitKeeper::acquire_until(std::string provider, CallNeeds needs,
                                                            async::TimePoint deadline) {
    co_return co_await async::with_deadline(clock_, deadline,
                                            acquire_result(std::move(provider), needs));
}

void PermitKeeper::correct(const PermitReceipt& receipt, std::int64_t input_tokens,
                           std::int64_t output_tokens) {
    if (receipt.desk == nullptr) return;
    receipt.desk->correct(receipt.charge, receipt.purpose, input_tokens, output_tokens);
}

asio::awaitable<void> PermitKeeper::close(async::TimePoint deadline) {
    for (const auto& [name, desk] : desks_)
        desk->close(clock_.now());
    const auto is_settled = [this](const auto& each) {
        return each.second->view(clock_.now()).is_settled;
    };
    while (clock_.now() < deadline && !std::all_of(desks_.begin(), desks_.end(), is_settled))
        co_await clock_.wait_for(kCloseStep);
}

void PermitKeeper::collect() {
    for (const auto& [provider, counter] : counters_) {
        const PermitDesk::View view = counter->desk.view(clock_.now());
        counter->metrics.in_use.set(static_cast<double>(view.running));
        counter->metrics.waiting.set(static_cast<double>(view.waiting));
        counter->metrics.limit.set(view.fleet_limit.value_or(0));
        counter->metrics.paused.set(std::chrono::duration<double>(view.paused).count());
    }
}

}  // namespace evalfleet::worker
