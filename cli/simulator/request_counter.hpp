#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace evalfleet::simulator {

/// Counts equal requests, so that "the first two times" means the same for all threads.
class RequestCounter {
  public:
    /// How many requests with that key there were, this one included. Any thread may call it.
    [[nodiscard]] std::uint64_t count(std::uint64_t key) {
        Shelf& shelf = shelves_[key % kShelves];
        const std::lock_guard lock(shelf.mutex);
        // The counts of a load test with more different requests than this start anew.
        if (shelf.counts.size() >= kMaxCounts / kShelves) shelf.counts.clear();
        return ++shelf.counts[key];
    }

  private:
    static constexpr std::size_t kShelves = 16;
    static constexpr std::size_t kMaxCounts = 8'000'000;

    struct Shelf {
        std::mutex mutex;
        std::unordered_map<std::uint64_t, std::uint32_t> counts;
    };

    std::array<Shelf, kShelves> shelves_;
};

}  // namespace evalfleet::simulator
