#include "coordinator/runs/window.hpp"

namespace evalfleet::runs {

bool Window::has_room() const noexcept {
    return issued_.empty() || (issued_.size() < limits_.max_jobs && bytes_ < limits_.max_bytes);
}

void Window::issue(std::uint64_t index, std::uint64_t bytes) {
    const auto [place, is_new] = issued_.try_emplace(index, bytes);
    if (is_new) bytes_ += bytes;
}

void Window::settle(std::uint64_t index) {
    const auto place = issued_.find(index);
    if (place == issued_.end()) return;
    bytes_ -= place->second;
    issued_.erase(place);
}

bool Window::reissue(std::uint64_t index) {
    if (!holds(index) || !is_lost_.insert(index).second) return false;
    lost_.push_back(index);
    return true;
}

std::optional<std::uint64_t> Window::next_reissue() {
    while (!lost_.empty()) {
        const std::uint64_t index = lost_.front();
        lost_.pop_front();
        is_lost_.erase(index);
        // Its result may have come in the meantime.
        if (holds(index)) return index;
    }
    return std::nullopt;
}

std::vector<std::uint64_t> Window::issued() const {
    std::vector<std::uint64_t> indexes;
    indexes.reserve(issued_.size());
    for (const auto& [index, bytes] : issued_)
        indexes.push_back(index);
    return indexes;
}

}  // namespace evalfleet::runs
