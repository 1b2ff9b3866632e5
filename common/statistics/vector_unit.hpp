#pragma once

namespace evalfleet::statistics {

/// True if the processor has AVX2 and `set_portable(true)` was not called. Both ways of computing
/// give the same bits; the choice is only about time.
[[nodiscard]] bool has_avx2() noexcept;

/// Makes everything take the portable way, so that tests can hold the two against each other.
void set_portable(bool portable) noexcept;

}  // namespace evalfleet::statistics
