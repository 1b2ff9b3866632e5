#include "common/http/tls.hpp"

#include "common/http/system_trust.hpp"

#include <openssl/ssl.h>

#include <stdexcept>

namespace evalfleet::http {

namespace ssl = boost::asio::ssl;

namespace {

std::unique_ptr<ssl::context> make_context(ssl::context::method method) {
    auto context = std::make_unique<ssl::context>(method);
    context->set_options(ssl::context::default_workarounds | ssl::context::no_sslv2 |
                         ssl::context::no_sslv3 | ssl::context::no_tlsv1 |
                         ssl::context::no_tlsv1_1 | ssl::context::no_compression);
    SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
    // Thousands of connections wait without a byte on its way: their record buffers are given back.
    SSL_CTX_set_mode(context->native_handle(), SSL_MODE_RELEASE_BUFFERS);
    return context;
}

void require(const boost::system::error_code& error, const char* what,
             const std::filesystem::path& file) {
    if (!error) return;
    throw std::runtime_error(std::string("TLS ") + what + " '" + file.string() +
                             "': " + error.message());
}

void use_identity(ssl::context& context, const std::filesystem::path& certificate,
                  const std::filesystem::path& key) {
    boost::system::error_code error;
    context.use_certificate_chain_file(certificate.string(), error);
    require(error, "certificate", certificate);
    context.use_private_key_file(key.string(), ssl::context::pem, error);
    require(error, "key", key);
}

void trust(ssl::context& context, const std::filesystem::path& authorities) {
    boost::system::error_code error;
    context.load_verify_file(authorities.string(), error);
    require(error, "authorities", authorities);
}

}  // namespace

void trust_system(ssl::context& context) {
    context.set_default_verify_paths();
}

std::unique_ptr<ssl::context> make_client_context_without_system(const TlsClientConfig& config) {
    auto context = make_context(ssl::context::tls_client);
    if (!config.ca_file.empty()) trust(*context, config.ca_file);
    if (!config.more_ca_file.empty()) trust(*context, config.more_ca_file);
    if (!config.certificate_file.empty()) {
        use_identity(*context, config.certificate_file, config.key_file);
    }
    context->set_verify_mode(ssl::verify_peer);
    SSL_CTX_set_session_cache_mode(context->native_handle(), SSL_SESS_CACHE_CLIENT);
    return context;
}

std::unique_ptr<ssl::context> make_client_context(const TlsClientConfig& config) {
    auto context = make_client_context_without_system(config);
    if (config.ca_file.empty()) trust_system(*context);
    return context;
}

std::unique_ptr<ssl::context> make_server_context(const TlsServerConfig& config) {
    auto context = make_context(ssl::context::tls_server);
    use_identity(*context, config.certificate_file, config.key_file);
    if (!config.client_ca_file.empty()) {
        trust(*context, config.client_ca_file);
        context->set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
    }
    // Needed for resumption once clients are asked for certificates.
    constexpr unsigned char kSessionContext[] = "evalfleet";
    SSL_CTX_set_session_id_context(context->native_handle(), kSessionContext,
                                   sizeof(kSessionContext) - 1);
    return context;
}

}  // namespace evalfleet::http
