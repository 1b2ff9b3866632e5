#include "worker/permits/limit_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace evalfleet::worker {

namespace {

std::uint64_t stricter(std::uint64_t one, std::uint64_t other) {
    if (one == 0 || other == 0) return std::max(one, other);
    return std::min(one, other);
}

queue::LimitKey make_key(std::string name, const providers::Limits& limits) {
    return {std::move(name), limits.rpm, limits.tpm, limits.max_concurrent};
}

}  // namespace

LimitKeys::LimitKeys(const providers::Providers& providers) {
    std::map<std::string, providers::Limits> by_account;
    for (const auto& [name, provider] : providers) {
        providers::Limits& limits = by_account[providers::limit_account(provider)];
        limits.rpm = stricter(limits.rpm, provider.limits.rpm);
        limits.tpm = stricter(limits.tpm, provider.limits.tpm);
        limits.max_concurrent = stricter(limits.max_concurrent, provider.limits.max_concurrent);
    }
    for (const auto& [name, provider] : providers) {
        // No name of a provider has a colon or a slash: names of different kinds cannot meet.
        const std::string account = providers::limit_account(provider);
        entries_.emplace(name, Entry{make_key(account, by_account[account]), provider.limit_scope,
                                     provider.base_url.host_and_port(), provider.model_limits});
    }
}

queue::LimitKey LimitKeys::of(std::string_view provider, std::string_view model) const {
    const auto found = entries_.find(provider);
    if (found == entries_.end()) throw std::logic_error("a call of an unknown provider");
    const Entry& entry = found->second;
    const auto own = entry.models.find(model);
    if (own != entry.models.end())
        return make_key(fmt::format("{}/{}", entry.shared.name, model), own->second);
    queue::LimitKey key = entry.shared;
    if (entry.scope == providers::LimitScope::key_model)
        key.name = fmt::format("{}/{}", key.name, model);
    if (entry.scope == providers::LimitScope::model)
        key.name = fmt::format("model:{}/{}", entry.address, model);
    return key;
}

}  // namespace evalfleet::worker
