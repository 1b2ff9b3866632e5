#include "tests/support/certificates.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace evalfleet::testing {

namespace {

template <auto Free>
struct Freer {
    template <class T>
    void operator()(T* object) const {
        Free(object);
    }
};
using Key = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freer<X509_free>>;

constexpr long kDaySeconds = 24L * 60 * 60;

void require(bool succeeded, const char* step) {
    if (!succeeded) throw std::runtime_error(std::string("making a test certificate: ") + step);
}

Key make_key() {
    Key key(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"));
    require(key != nullptr, "key");
    return key;
}

/// Valid from thirty days before `end_seconds` (seconds from now) to then.
Certificate begin_certificate(EVP_PKEY* key, int serial, const std::string& common_name,
                              long end_seconds) {
    Certificate certificate(X509_new());
    require(certificate != nullptr, "certificate");
    X509* x509 = certificate.get();
    X509_set_version(x509, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(x509), serial);
    X509_gmtime_adj(X509_getm_notBefore(x509), end_seconds - 30 * kDaySeconds);
    X509_gmtime_adj(X509_getm_notAfter(x509), end_seconds);
    X509_set_pubkey(x509, key);
    std::vector<unsigned char> text(common_name.begin(), common_name.end());
    require(X509_NAME_add_entry_by_txt(X509_get_subject_name(x509), "CN", MBSTRING_UTF8,
                                       text.data(), static_cast<int>(text.size()), -1, 0) == 1,
            "subject");
    return certificate;
}

void add_extension(X509* certificate, X509* issuer, int kind, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
    require(extension != nullptr, "extension");
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
}

void sign(X509* certificate, X509* issuer, EVP_PKEY* issuer_key) {
    X509_set_issuer_name(certificate, X509_get_subject_name(issuer));
    require(X509_sign(certificate, issuer_key, EVP_sha256()) > 0, "signature");
}

using File = std::unique_ptr<std::FILE, Freer<std::fclose>>;

File create_file(const std::filesystem::path& path) {
    File file(std::fopen(path.c_str(), "wb"));
    require(file != nullptr, path.c_str());
    return file;
}

CertificateFiles write_files(const std::filesystem::path& folder, const std::string& stem,
                             X509* certificate, EVP_PKEY* key) {
    CertificateFiles files{folder / (stem + ".crt"), folder / (stem + ".key")};
    require(PEM_write_X509(create_file(files.certificate).get(), certificate) == 1, "writing");
    require(PEM_write_PrivateKey(create_file(files.key).get(), key, nullptr, nullptr, 0, nullptr,
                                 nullptr) == 1,
            "writing the key");
    return files;
}

std::filesystem::path make_folder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "evalfleet-tls-XXXXXX").string();
    require(mkdtemp(pattern.data()) != nullptr, "folder");
    return pattern;
}

bool is_address(const std::string& name) {
    return name.find(':') != std::string::npos ||
           name.find_first_not_of("0123456789.") == std::string::npos;
}

std::string alternative_names(const std::vector<std::string>& names) {
    std::string list;
    for (const auto& name : names) {
        if (!list.empty()) list += ',';
        list += (is_address(name) ? "IP:" : "DNS:") + name;
    }
    return list;
}

struct Wanted {
    std::string stem;
    std::string common_name;
    std::string usage;
    std::string names;  // subject alternative names, may be empty
    long end_seconds = kDaySeconds;
};

CertificateFiles issue(const std::filesystem::path& folder, X509* issuer, EVP_PKEY* issuer_key,
                       int serial, const Wanted& wanted) {
    const Key key = make_key();
    const Certificate certificate =
        begin_certificate(key.get(), serial, wanted.common_name, wanted.end_seconds);
    X509* x509 = certificate.get();
    add_extension(x509, issuer, NID_basic_constraints, "critical,CA:FALSE");
    add_extension(x509, issuer, NID_key_usage, "critical,digitalSignature");
    add_extension(x509, issuer, NID_ext_key_usage, wanted.usage);
    if (!wanted.names.empty()) add_extension(x509, issuer, NID_subject_alt_name, wanted.names);
    sign(x509, issuer, issuer_key);
    return write_files(folder, wanted.stem + "-" + std::to_string(serial), x509, key.get());
}

}  // namespace

struct CertificateAuthority::Identity {
    Key key;
    Certificate certificate;
};

CertificateAuthority::CertificateAuthority(const std::string& name)
    : folder_(make_folder()), identity_(std::make_unique<Identity>()) {
    identity_->key = make_key();
    identity_->certificate = begin_certificate(identity_->key.get(), 1, name, kDaySeconds);
    X509* x509 = identity_->certificate.get();
    add_extension(x509, x509, NID_basic_constraints, "critical,CA:TRUE");
    add_extension(x509, x509, NID_key_usage, "critical,keyCertSign,cRLSign");
    add_extension(x509, x509, NID_subject_key_identifier, "hash");
    sign(x509, x509, identity_->key.get());
    static_cast<void>(write_files(folder_, "authority", x509, identity_->key.get()));
}

CertificateAuthority::~CertificateAuthority() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

std::filesystem::path CertificateAuthority::certificate() const {
    return folder_ / "authority.crt";
}

CertificateFiles CertificateAuthority::issue_server(const std::vector<std::string>& names) {
    return issue(folder_, identity_->certificate.get(), identity_->key.get(), next_serial_++,
                 {"server", "server", "serverAuth", alternative_names(names)});
}

CertificateFiles CertificateAuthority::issue_expired_server(const std::vector<std::string>& names) {
    return issue(folder_, identity_->certificate.get(), identity_->key.get(), next_serial_++,
                 {"expired", "server", "serverAuth", alternative_names(names), -kDaySeconds});
}

CertificateFiles CertificateAuthority::issue_client(const std::string& common_name) {
    return issue(folder_, identity_->certificate.get(), identity_->key.get(), next_serial_++,
                 {"client", common_name, "clientAuth", ""});
}

}  // namespace evalfleet::testing
