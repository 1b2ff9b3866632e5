#include "common/http/name_lookup.hpp"

#include <ares.h>
#include <netdb.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

namespace evalfleet::http {

namespace asio = boost::asio;

namespace {

using SteadyClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::chrono::seconds kMaxQuestion{20};
constexpr int kTryMs = 2500;  // doubled for each further one
constexpr int kTries = 2;
constexpr std::size_t kMaxAddresses = 64;

using SystemList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;
using ServerList = std::unique_ptr<ares_addrinfo, decltype(&ares_freeaddrinfo)>;
using Channel = std::unique_ptr<ares_channeldata, decltype(&ares_destroy)>;

void append(Addresses& addresses, const sockaddr* raw) {
    asio::ip::address address;
    if (raw->sa_family == AF_INET) {
        sockaddr_in v4{};
        std::memcpy(&v4, raw, sizeof(v4));
        address = asio::ip::address_v4(ntohl(v4.sin_addr.s_addr));
    } else if (raw->sa_family == AF_INET6) {
        sockaddr_in6 v6{};
        std::memcpy(&v6, raw, sizeof(v6));
        asio::ip::address_v6::bytes_type bytes;
        std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
        address = asio::ip::address_v6(bytes, v6.sin6_scope_id);
    } else {
        return;
    }
    const bool is_new = std::find(addresses.begin(), addresses.end(), address) == addresses.end();
    if (is_new && addresses.size() < kMaxAddresses) addresses.push_back(address);
}

/// The order that was told within each family; the families by turns (RFC 8305), so that a broken
/// one costs one attempt and not as many as it has addresses.
Addresses interleave(const Addresses& addresses) {
    Addresses first;
    Addresses second;
    for (const auto& address : addresses)
        (address.is_v6() == addresses.front().is_v6() ? first : second).push_back(address);
    Addresses mixed;
    for (std::size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
        if (i < first.size()) mixed.push_back(first[i]);
        if (i < second.size()) mixed.push_back(second[i]);
    }
    return mixed;
}

Error no_address(const std::string& host) {
    return {ErrorKind::not_found, "no address of " + host};
}

Error cannot_ask(const std::string& host, int status) {
    return {ErrorKind::transient, "looking up " + host + ": " + ares_strerror(status)};
}

/// The shortest life of all that led to the addresses: an alias may be shorter-lived than they are.
std::chrono::seconds shortest_ttl(const ares_addrinfo& list) {
    int shortest = list.nodes->ai_ttl;
    for (const ares_addrinfo_node* node = list.nodes; node != nullptr; node = node->ai_next)
        shortest = std::min(shortest, node->ai_ttl);
    for (const ares_addrinfo_cname* alias = list.cnames; alias != nullptr; alias = alias->next)
        shortest = std::min(shortest, alias->ttl);
    return std::chrono::seconds(std::max(shortest, 0));
}

Result<NameAnswer> read(const std::string& host, const ares_addrinfo* list) {
    if (list == nullptr || list->nodes == nullptr) return no_address(host);
    Addresses addresses;
    for (const ares_addrinfo_node* node = list->nodes; node != nullptr; node = node->ai_next)
        append(addresses, node->ai_addr);
    if (addresses.empty()) return no_address(host);
    return NameAnswer{interleave(addresses), shortest_ttl(*list)};
}

/// What a question has come to; written by the library's callback.
struct Outcome {
    bool is_done = false;
    int status = ARES_ETIMEOUT;
    ServerList list{nullptr, &ares_freeaddrinfo};
};

void note_outcome(void* outcome, int status, int /*timeouts*/, ares_addrinfo* list) {
    auto& noted = *static_cast<Outcome*>(outcome);
    noted.is_done = true;
    noted.status = status;
    noted.list.reset(list);
}

/// How long the library wants to wait at most before it is asked to go on.
milliseconds patience_of(ares_channel channel, SteadyClock::time_point deadline) {
    const auto left =
        std::chrono::duration_cast<milliseconds>(deadline - SteadyClock::now()) + milliseconds(1);
    timeval most{};
    most.tv_sec = std::max<milliseconds::rep>(left.count(), 0) / 1000;
    most.tv_usec = std::max<milliseconds::rep>(left.count(), 0) % 1000 * 1000;
    timeval until{};
    const timeval* wait = ares_timeout(channel, &most, &until);
    return milliseconds(wait->tv_sec * 1000 + wait->tv_usec / 1000 + 1);
}

/// Lets the library read and write until its question is answered or given up.
void blocking_process(ares_channel channel, const Outcome& outcome, int stopped) {
    const SteadyClock::time_point deadline = SteadyClock::now() + kMaxQuestion;
    while (!outcome.is_done) {
        std::array<ares_socket_t, ARES_GETSOCK_MAXNUM> sockets{};
        const auto wanted = static_cast<unsigned>(
            ares_getsock(channel, sockets.data(), static_cast<int>(sockets.size())));
        std::array<pollfd, ARES_GETSOCK_MAXNUM + 1> polled{};
        std::size_t count = 0;
        for (unsigned i = 0; i < sockets.size(); ++i) {
            const int events = (ARES_GETSOCK_READABLE(wanted, i) != 0 ? POLLIN : 0) |
                               (ARES_GETSOCK_WRITABLE(wanted, i) != 0 ? POLLOUT : 0);
            if (events != 0) polled[count++] = {sockets[i], static_cast<short>(events), 0};
        }
        polled[count] = {stopped, POLLIN, 0};
        const auto patience = patience_of(channel, deadline);
        ::poll(polled.data(), count + 1, static_cast<int>(patience.count()));
        if (polled[count].revents != 0 || SteadyClock::now() >= deadline) {
            ares_cancel(channel);
            return;
        }
        for (std::size_t i = 0; i < count; ++i) {
            const bool reads = (polled[i].revents & ~POLLOUT) != 0;
            const bool writes = (polled[i].revents & ~POLLIN) != 0;
            ares_process_fd(channel, reads ? polled[i].fd : ARES_SOCKET_BAD,
                            writes ? polled[i].fd : ARES_SOCKET_BAD);
        }
        ares_process_fd(channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);  // its timeouts
    }
}

/// For one question: it reads the system's settings, which may have changed since the last one.
Result<Channel> open_channel(const std::string& host, const std::string& servers) {
    static const int kStarted = ares_library_init(ARES_LIB_INIT_ALL);
    if (kStarted != ARES_SUCCESS) return cannot_ask(host, kStarted);
    ares_options options{};
    options.timeout = kTryMs;
    options.tries = kTries;
    ares_channel raw = nullptr;
    int status = ares_init_options(&raw, &options, ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES);
    if (status != ARES_SUCCESS) return cannot_ask(host, status);
    Channel channel(raw, &ares_destroy);
    if (!servers.empty()) status = ares_set_servers_ports_csv(raw, servers.c_str());
    if (status != ARES_SUCCESS) return cannot_ask(host, status);
    return channel;
}

bool is_no_such_name(int status) {
    return status == ARES_ENOTFOUND || status == ARES_ENODATA;
}

/// What the system may know better: it gave no answer, and not because of the time.
bool is_for_system(int status) {
    return status != ARES_ETIMEOUT && status != ARES_ECANCELLED && status != ARES_EDESTRUCTION;
}

}  // namespace

NameLookup::NameLookup(std::string servers)
    : servers_(std::move(servers)), stopped_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (stopped_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

NameLookup::~NameLookup() {
    ::close(stopped_);
}

void NameLookup::stop() noexcept {
    constexpr std::uint64_t kOne = 1;
    // It can only fail for want of space: then it can be read already.
    static_cast<void>(::write(stopped_, &kOne, sizeof(kOne)) == sizeof(kOne));
}

Result<NameAnswer> NameLookup::blocking_ask(const std::string& host) const {
    Outcome outcome;
    auto channel = open_channel(host, servers_);
    if (!channel) return servers_.empty() ? blocking_ask_system(host) : channel.error();
    ares_addrinfo_hints hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    ares_getaddrinfo(channel->get(), host.c_str(), nullptr, &hints, note_outcome, &outcome);
    blocking_process(channel->get(), outcome, stopped_);
    if (outcome.status == ARES_SUCCESS) return read(host, outcome.list.get());
    if (servers_.empty() && is_for_system(outcome.status)) return blocking_ask_system(host);
    if (is_no_such_name(outcome.status))
        return Error{ErrorKind::not_found, "no such host: " + host};
    return cannot_ask(host, outcome.status);
}

Result<NameAnswer> blocking_ask_system(const std::string& host) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* raw = nullptr;
    const int failure = getaddrinfo(host.c_str(), nullptr, &hints, &raw);
    const SystemList list(raw, &freeaddrinfo);
    if (failure == EAI_NONAME) return Error{ErrorKind::not_found, "no such host: " + host};
    if (failure != 0)
        return Error{ErrorKind::transient, "looking up " + host + ": " + gai_strerror(failure)};
    Addresses addresses;
    for (const addrinfo* entry = list.get(); entry != nullptr; entry = entry->ai_next)
        append(addresses, entry->ai_addr);
    if (addresses.empty()) return no_address(host);
    return NameAnswer{interleave(addresses)};
}

}  // namespace evalfleet::http
