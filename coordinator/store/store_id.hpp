#pragma once

#include "common/result/result.hpp"

#include <filesystem>
#include <string>

namespace evalfleet::store {

/// Names a store among those that use one pool of Redis: `<store>/id`, made once at random. Runs
/// carry it in Redis, so that their store, and no other, can tell which of them are left over.
/// `not_found` if it has none.
[[nodiscard]] Result<std::string> blocking_read_store_id(const std::filesystem::path& store);

/// The same; makes it if there is none.
[[nodiscard]] Result<std::string> blocking_make_store_id(const std::filesystem::path& store);

}  // namespace evalfleet::store
