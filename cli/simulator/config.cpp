#include "cli/simulator/config.hpp"

#include "common/config/units.hpp"

#include <fmt/format.h>

namespace evalfleet::simulator {

Result<TokenRange> TokenRange::parse(std::string_view text) {
    constexpr std::uint64_t kMaxTokens = 1'000'000;
    const std::size_t colon = text.find(':');
    const bool is_pair = colon != std::string_view::npos;
    const auto min = config::parse_uint64(text.substr(0, colon));
    const auto max = config::parse_uint64(is_pair ? text.substr(colon + 1) : "");
    if (min && max && *min >= 1 && *min <= *max && *max <= kMaxTokens) {
        return TokenRange{*min, *max};
    }
    return Error{ErrorKind::invalid,
                 fmt::format("found '{}', allowed: MIN:MAX, each 1 to {}", text, kMaxTokens)};
}

}  // namespace evalfleet::simulator
