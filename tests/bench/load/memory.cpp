#include "tests/bench/load/memory.hpp"

#include <algorithm>
#include <fstream>

namespace evalfleet::bench {

namespace {

constexpr std::size_t kParts = 5;

double median(std::vector<double> points) {
    if (points.empty()) return 0;
    const auto middle = points.begin() + static_cast<std::ptrdiff_t>(points.size() / 2);
    std::nth_element(points.begin(), middle, points.end());
    return *middle;
}

}  // namespace

double MemoryCurve::most() const {
    return points_.empty() ? 0 : *std::max_element(points_.begin(), points_.end());
}

double MemoryCurve::early() const {
    const auto part = static_cast<std::ptrdiff_t>(points_.size() / kParts);
    return median({points_.begin(), points_.begin() + part});
}

double MemoryCurve::late() const {
    const auto part = static_cast<std::ptrdiff_t>(points_.size() / kParts);
    return median({points_.end() - part, points_.end()});
}

bool MemoryCurve::is_flat() const {
    return points_.size() >= kParts && late() <= early() * (1 + kMayGrowBy) + kMayGrowByMib;
}

double resident_mib(int pid) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    for (std::string word; status >> word;)
        if (word == "VmRSS:") {
            double kib = 0;
            status >> kib;
            return kib / 1024;
        }
    return 0;
}

}  // namespace evalfleet::bench
