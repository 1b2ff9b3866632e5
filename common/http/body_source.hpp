#pragma once

#include "common/result/result.hpp"

#include <cstdint>
#include <string_view>

namespace evalfleet::http {

/// The body of a request that is too large to be held: it is asked for piece by piece as it goes
/// out.
class BodySource {
  public:
    BodySource() = default;
    BodySource(const BodySource&) = delete;
    BodySource& operator=(const BodySource&) = delete;
    virtual ~BodySource() = default;

    /// Of the whole body.
    [[nodiscard]] virtual std::uint64_t size() const = 0;

    /// The next piece, never empty, good until the next call; asked for until `size()` bytes were
    /// given. An error ends the call. Runs on the call's executor, and blocks it for as long as it
    /// takes: for programs that do nothing else meanwhile.
    [[nodiscard]] virtual Result<std::string_view> blocking_next() = 0;
};

}  // namespace evalfleet::http
