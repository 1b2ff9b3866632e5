#pragma once

#include "common/async/blocking_pool.hpp"
#include "common/async/clock.hpp"
#include "common/files/file.hpp"
#include "common/result/result.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace evalfleet::simulator {

/// What is written down of one request. Moments are on the machine's monotonic clock; one that did
/// not come is 0.
struct LogEntry {
    std::string request_id{};           ///< as told in the reply's headers
    std::uint64_t key = 0;              ///< equal requests have equal ones; 0: it could not be read
    std::uint64_t nth = 0;              ///< which one of its kind
    std::string_view kind = "invalid";  ///< `model`, `judge`, `outage`; `invalid`: not read
    int status = 0;                     ///< 0: no reply
    bool stream = false;
    async::TimePoint arrival{};     ///< its last byte was read
    async::TimePoint service{};     ///< the work on it began; later than `arrival` if it waited
    async::TimePoint reply{};       ///< the reply was made and about to be sent
    async::TimePoint first_byte{};  ///< just before the first byte of the reply was sent
    async::TimePoint first_text{};  ///< of a stream: just before the first piece of the answer was
    async::TimePoint last_byte{};   ///< just after the last byte was
};

/// Writes down every request, one JSON line each, for checks of timing and of ledgers.
///
/// Lines are gathered in memory and written by a pool, so that a request does not wait for a disk.
/// `add` may be called by any thread.
class RequestLog {
  public:
    [[nodiscard]] static Result<std::unique_ptr<RequestLog>> blocking_create(
        const std::filesystem::path& path);
    /// Writes what is left.
    ~RequestLog();
    RequestLog(const RequestLog&) = delete;
    RequestLog& operator=(const RequestLog&) = delete;

    void add(const LogEntry& entry);

    /// Writes what was gathered, every so often, until cancelled.
    [[nodiscard]] boost::asio::awaitable<void> run(async::Clock& clock, async::BlockingPool& pool);

  private:
    explicit RequestLog(files::File file) : file_(std::move(file)) {}
    [[nodiscard]] std::string take();

    files::File file_;
    std::uint64_t written_ = 0;
    std::mutex mutex_;     // guards `pending_`
    std::string pending_;  // lines that were not written yet
};

}  // namespace evalfleet::simulator
