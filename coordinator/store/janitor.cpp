#include "coordinator/store/janitor.hpp"

#include "common/files/part_file.hpp"

#include <system_error>
#include <vector>

namespace evalfleet::store {

Status blocking_tidy_store(const std::filesystem::path& store) {
    std::vector<std::filesystem::path> places{store, store / "submissions"};
    std::error_code code;
    for (const auto& group : std::filesystem::directory_iterator(store / "groups", code))
        places.push_back(group.path());
    for (const auto& place : places)
        if (auto tidied = files::blocking_remove_parts(place); !tidied) return tidied.error();
    return {};
}

}  // namespace evalfleet::store
