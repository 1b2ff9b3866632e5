#pragma once

#include "common/async/heavy_pool.hpp"
#include "coordinator/api/services.hpp"

#include <boost/asio/awaitable.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace evalfleet::api {

/// Where the index of a run's records is kept, once somebody has searched them.
[[nodiscard]] std::filesystem::path record_index_of(const store::RunFolder& folder);

/// What it takes to read all records of these runs; the turn is that of the first one.
[[nodiscard]] boost::asio::awaitable<async::HeavyPool::Job> reading_of(
    Services& services, std::vector<std::string> run_ids);

/// What it takes to search the records of a run: little, once they have an index.
[[nodiscard]] boost::asio::awaitable<async::HeavyPool::Job> searching_of(Services& services,
                                                                         std::string run_id);

}  // namespace evalfleet::api
