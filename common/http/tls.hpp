#pragma once

#include <boost/asio/ssl/context.hpp>

#include <filesystem>
#include <memory>
#include <string>

namespace evalfleet::http {

/// Whom a client trusts and who it is. Peers are always verified.
struct TlsClientConfig {
    std::filesystem::path ca_file{};           ///< PEM; empty: the system's authorities
    std::filesystem::path more_ca_file{};      ///< PEM; besides those; empty: no others
    std::filesystem::path certificate_file{};  ///< PEM chain shown to servers that ask; empty: none
    std::filesystem::path key_file{};          ///< PEM; of that certificate
};

/// Who a server is and whom it lets in.
struct TlsServerConfig {
    std::filesystem::path certificate_file{};  ///< PEM chain
    std::filesystem::path key_file{};          ///< PEM
    std::filesystem::path client_ca_file{};    ///< PEM; clients must then show a certificate of it
};

/// At least TLS 1.2. Throws std::runtime_error, naming the file, when one cannot be used.
[[nodiscard]] std::unique_ptr<boost::asio::ssl::context> make_client_context(
    const TlsClientConfig& config);
[[nodiscard]] std::unique_ptr<boost::asio::ssl::context> make_server_context(
    const TlsServerConfig& config);

}  // namespace evalfleet::http
