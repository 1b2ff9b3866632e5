#pragma once

#include "common/archive/store.hpp"
#include "common/async/blocking_pool.hpp"

#include <filesystem>

namespace evalfleet::archive {

/// A folder, perhaps of another machine's disk that is mounted here.
class FolderStore : public Store {
  public:
    FolderStore(std::filesystem::path root, async::BlockingPool& pool)
        : root_(std::move(root)), pool_(pool) {}

    [[nodiscard]] boost::asio::awaitable<Result<bool>> has(const std::string& name,
                                                           const RunFile& file) override;
    [[nodiscard]] boost::asio::awaitable<Status> put(const std::string& name, const RunFile& file,
                                                     std::filesystem::path source) override;
    [[nodiscard]] boost::asio::awaitable<Result<std::string>> hash(const std::string& name,
                                                                   const RunFile& file) override;

  private:
    std::filesystem::path root_;
    async::BlockingPool& pool_;
};

}  // namespace evalfleet::archive
