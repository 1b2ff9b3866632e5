#pragma once

#include "common/result/result.hpp"

#include <filesystem>
#include <string>

namespace evalfleet::cli {

/// An input that must be a file. Standard input ("-") is copied into a temporary file, which goes
/// away with this object.
class SpooledInput {
  public:
    [[nodiscard]] static Result<SpooledInput> open(const std::string& file);

    ~SpooledInput();
    SpooledInput(SpooledInput&& other) noexcept;
    SpooledInput& operator=(SpooledInput&&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

    /// The error with standard input named as such, not by its temporary file.
    [[nodiscard]] Error locate(const Error& error) const;

  private:
    SpooledInput(std::filesystem::path path, bool temporary);

    std::filesystem::path path_;
    bool temporary_;
};

}  // namespace evalfleet::cli
