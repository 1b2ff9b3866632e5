#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::access {

/// What a caller may do; each role may do what the ones before it may.
enum class Role {
    reader,     ///< look at everything
    submitter,  ///< hand in and steer runs
    admin,      ///< remove them
};

[[nodiscard]] std::string_view to_string(Role role) noexcept;
[[nodiscard]] std::optional<Role> parse_role(std::string_view text) noexcept;

/// Who is calling.
struct Identity {
    std::string name;  ///< of the token, never the token itself
    Role role = Role::reader;
};

}  // namespace evalfleet::access
