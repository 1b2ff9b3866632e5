#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace simdjson::internal {
class dom_parser_implementation;
}

namespace evalfleet::json {

/// Finds where tokens begin, and checks UTF-8, that strings are closed and have no control
/// characters: the first of the two stages of simdjson, by the best instructions of this machine.
class TokenFinder {
  public:
    TokenFinder();
    ~TokenFinder();

    /// Offsets of every structural character, opening quote and first character of another scalar,
    /// outside of strings; empty if something is wrong. Valid until the next call.
    [[nodiscard]] std::span<const std::uint32_t> find(std::string_view line);

  private:
    void grow(std::size_t wanted);

    std::unique_ptr<simdjson::internal::dom_parser_implementation> stages_;
    std::size_t capacity_ = 0;
};

}  // namespace evalfleet::json
