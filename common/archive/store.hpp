#pragma once

#include "common/archive/run_files.hpp"
#include "common/result/result.hpp"

#include <boost/asio/awaitable.hpp>

#include <filesystem>
#include <string>

namespace evalfleet::archive {

/// What keeps files by name. Names are `<run id>/<file>`.
class Store {
  public:
    Store() = default;
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;
    virtual ~Store() = default;

    /// Whether it has this file already: the same size and hash.
    [[nodiscard]] virtual boost::asio::awaitable<Result<bool>> has(const std::string& name,
                                                                   const RunFile& file) = 0;

    /// Puts a file in, whole or not at all, and goes on with what an earlier try left.
    [[nodiscard]] virtual boost::asio::awaitable<Status> put(const std::string& name,
                                                             const RunFile& file,
                                                             std::filesystem::path source) = 0;

    /// The hash of what it has, read back.
    [[nodiscard]] virtual boost::asio::awaitable<Result<std::string>> hash(const std::string& name,
                                                                           const RunFile& file) = 0;
};

}  // namespace evalfleet::archive
