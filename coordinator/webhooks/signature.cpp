#include "coordinator/webhooks/signature.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <stdexcept>

namespace evalfleet::webhooks {

std::string sign(std::string_view secret, std::int64_t timestamp, std::string_view body) {
    const std::string text = fmt::format("{}.{}", timestamp, body);
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    if (HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
             reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(),
             &size) == nullptr)
        throw std::runtime_error("OpenSSL cannot compute an HMAC");
    std::string hex = "sha256=";
    for (unsigned i = 0; i < size; ++i)
        hex += fmt::format("{:02x}", digest[i]);
    return hex;
}

}  // namespace evalfleet::webhooks
