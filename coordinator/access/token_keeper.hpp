#pragma once

#include "common/async/blocking_pool.hpp"
#include "common/async/clock.hpp"
#include "common/log/logger.hpp"
#include "coordinator/access/token_book.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>

namespace evalfleet::access {

/// Keeps the tokens as their file says: looks every second whether it was changed, and takes over
/// what is new. A file that cannot be read, or is wrong, changes nothing but the log: a slip of the
/// pen must neither lock everybody out nor let anybody in.
///
/// Everything runs on one executor, which must be single-threaded.
class TokenKeeper {
  public:
    /// Reads the file for the first time, and so blocks. Throws std::runtime_error if it cannot be
    /// used.
    TokenKeeper(std::filesystem::path file, async::BlockingPool& pool, async::Clock& clock,
                log::Logger logger);

    /// Looks after the file until cancelled: then throws operation_aborted.
    [[nodiscard]] boost::asio::awaitable<void> run();

    [[nodiscard]] const TokenBook& book() const noexcept { return *book_; }

  private:
    /// Tells one state of the file from another, also when a link in its path was turned (as
    /// Kubernetes does with secrets).
    struct Mark {
        std::uint64_t inode = 0;
        std::int64_t size = -1;
        std::int64_t changed_ns = 0;
        bool operator==(const Mark&) const = default;
    };

    [[nodiscard]] Mark blocking_mark() const;
    [[nodiscard]] Result<TokenBook> blocking_read() const;
    [[nodiscard]] boost::asio::awaitable<void> look();

    std::filesystem::path file_;
    async::BlockingPool& pool_;
    async::Clock& clock_;
    log::Logger logger_;
    Mark mark_;
    std::shared_ptr<const TokenBook> book_;
};

}  // namespace evalfleet::access
