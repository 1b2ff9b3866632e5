#include "coordinator/runs/window.hpp"

#include <algorithm>

namespace evalfleet::runs {

namespace {

constexpr std::uint64_t kRemembered = 256;  // records that the average is about

}  // namespace

std::uint64_t Window::count_bytes() const noexcept {
    const double to_come = static_cast<double>(issued_.size()) * record_bytes_;
    return bytes_ + static_cast<std::uint64_t>(to_come);
}

std::size_t Window::jobs_a_mib() const noexcept {
    constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
    constexpr std::uint64_t kUnknown = kMiB / 16;
    const std::uint64_t each = issued_.empty() ? kUnknown : bytes_ / issued_.size();
    return static_cast<std::size_t>(kMiB / std::clamp<std::uint64_t>(each, 1, kMiB));
}

std::uint64_t Window::room() const noexcept {
    if (issued_.size() >= limits_.max_jobs) return 0;
    const std::uint64_t by_number = limits_.max_jobs - issued_.size();
    const std::uint64_t used = count_bytes();
    if (used >= limits_.max_bytes) return issued_.empty() ? 1 : 0;
    const double by_bytes = static_cast<double>(limits_.max_bytes - used) / record_bytes_;
    return std::clamp(static_cast<std::uint64_t>(by_bytes), std::uint64_t{1}, by_number);
}

void Window::expect_records_of(std::uint64_t bytes) noexcept {
    if (learnt_from_ == 0) record_bytes_ = static_cast<double>(std::max<std::uint64_t>(bytes, 1));
}

void Window::learn(std::uint64_t record_bytes) noexcept {
    learnt_from_ = std::min(learnt_from_ + 1, kRemembered);
    const double surprise = static_cast<double>(record_bytes) - record_bytes_;
    record_bytes_ = std::max(1.0, record_bytes_ + surprise / static_cast<double>(learnt_from_));
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
