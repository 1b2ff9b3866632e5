#pragma once

#include "common/archive/s3_bucket.hpp"
#include "common/archive/store.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace evalfleet::archive {

/// How large the parts of a file are: 16 MiB, or more of one that would have more than 10,000 of
/// them. A file that is not longer goes in one request. Pure.
inline constexpr std::uint64_t kPartBytes = std::uint64_t{16} << 20;
[[nodiscard]] std::uint64_t part_bytes_of(std::uint64_t file_bytes) noexcept;

/// A bucket. What an interrupted upload had sent is not sent again.
class S3Store : public Store {
  public:
    /// `part_bytes`: of tests; 0: as `part_bytes_of` says.
    S3Store(S3Bucket& bucket, async::BlockingPool& pool, std::uint64_t part_bytes = 0)
        : bucket_(bucket), pool_(pool), part_bytes_(part_bytes) {}

    [[nodiscard]] boost::asio::awaitable<Result<bool>> has(const std::string& name,
                                                           const RunFile& file) override;
    [[nodiscard]] boost::asio::awaitable<Status> put(const std::string& name, const RunFile& file,
                                                     std::filesystem::path source) override;
    [[nodiscard]] boost::asio::awaitable<Result<std::string>> hash(const std::string& name,
                                                                   const RunFile& file) override;

  private:
    struct Upload {
        std::string id;
        std::map<std::uint64_t, Part> parts;  ///< that the bucket has
        bool is_new = true;
    };

    [[nodiscard]] boost::asio::awaitable<Result<Upload>> take_up(const std::string& name,
                                                                 const RunFile& file);
    [[nodiscard]] boost::asio::awaitable<Status> put_parts(const std::string& name,
                                                           const RunFile& file,
                                                           std::filesystem::path source,
                                                           Upload upload);
    [[nodiscard]] boost::asio::awaitable<Result<std::string>> read(std::filesystem::path source,
                                                                   std::uint64_t at,
                                                                   std::uint64_t bytes);

    S3Bucket& bucket_;
    async::BlockingPool& pool_;
    std::uint64_t part_bytes_;
};

}  // namespace evalfleet::archive
