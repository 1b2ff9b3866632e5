#include "common/redis/address.hpp"

#include "common/files/file.hpp"
#include "common/redis/url.hpp"

#include <utility>

namespace evalfleet::redis {

namespace {

constexpr std::uint64_t kMaxPasswordBytes = 4096;

Error wrong(std::string_view variable, const std::string& what) {
    return Error{ErrorKind::invalid, std::string(variable) + ": " + what};
}

Result<std::string> blocking_read_first_line(const std::string& path) {
    const auto text = files::blocking_read_file(path, kMaxPasswordBytes);
    if (!text) return wrong(kPasswordFileVariable, text.error().message);
    std::string line = text->substr(0, text->find('\n'));
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) return wrong(kPasswordFileVariable, "the file's first line is empty");
    return line;
}

std::string value_of(const Lookup& lookup, std::string_view variable) {
    return lookup(std::string(variable)).value_or("");
}

}  // namespace

Result<Config> blocking_read_address(std::string_view url, const Lookup& lookup) {
    std::string password = value_of(lookup, kPasswordVariable);
    const std::string file = value_of(lookup, kPasswordFileVariable);
    if (!password.empty() && !file.empty())
        return wrong(
            kPasswordVariable,
            "found together with " + std::string(kPasswordFileVariable) + ", allowed: one of them");
    if (!file.empty()) {
        auto read = blocking_read_first_line(file);
        if (!read) return read.error();
        password = std::move(*read);
    }
    return parse_url(url, std::move(password));
}

}  // namespace evalfleet::redis
