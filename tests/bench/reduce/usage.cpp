#include "tests/bench/reduce/usage.hpp"

#include <sys/resource.h>

#include <chrono>
#include <fstream>
#include <string>

namespace evalfleet::bench {
namespace {

std::uint64_t status_bytes(const std::string& name) {
    std::ifstream in("/proc/self/status");
    for (std::string word; in >> word;) {
        std::uint64_t kibibytes = 0;
        if (word == name && in >> kibibytes) return kibibytes * 1024;
    }
    return 0;
}

double cpu_seconds() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

std::uint64_t resident_bytes() {
    return status_bytes("VmRSS:");
}

Usage measure(const std::function<void()>& work) {
    static const std::uint64_t at_start = resident_bytes();
    std::ofstream("/proc/self/clear_refs") << "5";
    const double cpu = cpu_seconds();
    const auto begin = std::chrono::steady_clock::now();
    work();
    Usage usage;
    usage.wall_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    usage.cpu_seconds = cpu_seconds() - cpu;
    usage.peak_bytes = status_bytes("VmHWM:");
    usage.peak_more_bytes = usage.peak_bytes > at_start ? usage.peak_bytes - at_start : 0;
    return usage;
}

}  // namespace evalfleet::bench
