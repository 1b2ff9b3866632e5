#pragma once

#include <cstddef>

/// The calls by which a program reads and writes its files, caught where the program meets the C
/// library: `disk_calls.cpp` defines them and asks `decide` first. So what is tested is what is
/// shipped, without a hook in it.
namespace evalfleet::testing {

enum class DiskCall { read, write, sync, cut };

/// What happens to a call instead of what was asked for.
struct DiskAnswer {
    int error = 0;                          ///< it fails with this errno; 0: it does not fail
    std::size_t at_most = ~std::size_t{0};  ///< a write takes no more bytes than this
};

/// Does nothing; a program that refers to it has the calls caught.
void catch_disk_calls();

/// Made by whoever links `disk_calls.cpp`. May be called from any thread.
DiskAnswer decide(DiskCall call, int descriptor);

}  // namespace evalfleet::testing
