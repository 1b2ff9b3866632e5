#pragma once

#include <cstddef>
#include <string>

namespace evalfleet::json {

/// Enough for every double that `write_double` prints.
inline constexpr std::size_t kMaxDoubleChars = 40;

/// Writes the one canonical form of a finite double into `out` (at least `kMaxDoubleChars` bytes)
/// and returns the end.
///
/// The digits are the fewest that read back as the same double. From 1e-6 up to 2^53 they stand in
/// plain notation with at least one digit behind the point (2.0, 100000.0, -0.0), so that a double
/// is never mistaken for an integer; everything else is scientific (1e+22, 2.5e-07).
/// Throws std::logic_error for NaN and infinities: JSON has no such numbers, unknown is null.
[[nodiscard]] char* write_double(char* out, double value);

/// The canonical form as a string.
[[nodiscard]] std::string format_double(double value);

}  // namespace evalfleet::json
