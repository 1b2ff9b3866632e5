#include "common/metrics/process.hpp"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace evalfleet::metrics {
namespace {

std::string read_all(const char* path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

double boot_time_seconds() {
    constexpr std::string_view kKey = "btime ";
    const std::string text = read_all("/proc/stat");
    const std::size_t at = text.find(kKey);
    if (at == std::string::npos) return 0;
    std::uint64_t seconds = 0;
    std::from_chars(text.data() + at + kKey.size(), text.data() + text.size(), seconds);
    return static_cast<double>(seconds);
}

double count_open_fds() {
    const auto close = [](DIR* folder) { ::closedir(folder); };
    const std::unique_ptr<DIR, decltype(close)> folder(::opendir("/proc/self/fd"), close);
    if (!folder) return 0;
    double count = -3;  // ".", "..", and the folder itself
    while (::readdir(folder.get()) != nullptr)
        ++count;
    return count;
}

}  // namespace

std::optional<ProcessStat> parse_process_stat(std::string_view text) {
    const std::size_t name_end = text.rfind(')');
    if (name_end == std::string_view::npos) return std::nullopt;
    // Fields from the third (state) on; proc(5) counts from one.
    std::istringstream rest{std::string(text.substr(name_end + 1))};
    std::vector<std::string> fields;
    for (std::string field; rest >> field;)
        fields.push_back(std::move(field));
    constexpr std::size_t kFirst = 3;
    constexpr std::size_t kRss = 24;
    if (fields.size() <= kRss - kFirst) return std::nullopt;
    const auto number = [&](std::size_t field) {
        std::uint64_t value = 0;
        const std::string& digits = fields[field - kFirst];
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
        return value;
    };
    return ProcessStat{number(14), number(15), number(20), number(22), number(kRss)};
}

std::optional<ProcessFigures> read_process_figures() {
    static const double boot_seconds = boot_time_seconds();
    const auto stat = parse_process_stat(read_all("/proc/self/stat"));
    if (!stat) return std::nullopt;
    const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
    ProcessFigures figures;
    figures.cpu_seconds = static_cast<double>(stat->user_ticks + stat->system_ticks) / ticks;
    figures.resident_bytes =
        static_cast<double>(stat->resident_pages) * static_cast<double>(::sysconf(_SC_PAGESIZE));
    figures.threads = static_cast<double>(stat->threads);
    figures.open_fds = count_open_fds();
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        figures.max_fds = static_cast<double>(limit.rlim_cur);
    }
    figures.start_time_seconds = boot_seconds + static_cast<double>(stat->start_ticks) / ticks;
    return figures;
}

}  // namespace evalfleet::metrics
