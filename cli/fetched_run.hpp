#pragma once

#include "cli/remote/connection.hpp"
#include "common/result/result.hpp"

#include <filesystem>
#include <string>

namespace evalfleet::cli {

/// The files of a run at a coordinator, in a folder that goes away with this object. They are what
/// its manifest names.
class FetchedRun {
  public:
    /// `not_found` if there is no such run, `invalid` while it has no results. Blocks.
    [[nodiscard]] static Result<FetchedRun> blocking_fetch(
        const remote::ConnectionOptions& connection, const std::string& said);

    FetchedRun(FetchedRun&& other) noexcept;
    FetchedRun& operator=(FetchedRun&&) = delete;
    ~FetchedRun();

    [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }

  private:
    explicit FetchedRun(std::filesystem::path folder) : folder_(std::move(folder)) {}

    std::filesystem::path folder_;
};

}  // namespace evalfleet::cli
