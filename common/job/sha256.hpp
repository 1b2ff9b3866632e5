#pragma once

#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace evalfleet::job {

/// The SHA-256 of bytes that come piece by piece. Throws std::runtime_error only for lack of memory
/// or a broken installation of OpenSSL.
class Sha256 {
  public:
    Sha256();

    void add(std::string_view bytes);

    /// Lower-case hex of everything added; to be called once, at the end.
    [[nodiscard]] std::string hex();

  private:
    std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> context_;
};

}  // namespace evalfleet::job
