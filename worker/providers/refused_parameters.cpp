#include "worker/providers/refused_parameters.hpp"

#include <algorithm>

namespace evalfleet::worker {

namespace {

constexpr std::size_t kMaxModels = 1024;

}  // namespace

std::vector<std::string> RefusedParameters::of(std::string_view model) const {
    const std::lock_guard lock(mutex_);
    const auto found = models_.find(model);
    return found == models_.end() ? std::vector<std::string>() : found->second;
}

bool RefusedParameters::add(std::string_view model, std::string_view parameter) {
    const std::lock_guard lock(mutex_);
    auto found = models_.find(model);
    if (found == models_.end()) {
        if (models_.size() >= kMaxModels) return false;
        found = models_.emplace(model, std::vector<std::string>()).first;
    }
    auto& known = found->second;
    if (std::find(known.begin(), known.end(), parameter) != known.end()) return false;
    known.emplace_back(parameter);
    return true;
}

}  // namespace evalfleet::worker
