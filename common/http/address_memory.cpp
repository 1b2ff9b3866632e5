#include "common/http/address_memory.hpp"

#include <algorithm>

namespace evalfleet::http {

void AddressMemory::note_bad(const Endpoint& endpoint, async::TimePoint now) {
    const std::lock_guard lock(mutex_);
    if (bad_.size() >= kMaxAddresses)
        std::erase_if(bad_, [now](const auto& entry) { return entry.second <= now; });
    if (bad_.size() >= kMaxAddresses) bad_.erase(bad_.begin());
    bad_[endpoint] = now + kKeepFor;
}

void AddressMemory::note_good(const Endpoint& endpoint) {
    const std::lock_guard lock(mutex_);
    bad_.erase(endpoint);
}

std::vector<AddressMemory::Endpoint> AddressMemory::sort(std::vector<Endpoint> endpoints,
                                                         async::TimePoint now) {
    const std::lock_guard lock(mutex_);
    if (bad_.empty()) return endpoints;
    std::stable_partition(endpoints.begin(), endpoints.end(), [&](const Endpoint& endpoint) {
        const auto known = bad_.find(endpoint);
        return known == bad_.end() || known->second <= now;
    });
    return endpoints;
}

}  // namespace evalfleet::http
