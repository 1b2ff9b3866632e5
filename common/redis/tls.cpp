#include "common/redis/tls.hpp"

#include <openssl/ssl.h>

#include <string>
#include <utility>

namespace evalfleet::redis {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

Error unusable(std::string_view what, const std::string& file, const error_code& error) {
    return Error{ErrorKind::tls, std::string(what) + " '" + file + "': " + error.message()};
}

Status load_certificates(asio::ssl::context& context, const TlsConfig& config) {
    error_code error;
    if (config.ca_file.empty()) {
        context.set_default_verify_paths(error);
        if (error) return unusable("the system's certificate authorities", "", error);
    } else {
        context.load_verify_file(config.ca_file, error);
        if (error) return unusable("CA file", config.ca_file, error);
    }
    if (config.cert_file.empty()) return {};
    context.use_certificate_chain_file(config.cert_file, error);
    if (error) return unusable("certificate file", config.cert_file, error);
    context.use_private_key_file(config.key_file, asio::ssl::context::pem, error);
    if (error) return unusable("key file", config.key_file, error);
    return {};
}

}  // namespace

Result<asio::ssl::context> make_tls_context(const TlsConfig& config) {
    asio::ssl::context context(asio::ssl::context::tls_client);
    if (SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION) != 1)
        return Error{ErrorKind::tls, "TLS 1.2 is not available"};
    if (Status status = load_certificates(context, config); !status) return status.error();
    context.set_verify_mode(asio::ssl::verify_peer);
    return context;
}

}  // namespace evalfleet::redis
