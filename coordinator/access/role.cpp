#include "coordinator/access/role.hpp"

#include <array>
#include <cstddef>

namespace evalfleet::access {

namespace {

constexpr std::array<std::string_view, 3> kNames = {"reader", "submitter", "admin"};

}  // namespace

std::string_view to_string(Role role) noexcept {
    return kNames[static_cast<std::size_t>(role)];
}

std::optional<Role> parse_role(std::string_view text) noexcept {
    for (std::size_t i = 0; i < kNames.size(); ++i)
        if (kNames[i] == text) return static_cast<Role>(i);
    return std::nullopt;
}

}  // namespace evalfleet::access
