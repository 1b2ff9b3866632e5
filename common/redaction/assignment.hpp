#pragma once

#include "common/redaction/scan.hpp"

namespace evalfleet::redaction {

// Values that are secret because of the name they are given to: password, passphrase, secret,
// token, api key, credential, auth and the like, with whatever stands before (`DB_PASSWORD`,
// `dbPassword`, `x-api-key`) or behind (`password2`). Names that only speak about one
// (`token_count`, `password_file`) are none, and values that are code, a placeholder or a plain
// word stay.

/// At ':' or '=': `NAME=value`, `name: value`, `"name": "value"`, `name => value`,
/// `"name": "NAME", "value": "..."`, the headers Authorization and Cookie, and `-u user:password`
/// of a command.
[[nodiscard]] Found find_assigned(Scan& scan, std::size_t i);
/// At '-': `--name value`.
[[nodiscard]] Found find_flag(Scan& scan, std::size_t i);
/// At '-': `-p value` of commands that take a password so, `-U user%password`.
[[nodiscard]] Found find_short_flag(Scan& scan, std::size_t i);
/// At ',': `'NAME', 'value'`, as settings and headers stand in lists and calls.
[[nodiscard]] Found find_listed(Scan& scan, std::size_t i);
/// At '>': `<name>value</name>`.
[[nodiscard]] Found find_element(Scan& scan, std::size_t i);
/// At 'p' or 'P': "the password is value", "Passwort ist value", `PASSWORD 'value'`.
[[nodiscard]] Found find_told_password(Scan& scan, std::size_t i);
/// At a byte beyond ASCII: "la contraseña es value".
[[nodiscard]] Found find_told_abroad(Scan& scan, std::size_t i);
/// At '(': `setPassword("value")`.
[[nodiscard]] Found find_set_by_call(Scan& scan, std::size_t i);
/// At '>': `name -> value`. Without blanks it is a member: node->token.
[[nodiscard]] Found find_arrow(Scan& scan, std::size_t i);
/// At '|': `| name | value |`, a row of a table.
[[nodiscard]] Found find_cell(Scan& scan, std::size_t i);
/// At 'H': `AUTH value`, `AUTH user value`, as Redis has it.
[[nodiscard]] Found find_auth_command(Scan& scan, std::size_t i);
/// At 'q' or 'Q': `requirepass value`.
[[nodiscard]] Found find_required_password(Scan& scan, std::size_t i);
/// At '>': `ACL SETUSER name on >value`.
[[nodiscard]] Found find_user_rule(Scan& scan, std::size_t i);
/// At 'B' or 'b': `IDENTIFIED BY 'value'`, as databases have it.
[[nodiscard]] Found find_identified_by(Scan& scan, std::size_t i);

}  // namespace evalfleet::redaction
