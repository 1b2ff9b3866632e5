#include "cli/simulator/request_log.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace evalfleet::simulator {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::milliseconds kWriteEvery{100};

std::int64_t nanoseconds(async::TimePoint moment) {
    return std::chrono::nanoseconds(moment.time_since_epoch()).count();
}

}  // namespace

Result<RequestLog> RequestLog::blocking_create(const std::filesystem::path& path) {
    auto file = files::File::blocking_open(path, files::File::Mode::read_write);
    if (!file) return file.error();
    if (Status emptied = file->blocking_truncate(0); !emptied) return emptied.error();
    RequestLog log;
    log.file_ = std::move(*file);
    return log;
}

void RequestLog::add(const Outcome& outcome, async::TimePoint arrival, async::TimePoint reply) {
    const bool has_reply = outcome.fault != Fault::hang && outcome.fault != Fault::reset;
    fmt::format_to(std::back_inserter(pending_),
                   "{{\"key\":\"{:016x}\",\"n\":{},\"kind\":\"{}\",\"arrival_ns\":{},"
                   "\"reply_ns\":{},\"status\":{}}}\n",
                   outcome.key, outcome.nth, outcome.is_judge ? "judge" : "model",
                   nanoseconds(arrival), nanoseconds(reply), has_reply ? outcome.status : 0);
}

asio::awaitable<void> RequestLog::run(async::Clock& clock, async::BlockingPool& pool) {
    for (;;) {
        co_await clock.wait_for(kWriteEvery);
        const std::string lines = std::exchange(pending_, {});
        if (lines.empty()) continue;
        // Counted before it is written: a cancelled wait does not take the bytes back.
        const std::uint64_t offset = std::exchange(written_, written_ + lines.size());
        auto write = [&] { return file_.blocking_write_at(offset, lines); };
        const Status written = co_await pool.run(std::move(write));
        if (!written) throw std::runtime_error(written.error().message);
    }
}

Status RequestLog::blocking_flush() {
    const std::string lines = std::exchange(pending_, {});
    Status written = file_.blocking_write_at(written_, lines);
    if (written) written_ += lines.size();
    return written;
}

}  // namespace evalfleet::simulator
