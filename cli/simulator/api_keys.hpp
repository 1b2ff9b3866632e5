#pragma once

#include "common/result/result.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::simulator {

/// The API keys that are let in.
class ApiKeys {
  public:
    /// Lets every key in, and requests without one.
    ApiKeys() = default;

    /// Reads a file with one key a line; empty lines are skipped. `invalid` if there is none.
    [[nodiscard]] static Result<ApiKeys> blocking_read(const std::filesystem::path& path);

    [[nodiscard]] bool allow(std::string_view key) const {
        return keys_.empty() || std::binary_search(keys_.begin(), keys_.end(), key);
    }

  private:
    std::vector<std::string> keys_;  // sorted
};

}  // namespace evalfleet::simulator
