#include "tests/support/name_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace evalfleet::testing {

namespace {

// RFC 1035.
constexpr std::size_t kHeaderBytes = 12;
constexpr std::uint16_t kTypeV4 = 1;
constexpr std::uint16_t kTypeAlias = 5;
constexpr std::uint16_t kTypeV6 = 28;
constexpr std::uint16_t kInternet = 1;
constexpr std::uint16_t kAnswersFlags = 0x8580;  // a response, with authority, recursion possible
constexpr std::uint16_t kServerFailed = 2;
constexpr std::uint16_t kNoSuchName = 3;
constexpr std::uint16_t kNameOfQuestion = 0xC000 | kHeaderBytes;  // a pointer

void require(bool succeeded, const char* step) {
    if (!succeeded) throw std::runtime_error(std::string("name server: ") + step);
}

std::string two(std::uint32_t number) {
    return {static_cast<char>(number >> 8 & 0xFF), static_cast<char>(number & 0xFF)};
}

std::string four(std::uint32_t number) {
    return two(number >> 16) + two(number & 0xFFFF);
}

std::uint16_t read_two(std::string_view bytes, std::size_t at) {
    const auto high = static_cast<unsigned char>(bytes.at(at));
    const auto low = static_cast<unsigned char>(bytes.at(at + 1));
    return static_cast<std::uint16_t>(high << 8 | low);
}

/// A name as it stands in a message: each part behind its length, and a zero.
std::size_t end_of_name(std::string_view message) {
    std::size_t at = kHeaderBytes;
    while (message.at(at) != 0)
        at += 1U + static_cast<unsigned char>(message.at(at));
    return at + 1;
}

std::string record(std::string_view name, std::uint16_t type, std::uint32_t ttl,
                   const std::string& data) {
    const auto size = static_cast<std::uint32_t>(data.size());
    return std::string(name) + two(type) + two(kInternet) + four(ttl) + two(size) + data;
}

std::string packed(const std::string& address, int family) {
    std::array<char, sizeof(in6_addr)> bytes{};
    require(::inet_pton(family, address.c_str(), bytes.data()) == 1, "address");
    return {bytes.data(), family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr)};
}

sockaddr* as_sockaddr(sockaddr_in& address) {
    return reinterpret_cast<sockaddr*>(&address);
}

}  // namespace

NameServer::NameServer(NameRecord record) : record_(std::move(record)) {
    socket_ = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    require(socket_ >= 0, "socket");
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    require(::bind(socket_, as_sockaddr(address), size) == 0, "bind");
    require(::getsockname(socket_, as_sockaddr(address), &size) == 0, "name");
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
}

NameServer::~NameServer() {
    {
        const std::lock_guard lock(mutex_);
        is_closing_ = true;
    }
    // Nothing else ends a read of a UDP socket everywhere: an empty message to itself.
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port_);
    static_cast<void>(::sendto(socket_, "", 0, 0, as_sockaddr(address), sizeof(address)));
    thread_.join();
    ::close(socket_);
}

std::string NameServer::place() const {
    return "127.0.0.1:" + std::to_string(port_);
}

void NameServer::set(NameRecord record) {
    const std::lock_guard lock(mutex_);
    record_ = std::move(record);
}

std::size_t NameServer::count_questions() const {
    const std::lock_guard lock(mutex_);
    return questions_;
}

void NameServer::blocking_await_questions(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return questions_ >= count; });
}

void NameServer::serve() {
    for (;;) {
        std::array<char, 512> buffer{};
        sockaddr_in asker{};
        socklen_t size = sizeof(asker);
        const auto got =
            ::recvfrom(socket_, buffer.data(), buffer.size(), 0, as_sockaddr(asker), &size);
        std::string reply;
        {
            const std::lock_guard lock(mutex_);
            if (is_closing_) return;
            if (got <= static_cast<ssize_t>(kHeaderBytes)) continue;
            reply = answer({buffer.data(), static_cast<std::size_t>(got)});
        }
        changed_.notify_all();
        if (!reply.empty())
            static_cast<void>(
                ::sendto(socket_, reply.data(), reply.size(), 0, as_sockaddr(asker), size));
    }
}

std::string NameServer::answer(const std::string& question) {
    const std::size_t name_end = end_of_name(question);
    const std::uint16_t type = read_two(question, name_end);
    if (type == kTypeV4) ++questions_;
    if (record_.mood == NameRecord::Mood::is_silent) return {};
    const std::string asked = question.substr(kHeaderBytes, name_end + 4 - kHeaderBytes);
    const bool is_nowhere = asked.find("nowhere") != std::string::npos;
    const bool fails = record_.mood == NameRecord::Mood::fails;
    std::vector<std::string> records;
    std::string name = two(kNameOfQuestion);
    const auto& addresses = type == kTypeV6 ? record_.v6 : record_.v4;
    const bool knows = !is_nowhere && !fails && (type == kTypeV4 || type == kTypeV6);
    if (knows && record_.alias_ttl != 0) {
        const std::string target("\x04real\x04test\x00", 11);
        records.push_back(record(name, kTypeAlias, record_.alias_ttl, target));
        name = target;
    }
    for (const std::string& address : knows ? addresses : std::vector<std::string>()) {
        const std::string data = packed(address, type == kTypeV6 ? AF_INET6 : AF_INET);
        records.push_back(record(name, type, record_.ttl, data));
    }
    const std::uint16_t code = fails ? kServerFailed : is_nowhere ? kNoSuchName : 0;
    const auto count = static_cast<std::uint32_t>(records.size());
    std::string reply = question.substr(0, 2) + two(kAnswersFlags | code) + two(1) + two(count) +
                        two(0) + two(0) + asked;
    for (const std::string& one : records)
        reply += one;
    return reply;
}

}  // namespace evalfleet::testing
