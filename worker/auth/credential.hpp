#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::worker {

/// What lets a request in: a key, a token, or what requests are signed with. Never shown.
struct Credential {
    std::string secret{};         ///< the key or token itself; of AWS the secret access key
    std::string access_key_id{};  ///< of AWS
    std::string session_token{};  ///< of AWS, if it is temporary
    /// When it ends, if that is known.
    std::optional<std::chrono::system_clock::time_point> expires{};

    bool operator==(const Credential&) const = default;
};

}  // namespace evalfleet::worker
