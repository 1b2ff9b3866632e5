#pragma once

#include "common/job/sha256.hpp"

#include <string>
#include <string_view>

namespace evalfleet::access {

inline std::string hash_of(std::string_view token) {
    job::Sha256 hash;
    hash.add(token);
    return hash.hex();
}

/// A line of a tokens file.
inline std::string token_line(std::string_view name, std::string_view role,
                              std::string_view token) {
    return "  - {name: " + std::string(name) + ", role: " + std::string(role) +
           ", sha256: " + hash_of(token) + "}\n";
}

}  // namespace evalfleet::access
