#pragma once

#include "common/files/file.hpp"
#include "common/runfile/fault.hpp"
#include "common/runfile/sample_checker.hpp"

#include <boost/system/result.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace evalfleet::runfile {

/// A dataset on disk: JSON Lines, one sample a line, of which only the place and a fingerprint of
/// each line are kept (16 bytes a sample), so that its size does not matter.
///
/// The file: UTF-8, with or without a byte order mark; lines end with LF or CR LF, the last one may
/// end with the file. Every line is a sample: an empty one, or an empty file, is a fault.
///
/// Immutable and safe to use from several threads. The file stays open. A line that was changed
/// since is never returned: what is read has the hash.
class Dataset {
  public:
    static constexpr std::size_t kMaxLineBytes = 8 * 1024 * 1024;

    /// Where pictures that samples name by a path are looked for.
    enum class ImageFiles {
        beside,   ///< in the dataset's folder and below
        nowhere,  ///< the dataset came without its folder: they must be embedded
    };

    /// Checks every line of the file: JSON, fields, sizes, expected formats, pictures, ids that
    /// occur twice. About a second for a million lines. Takes 24 bytes a sample while it works.
    [[nodiscard]] static boost::system::result<Dataset, FaultList> blocking_validate(
        const std::filesystem::path& path, ImageFiles images = ImageFiles::beside);

    /// Only finds the lines and the hash: for a file that was validated before. An error names the
    /// file: it cannot be read, is empty, or has a line that is too long.
    [[nodiscard]] static Result<Dataset> blocking_open(const std::filesystem::path& path);

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return file_.path(); }
    [[nodiscard]] std::size_t size() const noexcept { return offsets_.size() - 1; }
    [[nodiscard]] std::uint64_t bytes() const noexcept { return offsets_.back(); }
    /// Of the file's bytes, in hex.
    [[nodiscard]] const std::string& sha256() const noexcept { return sha256_; }
    /// Whether lines have a member of these names somewhere, known without reading them as JSON.
    [[nodiscard]] bool mentions_images() const noexcept { return mentions_images_; }
    [[nodiscard]] bool mentions_chats() const noexcept { return mentions_chats_; }
    /// What its samples have; empty unless it was validated.
    [[nodiscard]] const DatasetContent& content() const noexcept { return content_; }

    /// The line of a sample, without its end. `internal` if the file was cut meanwhile, `invalid`
    /// if the line was changed.
    [[nodiscard]] Result<std::string> blocking_read_line(std::size_t sample_index) const;

  private:
    class Loader;

    Dataset() = default;

    files::File file_;
    std::vector<std::uint64_t> offsets_;  ///< of each line, and the end of the file
    std::vector<std::uint64_t> prints_;   ///< of each line; they mean nothing to other processes
    std::string sha256_;
    bool mentions_images_ = false;
    bool mentions_chats_ = false;
    DatasetContent content_;
};

}  // namespace evalfleet::runfile
