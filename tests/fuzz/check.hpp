#pragma once

#include <cstdio>
#include <cstdlib>

namespace evalfleet::fuzz {

/// A claim that must hold for every input; a finding aborts, as libFuzzer expects.
inline void check(bool holds, const char* claim) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %s\n", claim);
    std::abort();
}

}  // namespace evalfleet::fuzz
