#include "common/statistics/parallel_for.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace evalfleet::statistics {

unsigned resolve_threads(unsigned threads) noexcept {
    constexpr unsigned kMost = 64;
    return std::clamp(threads != 0 ? threads : std::thread::hardware_concurrency(), 1U, kMost);
}

void parallel_for(unsigned threads, std::size_t count,
                  const std::function<void(unsigned, std::size_t)>& body) {
    std::atomic<std::size_t> next = 0;
    std::mutex mutex;  // guards `failure`
    std::exception_ptr failure;
    const auto work = [&](unsigned worker) {
        try {
            for (std::size_t i = next++; i < count; i = next++) {
                body(worker, i);
            }
        } catch (...) {
            next = count;
            const std::scoped_lock lock(mutex);
            if (!failure) failure = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> others;
        const auto useful = static_cast<unsigned>(std::min<std::size_t>(threads, count));
        for (unsigned worker = 1; worker < useful; ++worker) {
            others.emplace_back(work, worker);
        }
        work(0);
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace evalfleet::statistics
