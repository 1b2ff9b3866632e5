#include "cli/simulator/request_log.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace evalfleet::simulator {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::milliseconds kWriteEvery{100};

using Line = fmt::memory_buffer;

void put(Line& line, std::string_view text) {
    line.append(text);
}

void put(Line& line, std::int64_t number) {
    const fmt::format_int digits(number);
    line.append(std::string_view(digits.data(), digits.size()));
}

std::int64_t nanoseconds(async::TimePoint moment) {
    return std::chrono::nanoseconds(moment.time_since_epoch()).count();
}

/// By how much the system's clock is ahead of the monotonic one.
std::int64_t measure_offset() {
    const auto system = std::chrono::system_clock::now().time_since_epoch();
    const auto monotonic = std::chrono::steady_clock::now().time_since_epoch();
    return (std::chrono::nanoseconds(system) - std::chrono::nanoseconds(monotonic)).count();
}

/// `"name_ns":…,"name_unix_ns":…` on both clocks, or zeros.
void put_moment(Line& line, std::string_view name, async::TimePoint moment, std::int64_t offset) {
    const std::int64_t ns = nanoseconds(moment);
    put(line, ",\"");
    put(line, name);
    put(line, "_ns\":");
    put(line, ns);
    put(line, ",\"");
    put(line, name);
    put(line, "_unix_ns\":");
    put(line, ns == 0 ? 0 : ns + offset);
}

void put_line(Line& line, const LogEntry& entry) {
    const std::int64_t offset = measure_offset();
    put(line, "{\"request_id\":\"");
    put(line, entry.request_id);
    fmt::format_to(fmt::appender(line), "\",\"key\":\"{:016x}\",\"n\":", entry.key);
    put(line, static_cast<std::int64_t>(entry.nth));
    put(line, ",\"kind\":\"");
    put(line, entry.kind);
    put(line, "\",\"status\":");
    put(line, entry.status);
    put(line, entry.stream ? ",\"stream\":true" : ",\"stream\":false");
    put_moment(line, "arrival", entry.arrival, offset);
    put_moment(line, "service", entry.service, offset);
    put_moment(line, "reply", entry.reply, offset);
    put_moment(line, "first_byte", entry.first_byte, offset);
    if (entry.stream) put_moment(line, "first_text", entry.first_text, offset);
    put_moment(line, "last_byte", entry.last_byte, offset);
    put(line, "}\n");
}

}  // namespace

Result<std::unique_ptr<RequestLog>> RequestLog::blocking_create(const std::filesystem::path& path) {
    auto file = files::File::blocking_open(path, files::File::Mode::read_write);
    if (!file) return file.error();
    if (Status emptied = file->blocking_truncate(0); !emptied) return emptied.error();
    return std::unique_ptr<RequestLog>(new RequestLog(std::move(*file)));
}

RequestLog::~RequestLog() {
    static_cast<void>(file_.blocking_write_at(written_, pending_));
}

void RequestLog::add(const LogEntry& entry) {
    Line line;
    put_line(line, entry);
    const std::lock_guard lock(mutex_);
    pending_.append(line.data(), line.size());
}

std::string RequestLog::take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(pending_, {});
}

asio::awaitable<void> RequestLog::run(async::Clock& clock, async::BlockingPool& pool) {
    for (;;) {
        co_await clock.wait_for(kWriteEvery);
        const std::string lines = take();
        if (lines.empty()) continue;
        // Counted before it is written: a cancelled wait does not take the bytes back.
        const std::uint64_t offset = std::exchange(written_, written_ + lines.size());
        auto write = [&] { return file_.blocking_write_at(offset, lines); };
        const Status written = co_await pool.run(std::move(write));
        if (!written) throw std::runtime_error(written.error().message);
    }
}

}  // namespace evalfleet::simulator
