#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace evalfleet::testing {

/// Every file of a store that should not be there, one sentence each: half-written ones, folders of
/// runs that are neither, and in the folder of a run that is over whatever its manifest does not
/// name and nobody needs any more.
[[nodiscard]] std::vector<std::string> find_leftovers(const std::filesystem::path& store);

/// The runs that Redis may have: those in the store that are not over. Of any other it may keep a
/// tombstone that ends by itself, and nothing else.
[[nodiscard]] std::set<std::string> find_open_runs(const std::filesystem::path& store);

/// The run whose key this is; empty if it is none of a run. With the kind of the key.
struct RunKey {
    std::string kind;
    std::string run_id;
};
[[nodiscard]] RunKey parse_run_key(const std::string& key);

}  // namespace evalfleet::testing
