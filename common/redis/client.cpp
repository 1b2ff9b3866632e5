#include "common/redis/client.hpp"

#include "common/async/run_all.hpp"
#include "common/async/waiter.hpp"
#include "common/redis/call.hpp"
#include "common/redis/link.hpp"
#include "common/redis/seed_resolver.hpp"
#include "common/redis/start_call.hpp"
#include "common/redis/switchboard.hpp"

#include <boost/asio/async_result.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <atomic>
#include <exception>
#include <stdexcept>
#include <string>

namespace evalfleet::redis {

namespace asio = boost::asio;
using Phase = ConnectionState::Phase;

/// What runs on the strand. Shared, because a cancellation may be on its way to the strand when the
/// client is destroyed.
class Client::Core : public std::enable_shared_from_this<Core> {
  public:
    Core(const asio::any_io_executor& executor, async::Clock& clock, Config config,
         std::unique_ptr<EndpointResolver> resolver, std::mt19937_64 random)
        : strand_(asio::make_strand(executor)),
          clock_(clock),
          config_(std::move(config)),
          resolver_(std::move(resolver)),
          random_(random),
          switchboard_(strand_, clock_, board_, metrics_, config_.limits),
          link_(clock_, config_, *resolver_, random_, switchboard_, board_, metrics_) {}

    /// What `Client::run` awaits. The failure is written before `has_ended`.
    struct Life {
        explicit Life(const asio::any_io_executor& executor)
            : ended(std::make_shared<async::Waiter>(executor)) {}
        std::shared_ptr<async::Waiter> ended;
        std::exception_ptr failure;
        std::atomic<bool> has_ended = false;
    };

    void start(std::shared_ptr<Life> life) {
        if (has_started_.exchange(true)) throw std::logic_error("a redis client runs only once");
        asio::post(strand_, [self = shared_from_this(), life = std::move(life)] {
            auto report = [self, life](std::exception_ptr failure) {
                life->failure = std::move(failure);
                life->has_ended = true;
                life->ended->wake();
            };
            asio::co_spawn(self->strand_, self->run(),
                           asio::bind_cancellation_slot(self->stop_.slot(), std::move(report)));
        });
    }

    void stop() {
        asio::post(strand_, [self = shared_from_this()] {
            self->stop_.emit(asio::cancellation_type::terminal);
        });
    }

    void submit(std::shared_ptr<Call> call) {
        asio::dispatch(strand_, [self = shared_from_this(), call = std::move(call)]() mutable {
            self->switchboard_.submit(std::move(call));
        });
    }

    void abandon(const std::weak_ptr<Call>& weak_call) {
        asio::post(strand_, [self = shared_from_this(), weak_call] {
            if (const auto call = weak_call.lock()) self->switchboard_.abandon(call);
        });
    }

    /// Lets go of calls that never came to anything, and with them of the coroutines that wait for
    /// them. Only for the destructor, when nothing runs any more.
    void close() { switchboard_.close(); }

    [[nodiscard]] async::Clock& clock() noexcept { return clock_; }
    [[nodiscard]] StateBoard& board() noexcept { return board_; }
    [[nodiscard]] const MetricsCounter& metrics() const noexcept { return metrics_; }

  private:
    asio::awaitable<void> run() {
        std::exception_ptr failure;
        try {
            std::vector<asio::awaitable<void>> roles;
            roles.push_back(link_.keep_up());
            roles.push_back(switchboard_.watch_deadlines());
            co_await async::run_all(std::move(roles));
        } catch (...) {
            failure = std::current_exception();
        }
        board_.post(Phase::stopped);
        switchboard_.close();
        if (failure) std::rethrow_exception(failure);
    }

    asio::strand<asio::any_io_executor> strand_;
    async::Clock& clock_;
    Config config_;
    std::unique_ptr<EndpointResolver> resolver_;
    std::mt19937_64 random_;
    MetricsCounter metrics_;
    StateBoard board_;
    Switchboard switchboard_;
    Link link_;
    std::atomic<bool> has_started_ = false;
    asio::cancellation_signal stop_;
};

namespace {

Config checked(Config config) {
    if (const Status status = validate(config); !status)
        throw std::invalid_argument(status.error().message);
    return config;
}

}  // namespace

Client::Client(const asio::any_io_executor& executor, async::Clock& clock, Config config,
               std::unique_ptr<EndpointResolver> resolver, std::mt19937_64 random) {
    config = checked(std::move(config));
    if (!resolver) resolver = make_resolver(clock, config);
    core_ = std::make_shared<Core>(executor, clock, std::move(config), std::move(resolver), random);
}

Client::~Client() {
    core_->close();
}

asio::awaitable<void> Client::run() {
    const auto core = core_;
    const auto executor = co_await asio::this_coro::executor;
    const auto life = std::make_shared<Core::Life>(executor);
    core->start(life);

    // A cancellation is passed on to the strand; then the end is awaited all the same.
    co_await asio::this_coro::throw_if_cancelled(false);
    co_await life->ended->wait();
    if (!life->has_ended) core->stop();
    while (!life->has_ended)
        co_await life->ended->wait();
    co_await asio::this_coro::throw_if_cancelled(true);
    if (life->failure) std::rethrow_exception(life->failure);
}

asio::awaitable<Result<std::vector<Reply>>> Client::call(std::string wire, std::size_t replies,
                                                         async::TimePoint deadline) {
    const StartCall<Core> start(core_);
    CallOutcome outcome =
        co_await asio::async_initiate<const asio::use_awaitable_t<>, void(CallOutcome)>(
            start, asio::use_awaitable, std::move(wire), replies, deadline);
    if (outcome.is_aborted) throw boost::system::system_error(asio::error::operation_aborted);
    co_return std::move(outcome.replies);
}

asio::awaitable<Result<Reply>> Client::execute(Command command, async::TimePoint deadline) {
    std::string wire;
    if (const Status status = command.append_to(wire); !status) co_return status.error();
    Result<std::vector<Reply>> replies = co_await call(std::move(wire), 1, deadline);
    if (!replies) co_return replies.error();
    co_return as<Reply>(std::move(replies->front()));
}

asio::awaitable<Result<std::vector<Reply>>> Client::pipeline(std::vector<Command> commands,
                                                             async::TimePoint deadline) {
    std::string wire;
    for (const Command& command : commands)
        if (const Status status = command.append_to(wire); !status) co_return status.error();
    co_return co_await call(std::move(wire), commands.size(), deadline);
}

asio::awaitable<Status> Client::ready(async::TimePoint deadline) {
    return core_->board().ready(core_->clock(), deadline);
}

ConnectionState Client::state() const {
    return core_->board().read();
}

asio::awaitable<ConnectionState> Client::state_changed(std::uint64_t seen_version) {
    return core_->board().changed_since(seen_version);
}

ClientMetrics Client::metrics() const {
    return core_->metrics().read();
}

}  // namespace evalfleet::redis
