#include "common/redis/discovery.hpp"

#include "common/redis/convert.hpp"
#include "common/redis/key_slot.hpp"

#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace evalfleet::redis {

namespace {

constexpr std::int64_t kLargestPort = 65535;

Error unreadable() {
    return Error{ErrorKind::invalid, "redis: the reply names no server as it should"};
}

Result<Endpoint> make_endpoint(std::string host, std::int64_t port) {
    if (host.empty() || port < 1 || port > kLargestPort) return unreadable();
    Endpoint endpoint;
    endpoint.host = std::move(host);
    endpoint.port = static_cast<std::uint16_t>(port);
    return endpoint;
}

Result<Endpoint> read_master(const Discovery& discovery, Reply reply) {
    auto address = as<std::optional<std::pair<std::string, std::string>>>(std::move(reply));
    if (!address) return address.error();
    if (!*address) {
        return Error{ErrorKind::not_found,
                     "redis: the sentinel knows no master '" + discovery.master + "'"};
    }
    auto& [host, port_text] = **address;
    std::int64_t port = 0;
    const char* const end = port_text.data() + port_text.size();
    const auto [stop, error] = std::from_chars(port_text.data(), end, port);
    if (error != std::errc() || stop != end) return unreadable();
    return make_endpoint(std::move(host), port);
}

// A range of slots is [first, last, [host, port, ...] of the master, replicas...].
Result<std::optional<Endpoint>> read_range(const Reply& range, std::int64_t slot,
                                           const Endpoint& seed) {
    if (range.type() != Reply::Type::array || range.items().size() < 3) return unreadable();
    const auto first = as<std::int64_t>(range.items()[0]);
    const auto last = as<std::int64_t>(range.items()[1]);
    if (!first || !last) return unreadable();
    if (slot < *first || slot > *last) return std::optional<Endpoint>();
    const Reply& master = range.items()[2];
    if (master.type() != Reply::Type::array || master.items().size() < 2) return unreadable();
    auto host = as<std::optional<std::string>>(master.items()[0]);
    const auto port = as<std::int64_t>(master.items()[1]);
    if (!host || !port) return unreadable();
    const bool is_named = *host && !(*host)->empty() && **host != "?";
    auto endpoint = make_endpoint(is_named ? std::move(**host) : seed.host, *port);
    if (!endpoint) return endpoint.error();
    return std::optional<Endpoint>(std::move(*endpoint));
}

Result<Endpoint> read_slots(const Discovery& discovery, Reply reply, const Endpoint& seed) {
    const auto ranges = as<std::vector<Reply>>(std::move(reply));
    if (!ranges) return ranges.error();
    const std::int64_t slot = key_slot(discovery.key);
    for (const Reply& range : *ranges) {
        auto endpoint = read_range(range, slot, seed);
        if (!endpoint) return endpoint.error();
        if (*endpoint) return std::move(**endpoint);
    }
    return Error{ErrorKind::not_found,
                 "redis: no node of the cluster holds slot " + std::to_string(slot)};
}

}  // namespace

Command discovery_question(const Discovery& discovery) {
    if (discovery.kind == Discovery::Kind::cluster) return Command("CLUSTER", "SLOTS");
    return Command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", discovery.master);
}

Result<Endpoint> read_discovery(const Discovery& discovery, Reply reply, const Endpoint& seed) {
    if (discovery.kind == Discovery::Kind::cluster)
        return read_slots(discovery, std::move(reply), seed);
    return read_master(discovery, std::move(reply));
}

}  // namespace evalfleet::redis
