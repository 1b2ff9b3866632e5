#include "worker/permits/limit_keys.hpp"

#include <algorithm>

namespace evalfleet::worker {

namespace {

/// No name of a provider has a colon, so that the two kinds of names cannot meet.
std::string name_of(const providers::ProviderConfig& provider) {
    return provider.api_key_id ? "key:" + *provider.api_key_id : provider.name;
}

std::uint64_t stricter(std::uint64_t one, std::uint64_t other) {
    if (one == 0 || other == 0) return std::max(one, other);
    return std::min(one, other);
}

}  // namespace

std::map<std::string, queue::LimitKey, std::less<>> limit_keys(
    const providers::Providers& providers) {
    std::map<std::string, queue::LimitKey> by_name;
    for (const auto& [name, provider] : providers) {
        queue::LimitKey& key = by_name[name_of(provider)];
        key.name = name_of(provider);
        key.rpm = stricter(key.rpm, provider.rpm);
        key.tpm = stricter(key.tpm, provider.tpm);
        key.max_concurrent = stricter(key.max_concurrent, provider.max_concurrent);
    }
    std::map<std::string, queue::LimitKey, std::less<>> keys;
    for (const auto& [name, provider] : providers)
        keys.emplace(name, by_name[name_of(provider)]);
    return keys;
}

}  // namespace evalfleet::worker
