#include "cli/simulator/api_keys.hpp"

#include "common/files/file.hpp"
#include "common/http/headers.hpp"

#include <algorithm>

namespace evalfleet::simulator {

Result<ApiKeys> ApiKeys::blocking_read(const std::filesystem::path& path) {
    constexpr std::size_t kMaxBytes = 16 * 1024 * 1024;
    const auto text = files::blocking_read_file(path, kMaxBytes);
    if (!text) return text.error();
    ApiKeys keys;
    std::string_view rest = *text;
    while (!rest.empty()) {
        const auto end = std::min(rest.find('\n'), rest.size());
        std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (line.ends_with('\r')) line.remove_suffix(1);
        line = http::trim(line);
        if (!line.empty()) keys.keys_.emplace_back(line);
    }
    if (keys.keys_.empty()) return Error{ErrorKind::invalid, path.string() + ": holds no key"};
    std::sort(keys.keys_.begin(), keys.keys_.end());
    return keys;
}

}  // namespace evalfleet::simulator
