#pragma once

#include "tests/support/disk/disk_calls.hpp"

#include <string>
#include <vector>

namespace evalfleet::testing {

/// A disk of this process that fails when told. One at a time; with its end the disk is whole.
class FaultyDisk {
  public:
    struct Fault {
        DiskCall call = DiskCall::sync;
        int error = 0;                          ///< errno; 0: see `at_most`
        unsigned skip = 0;                      ///< so many calls go well first
        unsigned times = 1;                     ///< so many calls are struck
        std::size_t at_most = ~std::size_t{0};  ///< a short write
        std::string path_part{};                ///< only files whose path has this in it
    };

    FaultyDisk();
    FaultyDisk(const FaultyDisk&) = delete;
    FaultyDisk& operator=(const FaultyDisk&) = delete;
    ~FaultyDisk();

    void add(Fault fault);

    /// The files and folders that were synced, in order.
    [[nodiscard]] std::vector<std::string> synced() const;
};

}  // namespace evalfleet::testing
