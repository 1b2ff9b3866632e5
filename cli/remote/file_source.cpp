#include "cli/remote/file_source.hpp"

#include <algorithm>

namespace evalfleet::remote {

namespace {

constexpr std::uint64_t kPieceBytes = std::uint64_t{1024} * 1024;

}  // namespace

Result<std::unique_ptr<FileSource>> FileSource::blocking_open(const std::filesystem::path& path) {
    auto file = files::File::blocking_open(path, files::File::Mode::read);
    if (!file) return file.error();
    const auto size = file->blocking_size();
    if (!size) return size.error();
    return std::unique_ptr<FileSource>(new FileSource(std::move(*file), *size));
}

Result<std::string_view> FileSource::blocking_next() {
    piece_.resize(std::min(kPieceBytes, size_ - offset_));
    if (const Status read = file_.blocking_read_at(offset_, piece_); !read) return read.error();
    offset_ += piece_.size();
    return std::string_view(piece_);
}

}  // namespace evalfleet::remote
