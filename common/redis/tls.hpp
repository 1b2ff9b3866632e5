#pragma once

#include "common/redis/config.hpp"
#include "common/result/result.hpp"

#include <boost/asio/ssl/context.hpp>

namespace evalfleet::redis {

/// A client context that verifies its peer and speaks TLS 1.2 or newer. `tls` if a file cannot be
/// used, naming it. Reads small files, which blocks for a moment.
[[nodiscard]] Result<boost::asio::ssl::context> make_tls_context(const TlsConfig& config);

}  // namespace evalfleet::redis
