#pragma once

#include "common/files/file.hpp"
#include "common/http/body_source.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

namespace evalfleet::remote {

/// A file as the body of a request, a mebibyte at a time.
class FileSource final : public http::BodySource {
  public:
    [[nodiscard]] static Result<std::unique_ptr<FileSource>> blocking_open(
        const std::filesystem::path& path);

    [[nodiscard]] std::uint64_t size() const override { return size_; }
    [[nodiscard]] Result<std::string_view> blocking_next() override;

  private:
    FileSource(files::File file, std::uint64_t size) : file_(std::move(file)), size_(size) {}

    files::File file_;
    std::uint64_t size_;
    std::uint64_t offset_ = 0;
    std::string piece_;
};

}  // namespace evalfleet::remote
