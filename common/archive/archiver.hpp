#pragma once

#include "common/archive/s3_config.hpp"
#include "common/archive/store.hpp"
#include "common/archive/target.hpp"
#include "common/async/blocking_pool.hpp"
#include "common/async/clock.hpp"
#include "common/result/result.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace evalfleet::archive {

/// What came of putting a run into the archive.
struct Archived {
    std::uint64_t files = 0;  ///< that are there now
    std::uint64_t sent = 0;   ///< of them, those that were not before
    std::uint64_t bytes = 0;  ///< of those
};

/// Puts runs that are over into an archive, each as a folder of its own name: what is there with
/// the same hash stays, and the manifest comes last, so that a run with one is whole. Interrupted,
/// it goes on where it was the next time.
///
/// Runs on one single-threaded executor; files are read on `pool`. Cancelled: throws
/// operation_aborted.
class Archiver {
  public:
    /// `access` counts for a bucket only. `part_bytes`: of tests; 0: as S3 wants it.
    Archiver(const boost::asio::any_io_executor& executor, async::Clock& clock,
             async::BlockingPool& pool, const Target& target, S3Access access,
             std::uint64_t part_bytes = 0);
    ~Archiver();

    /// `read_back`: everything is read again from there and compared by its hash.
    [[nodiscard]] boost::asio::awaitable<Result<Archived>> put(std::string run_id,
                                                               std::filesystem::path folder,
                                                               bool read_back);

  private:
    [[nodiscard]] boost::asio::awaitable<Status> put_file(const std::string& name,
                                                          const RunFile& file,
                                                          std::filesystem::path source,
                                                          bool read_back, Archived& done);

    async::BlockingPool& pool_;
    struct Stores;
    std::unique_ptr<Stores> stores_;
};

}  // namespace evalfleet::archive
