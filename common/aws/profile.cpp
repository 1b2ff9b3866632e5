#include "common/aws/profile.hpp"

#include <algorithm>
#include <string>

namespace evalfleet::aws {

namespace {

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r\n";
    const auto begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

}  // namespace

Credentials read_profile(std::string_view text, std::string_view profile) {
    Credentials found;
    bool is_inside = false;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty() || line.front() == '#' || line.front() == ';') continue;
        if (line.front() == '[') {
            is_inside = trimmed(line.substr(1, line.find(']') - 1)) == profile;
            continue;
        }
        const std::size_t equals = line.find('=');
        if (!is_inside || equals == std::string_view::npos) continue;
        const std::string_view name = trimmed(line.substr(0, equals));
        const std::string value(trimmed(line.substr(equals + 1)));
        if (name == "aws_access_key_id") found.access_key_id = value;
        if (name == "aws_secret_access_key") found.secret_access_key = value;
        if (name == "aws_session_token") found.session_token = value;
    }
    return found;
}

}  // namespace evalfleet::aws
