#include "worker/worker_name.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <random>

namespace evalfleet::worker {

namespace {

constexpr std::size_t kMaxName = 100;

std::string host_name() {
    std::array<char, 256> buffer{};
    if (::gethostname(buffer.data(), buffer.size() - 1) != 0) return "worker";
    return buffer.data();
}

bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
}

}  // namespace

std::string make_worker_name(std::string_view wanted) {
    std::string name = wanted.empty() ? host_name() : std::string(wanted);
    name.resize(std::min(name.size(), kMaxName));
    for (char& c : name) {
        if (!is_plain(c)) c = '-';
    }
    return fmt::format("{}-{:08x}", name, std::random_device{}());
}

}  // namespace evalfleet::worker
