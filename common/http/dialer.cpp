#include "common/http/dialer.hpp"

#include "common/async/deadline.hpp"
#include "common/async/waiter.hpp"
#include "common/http/phase.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace evalfleet::http {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

namespace {

/// A model may think for minutes without a byte: boxes on the way must not take
/// the connection for dead, and a peer that is must be found out. What the
/// system refuses is done without.
void keep_alive(int socket) {
    constexpr int kOn = 1;
    constexpr int kSeconds = 60;  // until the first probe, and between them
    constexpr int kProbes = 5;
    setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &kOn, sizeof(kOn));
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &kSeconds, sizeof(kSeconds));
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &kSeconds, sizeof(kSeconds));
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &kProbes, sizeof(kProbes));
}

asio::awaitable<Result<bool>> await_wake(std::shared_ptr<async::Waiter> waiter) {
    co_await waiter->wait();
    co_return true;
}

asio::awaitable<void> throw_if_cancelled() {
    const auto state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none)
        throw boost::system::system_error(asio::error::operation_aborted);
}

}  // namespace

/// The attempts of one dial. Only the dialling coroutine touches the sockets;
/// what their handlers tell is shared and guarded.
struct Dialer::Race {
    struct Shared {
        std::mutex mutex;
        std::optional<std::size_t> winner;
        std::size_t under_way = 0;
        std::vector<std::size_t> failed;  // in the order in which they did
        boost::system::error_code last_failure;
        std::shared_ptr<async::Waiter> waiter;
    };

    explicit Race(std::vector<tcp::endpoint> all) : endpoints(std::move(all)) {}
    Race(const Race&) = delete;
    Race& operator=(const Race&) = delete;
    /// Those that lost, and all of them if the dial was given up.
    ~Race() {
        boost::system::error_code ignored;
        for (tcp::socket& socket : sockets)
            socket.close(ignored);
    }

    void start(const asio::any_io_executor& executor) {
        const std::size_t index = sockets.size();
        {
            const std::lock_guard lock(shared->mutex);
            ++shared->under_way;
        }
        sockets.emplace_back(executor);
        sockets.back().async_connect(
            endpoints[index], [shared = shared, index](const boost::system::error_code& code) {
                const std::lock_guard lock(shared->mutex);
                --shared->under_way;
                if (!code && !shared->winner) shared->winner = index;
                if (code) {
                    shared->failed.push_back(index);
                    shared->last_failure = code;
                }
                if (shared->waiter) shared->waiter->wake();
            });
    }

    [[nodiscard]] bool has_more() const { return sockets.size() < endpoints.size(); }

    std::vector<tcp::endpoint> endpoints;
    std::deque<tcp::socket> sockets;  // of the endpoints that were begun, in their order
    std::shared_ptr<Shared> shared = std::make_shared<Shared>();
};

Dialer::Dialer(const asio::any_io_executor& executor, async::Clock& clock, Resolver& resolver)
    : executor_(executor), clock_(clock), resolver_(resolver) {}

asio::awaitable<Result<Stream>> Dialer::dial(const Url& server, std::string_view& phase) {
    phase = kResolvePhase;
    const auto addresses = co_await resolver_.resolve(server.host);
    if (!addresses) co_return addresses.error();
    phase = kConnectPhase;
    std::vector<tcp::endpoint> endpoints;
    for (const asio::ip::address& address : *addresses)
        endpoints.emplace_back(address, server.port);
    Race race(memory_.sort(std::move(endpoints), clock_.now()));
    for (;;) {
        std::optional<std::size_t> winner;
        bool is_idle = false;
        boost::system::error_code failure;
        {
            const std::lock_guard lock(race.shared->mutex);
            winner = race.shared->winner;
            is_idle = race.shared->under_way == 0;
            failure = race.shared->last_failure;
        }
        if (winner) co_return finish(race);
        if (is_idle && !race.has_more()) {
            for (const tcp::endpoint& endpoint : race.endpoints)
                memory_.note_bad(endpoint, clock_.now());
            resolver_.forget(server.host);
            co_return Error{ErrorKind::transient, failure.message()}.within("connecting to " +
                                                                            server.host_and_port());
        }
        // Whenever nothing is under way, or the last one has had its time.
        if (race.has_more()) race.start(executor_);
        co_await wait(race, race.has_more() ? clock_.now() + kPatience : async::kNever);
    }
}

/// Until one of the attempts is over, at the latest until `until`.
asio::awaitable<void> Dialer::wait(Race& race, async::TimePoint until) {
    const auto waiter = std::make_shared<async::Waiter>(co_await asio::this_coro::executor);
    {
        const std::lock_guard lock(race.shared->mutex);
        // Told before anybody listened.
        if (race.shared->winner || race.shared->under_way == 0) co_return;
        race.shared->waiter = waiter;
    }
    co_await async::with_deadline(clock_, until, await_wake(waiter));
    co_await throw_if_cancelled();
}

Stream Dialer::finish(Race& race) {
    const async::TimePoint now = clock_.now();
    std::size_t winner = 0;
    std::vector<std::size_t> failed;
    {
        const std::lock_guard lock(race.shared->mutex);
        winner = *race.shared->winner;
        failed = race.shared->failed;
    }
    // Those before it had more time, and did not make it.
    for (std::size_t i = 0; i < winner; ++i)
        memory_.note_bad(race.endpoints[i], now);
    for (const std::size_t index : failed)
        memory_.note_bad(race.endpoints[index], now);
    memory_.note_good(race.endpoints[winner]);
    tcp::socket socket = std::move(race.sockets[winner]);
    boost::system::error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    keep_alive(socket.native_handle());
    return Stream(Stream::Socket(std::move(socket)), clock_);
}

}  // namespace evalfleet::http
