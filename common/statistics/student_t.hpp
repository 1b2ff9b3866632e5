#pragma once

namespace evalfleet::statistics {

/// The 97.5 % point of Student's t distribution by the Cornish-Fisher expansion around the normal
/// one: within 1 % from 5 degrees of freedom on.
[[nodiscard]] double student_t95(double degrees);

/// The same for the point of the normal distribution that is `z`.
[[nodiscard]] double student_t(double z, double degrees);

}  // namespace evalfleet::statistics
