#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace evalfleet::testing {

/// A certificate and its private key, as PEM files.
struct CertificateFiles {
    std::filesystem::path certificate;
    std::filesystem::path key;
};

/// Makes certificates for tests of TLS, with P-256 keys that cost no time. Every authority is
/// another one, even under the same name: a certificate of one is not trusted by the other. Its
/// files live in a folder of their own, which goes with it.
class CertificateAuthority {
  public:
    explicit CertificateAuthority(const std::string& name = "evalfleet test authority");
    CertificateAuthority(const CertificateAuthority&) = delete;
    CertificateAuthority& operator=(const CertificateAuthority&) = delete;
    ~CertificateAuthority();

    /// The authority's own certificate, to be trusted (PEM).
    [[nodiscard]] std::filesystem::path certificate() const;

    /// For a server that is reached under `names`: DNS names or IP addresses ("127.0.0.1", "::1").
    [[nodiscard]] CertificateFiles issue_server(const std::vector<std::string>& names = {
                                                    "localhost", "127.0.0.1", "::1"});

    /// The same, but its time was over yesterday.
    [[nodiscard]] CertificateFiles issue_expired_server(const std::vector<std::string>& names = {
                                                            "localhost", "127.0.0.1", "::1"});

    /// For a client that shows who it is; `common_name` is its subject.
    [[nodiscard]] CertificateFiles issue_client(const std::string& common_name);

    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

  private:
    struct Identity;  // the authority's certificate and key, as OpenSSL holds them

    std::filesystem::path folder_;
    std::unique_ptr<Identity> identity_;
    int next_serial_ = 2;
};

}  // namespace evalfleet::testing
