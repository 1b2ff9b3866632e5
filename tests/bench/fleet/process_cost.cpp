#include "tests/bench/fleet/process_cost.hpp"

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace evalfleet::bench {

namespace {

std::uint64_t kib_of(const std::string& status, const std::string& name) {
    const auto at = status.find(name);
    if (at == std::string::npos) return 0;
    return std::stoull(status.substr(at + name.size())) * 1024;
}

std::string read(const std::string& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

}  // namespace

ProcessCost read_cost(pid_t pid) {
    const std::string folder = "/proc/" + std::to_string(pid);
    const std::string stat = read(folder + "/stat");
    const auto name_end = stat.rfind(')');
    if (name_end == std::string::npos) throw std::runtime_error(folder + " cannot be read");
    // After the name: state and ten numbers, then utime and stime.
    std::istringstream fields(stat.substr(name_end + 2));
    std::string skipped;
    for (int i = 0; i < 11; ++i)
        fields >> skipped;
    double user = 0, system = 0;
    fields >> user >> system;
    const std::string status = read(folder + "/status");
    ProcessCost cost;
    cost.cpu_us = (user + system) * 1e6 / static_cast<double>(::sysconf(_SC_CLK_TCK));
    cost.rss = kib_of(status, "VmRSS:");
    cost.peak_rss = kib_of(status, "VmHWM:");
    return cost;
}

}  // namespace evalfleet::bench
