#pragma once

#include <string>
#include <string_view>

namespace evalfleet::reduce {

/// A name as it may stand on a terminal: what a submitter wrote must not move the cursor or begin a
/// line of its own. Control characters, also those of U+0080 to U+009F, become question marks.
[[nodiscard]] std::string printable(std::string_view name);

}  // namespace evalfleet::reduce
