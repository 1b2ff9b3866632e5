#include "common/http/connection_pool.hpp"

#include <algorithm>
#include <utility>

namespace evalfleet::http {

namespace asio = boost::asio;

struct ConnectionPool::Host {
    Host(std::size_t slots, std::chrono::milliseconds idle_for)
        : free_slots(slots), idle_timeout(idle_for) {}

    async::Semaphore free_slots;
    std::chrono::milliseconds idle_timeout;
    std::vector<std::unique_ptr<Connection>> idle;  // the last used at the end
    TlsSession session;
};

std::unique_ptr<Connection> ConnectionPool::Slot::take_idle() {
    const async::TimePoint now = pool_->clock_.now();
    for (;;) {
        std::unique_ptr<Connection> connection;
        {
            const std::lock_guard lock(pool_->mutex_);
            if (host_->idle.empty()) return nullptr;
            connection = std::move(host_->idle.back());
            host_->idle.pop_back();
        }
        const bool is_young = now - connection->idle_since < host_->idle_timeout;
        if (is_young && connection->stream.is_quiet()) return connection;
    }
}

void ConnectionPool::Slot::give_back(std::unique_ptr<Connection> connection) {
    connection->idle_since = pool_->clock_.now();
    connection->input.release();
    TlsSession session = connection->stream.session();
    const std::lock_guard lock(pool_->mutex_);
    if (session) host_->session.swap(session);
    if (host_->idle.size() < pool_->config_.max_idle_per_host) {
        host_->idle.push_back(std::move(connection));
    }
}

TlsSession ConnectionPool::Slot::session() const {
    const std::lock_guard lock(pool_->mutex_);
    return host_->session;
}

ConnectionPool::ConnectionPool(const async::Clock& clock, Config config)
    : clock_(clock), config_(config) {}

ConnectionPool::~ConnectionPool() = default;

Result<ConnectionPool::Host*> ConnectionPool::host(const std::string& key,
                                                   IdleTimeout idle_timeout) {
    const std::lock_guard lock(mutex_);
    auto place = hosts_.find(key);
    if (place == hosts_.end()) {
        if (hosts_.size() >= config_.max_hosts) {
            return Error{ErrorKind::too_large, "connections to too many different hosts"};
        }
        auto made = std::make_unique<Host>(config_.max_connections_per_host,
                                           idle_timeout.value_or(config_.idle_timeout));
        place = hosts_.emplace(key, std::move(made)).first;
    }
    return place->second.get();
}

asio::awaitable<Result<ConnectionPool::Slot>> ConnectionPool::acquire(std::string key,
                                                                      IdleTimeout idle_timeout) {
    const auto found = host(key, idle_timeout);
    if (!found) co_return found.error();
    co_return Slot(*this, **found, co_await (*found)->free_slots.acquire());
}

Result<std::optional<ConnectionPool::Slot>> ConnectionPool::try_acquire(const std::string& key,
                                                                        IdleTimeout idle_timeout) {
    const auto found = host(key, idle_timeout);
    if (!found) return found.error();
    auto permit = (*found)->free_slots.try_acquire();
    if (!permit) return std::optional<Slot>();
    return std::optional<Slot>(Slot(*this, **found, std::move(*permit)));
}

void ConnectionPool::close_old_idle() {
    const async::TimePoint now = clock_.now();
    std::vector<std::unique_ptr<Connection>> old;  // closed after the lock
    const std::lock_guard lock(mutex_);
    for (auto& [key, host] : hosts_) {
        const auto is_young = [oldest = now - host->idle_timeout](const auto& connection) {
            return connection->idle_since > oldest;
        };
        // In the order of their last use: the old ones are in front.
        const auto end = std::find_if(host->idle.begin(), host->idle.end(), is_young);
        std::move(host->idle.begin(), end, std::back_inserter(old));
        host->idle.erase(host->idle.begin(), end);
    }
}

std::size_t ConnectionPool::count_idle() const {
    const std::lock_guard lock(mutex_);
    std::size_t count = 0;
    for (const auto& [key, host] : hosts_)
        count += host->idle.size();
    return count;
}

}  // namespace evalfleet::http
