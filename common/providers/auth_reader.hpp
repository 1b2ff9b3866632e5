#pragma once

#include "common/config/fields.hpp"
#include "common/providers/auth_config.hpp"

#include <optional>

/// How `auth` and programs are read from a providers file. Faults go to the fields' validator.
namespace evalfleet::providers {

/// The member `auth`; nothing if there is none.
[[nodiscard]] std::optional<AuthConfig> read_auth(config::Fields& provider);

/// The members `command` (a list of a program and its arguments) and `env` (names of variables).
[[nodiscard]] ProgramConfig read_program(config::Fields& fields, bool is_required);

/// All secrets that an `auth` refers to, each with its member's name: for whoever has to resolve
/// them or to pass their variables on.
struct NamedSecret {
    std::string_view member;
    SecretSource source;
};
[[nodiscard]] std::vector<NamedSecret> secrets_of(const AuthConfig& auth);

}  // namespace evalfleet::providers
