#include "common/http/resolver.hpp"

#include "common/async/waiter.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

namespace evalfleet::http {

namespace asio = boost::asio;

namespace {

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

std::optional<asio::ip::address> to_address(const sockaddr* raw) {
    if (raw->sa_family == AF_INET) {
        sockaddr_in v4{};
        std::memcpy(&v4, raw, sizeof(v4));
        return asio::ip::address_v4(ntohl(v4.sin_addr.s_addr));
    }
    if (raw->sa_family == AF_INET6) {
        sockaddr_in6 v6{};
        std::memcpy(&v6, raw, sizeof(v6));
        asio::ip::address_v6::bytes_type bytes;
        std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
        return asio::ip::address_v6(bytes, v6.sin6_scope_id);
    }
    return std::nullopt;
}

/// The system's order within each family; the families by turns, so that a broken one costs one
/// attempt and not as many as it has addresses.
Resolver::Addresses interleave(const Resolver::Addresses& addresses) {
    Resolver::Addresses first;
    Resolver::Addresses second;
    for (const auto& address : addresses) {
        (address.is_v6() == addresses.front().is_v6() ? first : second).push_back(address);
    }
    Resolver::Addresses mixed;
    for (std::size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
        if (i < first.size()) mixed.push_back(first[i]);
        if (i < second.size()) mixed.push_back(second[i]);
    }
    return mixed;
}

}  // namespace

/// All of it is guarded by the resolver's mutex.
struct Resolver::Question {
    std::optional<Result<Addresses>> answer;
    async::TimePoint good_until = async::kNever;
    std::vector<std::shared_ptr<async::Waiter>> waiters;
};

Resolver::Resolver(async::Clock& clock, Config config, Lookup lookup)
    : clock_(clock), config_(config), lookup_(std::move(lookup)), threads_(config.threads) {}

Resolver::~Resolver() {
    threads_.join();
}

asio::awaitable<Result<Resolver::Addresses>> Resolver::resolve(std::string host) {
    boost::system::error_code not_an_address;
    const auto address = asio::ip::make_address(host, not_an_address);
    if (!not_an_address) co_return Addresses{address};

    const auto executor = co_await asio::this_coro::executor;
    const auto waiter = std::make_shared<async::Waiter>(executor);
    const auto question = ask(host, waiter);
    co_await waiter->wait();
    const std::lock_guard lock(mutex_);
    if (question->answer) co_return *question->answer;
    std::erase(question->waiters, waiter);
    throw boost::system::system_error(asio::error::operation_aborted);
}

std::shared_ptr<Resolver::Question> Resolver::ask(const std::string& host,
                                                  const std::shared_ptr<async::Waiter>& waiter) {
    const async::TimePoint now = clock_.now();
    const std::lock_guard lock(mutex_);
    forget_old(now);
    auto& question = questions_[host];
    const bool is_new = question == nullptr;
    if (is_new) question = std::make_shared<Question>();
    if (question->answer) {
        waiter->wake();
    } else {
        question->waiters.push_back(waiter);
    }
    if (is_new) {
        asio::post(threads_, [this, question, host] { answer(*question, lookup_(host)); });
    }
    return question;
}

void Resolver::answer(Question& question, Result<Addresses> answer) {
    const std::lock_guard lock(mutex_);
    // A failure is told to those who wait for it, and not kept.
    question.good_until = clock_.now() + (answer ? config_.keep_for : std::chrono::seconds(0));
    question.answer = std::move(answer);
    for (const auto& waiter : question.waiters)
        waiter->wake();
    question.waiters.clear();
}

void Resolver::forget_old(async::TimePoint now) {
    std::erase_if(questions_, [now](const auto& entry) { return entry.second->good_until <= now; });
    // Never reached by a program with a handful of hosts; the bound is there for the others.
    while (questions_.size() >= config_.max_names)
        questions_.erase(questions_.begin());
}

Result<Resolver::Addresses> Resolver::blocking_lookup(const std::string& host) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* raw = nullptr;
    const int failure = getaddrinfo(host.c_str(), nullptr, &hints, &raw);
    const AddressList list(raw, &freeaddrinfo);
    if (failure == EAI_NONAME) {
        return Error{ErrorKind::not_found, "no such host: " + host};
    }
    if (failure != 0) {
        return Error{ErrorKind::transient, "looking up " + host + ": " + gai_strerror(failure)};
    }
    Addresses addresses;
    for (const addrinfo* entry = list.get(); entry != nullptr; entry = entry->ai_next) {
        const auto address = to_address(entry->ai_addr);
        if (address && std::find(addresses.begin(), addresses.end(), *address) == addresses.end()) {
            addresses.push_back(*address);
        }
    }
    if (addresses.empty()) return Error{ErrorKind::not_found, "no address of " + host};
    return interleave(addresses);
}

}  // namespace evalfleet::http
