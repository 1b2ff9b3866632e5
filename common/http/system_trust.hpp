#pragma once

#include "common/http/tls.hpp"

namespace evalfleet::http {

/// As `make_client_context`, but where that would trust the system's authorities nobody is trusted
/// until `trust_system`: there are so many of them that reading them takes tens of milliseconds,
/// which a short command that talks to a server without TLS need not spend.
[[nodiscard]] std::unique_ptr<boost::asio::ssl::context> make_client_context_without_system(
    const TlsClientConfig& config);

/// Adds them. Before the context's first connection, by one thread.
void trust_system(boost::asio::ssl::context& context);

}  // namespace evalfleet::http
