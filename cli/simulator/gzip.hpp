#pragma once

#include <string>
#include <string_view>

namespace evalfleet::simulator {

/// The text as a gzip file whose blocks are stored as they are: any reader of gzip takes it, and no
/// library is needed to write it.
[[nodiscard]] std::string gzip(std::string_view text);

}  // namespace evalfleet::simulator
