#include "common/queue/keys.hpp"

#include <algorithm>

namespace evalfleet::queue {

namespace {

bool is_id_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
}

std::string join(std::string_view base, std::string_view kind, std::string_view run_id) {
    std::string key(base);
    return key.append(kind).append(run_id);
}

}  // namespace

Keys::Keys(std::string_view pool) : base_("ef:{" + std::string(pool) + "}") {}

std::string Keys::run(std::string_view run_id) const {
    return join(base_, ":run:", run_id);
}
std::string Keys::jobs(std::string_view run_id) const {
    return join(base_, ":job:", run_id);
}
std::string Keys::ready(std::string_view run_id) const {
    return join(base_, ":q:", run_id);
}
std::string Keys::results(std::string_view run_id) const {
    return join(base_, ":res:", run_id);
}
std::string Keys::wake() const {
    return base_ + ":wake";
}

bool is_run_id(std::string_view id) noexcept {
    return !id.empty() && id.size() <= 64 && id.front() != '.' &&
           std::all_of(id.begin(), id.end(), is_id_character);
}

}  // namespace evalfleet::queue
