#include "common/statistics/vector_unit.hpp"

#include <atomic>

namespace evalfleet::statistics {
namespace {

std::atomic<bool> forced_portable = false;

}  // namespace

bool has_avx2() noexcept {
#if defined(__x86_64__)
    static const bool available = __builtin_cpu_supports("avx2") != 0;
    return available && !forced_portable.load(std::memory_order_relaxed);
#else
    return false;
#endif
}

void set_portable(bool portable) noexcept {
    forced_portable.store(portable, std::memory_order_relaxed);
}

}  // namespace evalfleet::statistics
