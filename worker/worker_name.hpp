#pragma once

#include <string>
#include <string_view>

namespace evalfleet::worker {

/// A name that no other living worker has: `wanted`, or the host's name if that is empty, and a
/// random number. Only letters, digits, dots, dashes and underscores; others become dashes.
[[nodiscard]] std::string make_worker_name(std::string_view wanted);

}  // namespace evalfleet::worker
