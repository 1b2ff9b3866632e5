#pragma once

#include "common/files/file.hpp"
#include "common/job/sha256.hpp"
#include "common/result/result.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace evalfleet::datasets {

/// A data set on its way in: goes to a file of its own as it comes, and is hashed on the way. The
/// file is removed with the object unless it was moved elsewhere. Everything blocks.
class DatasetUpload {
  public:
    /// `folder` is made if it is not there.
    [[nodiscard]] static Result<DatasetUpload> blocking_begin(const std::filesystem::path& folder);

    DatasetUpload() = default;
    DatasetUpload(DatasetUpload&&) noexcept = default;
    DatasetUpload& operator=(DatasetUpload&&) noexcept = default;
    ~DatasetUpload();

    [[nodiscard]] Status blocking_append(std::string_view bytes);

    /// Everything has come: the content is on the disk, its hash known. To be called once.
    [[nodiscard]] Result<std::string> blocking_finish();

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return file_.path(); }
    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

  private:
    files::File file_;
    job::Sha256 hash_;
    std::uint64_t bytes_ = 0;
};

}  // namespace evalfleet::datasets
