#pragma once

#include <string_view>

namespace evalfleet::job {

/// What the reason of a lost trial begins with if workers would not take any trial of its run: they
/// lack its provider, or cannot make sense of its spec. The coordinator tells by it that the next
/// trial will fare no better.
inline constexpr std::string_view kRunRefused = "no worker takes this run: ";

}  // namespace evalfleet::job
