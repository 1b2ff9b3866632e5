#pragma once

#include "common/redis/config.hpp"
#include "common/result/result.hpp"

#include <string>
#include <string_view>

namespace evalfleet::redis {

/// The configuration that a URL stands for:
///
///     redis://[[user]:password@]host[:port][/database][?option=value&...]
///     rediss://...                                    the same over TLS
///     unix://[[user]:password@]/path/of/socket[?option=value&...]
///     redis+sentinel://[[user]:password@]host[:port],.../master[/database][?...]
///     redis+cluster://[[user]:password@]host[:port],...[?...]
///     rediss+sentinel://..., rediss+cluster://...     the same over TLS
///
/// With sentinels, user and password are those of Redis itself; theirs are the options
/// `sentinel_user` and `sentinel_password`. User, password, path and option values are
/// percent-decoded. Options: `db`, `client_name`, and over TLS `ca_file`, `cert_file`, `key_file`,
/// `server_name`. The result is validated.
///
/// `password`: one that is kept apart, as it is; empty: that of the URL, if it has one.
///
/// Anything else is `invalid`, two passwords included. Messages never hold the URL, which may carry
/// a password.
[[nodiscard]] Result<Config> parse_url(std::string_view url, std::string password = {});

}  // namespace evalfleet::redis
