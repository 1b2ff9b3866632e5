#pragma once

#include "common/log/field.hpp"
#include "common/log/level.hpp"
#include "common/redaction/redactor.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace evalfleet::log {

struct Settings {
    Level level = Level::info;
    Format format = default_format();
    redaction::Redactor redactor{};  ///< every text of every line goes through it
    /// Off: lines are written before the call returns; tests use that.
    bool asynchronous = true;
    /// Where finished lines go (without line end), one call at a time; empty: standard error.
    std::function<void(std::string_view)> sink{};
    std::function<std::chrono::system_clock::time_point()> now = std::chrono::system_clock::now;
};

/// What happens must be told without getting in its way. A Logger is a handle, copied freely, that
/// turns a fixed message and fields into one line:
///
///     logger.info("lease reaped", {{"run", run_id}, {"count", count}});
///
/// Lines go through a bounded queue to a writing thread; when it is full the oldest lines are lost
/// rather than the caller kept waiting (`lost_lines` counts them). No call throws. A level that is
/// switched off costs one relaxed load. All functions may be called from any thread. The last
/// handle to go writes out what is queued.
class Logger {
  public:
    /// A logger that says nothing.
    Logger() noexcept = default;
    Logger(std::string_view name, Settings settings);

    /// A logger of a part: `name` behind a dot, and fields that stand in each of its lines.
    [[nodiscard]] Logger with(std::string_view name,
                              std::initializer_list<Field> fields = {}) const;

    [[nodiscard]] bool enabled(Level level) const noexcept;
    void set_level(Level level) const noexcept;

    void log(Level level, std::string_view message,
             std::initializer_list<Field> fields = {}) const noexcept {
        if (enabled(level)) write(level, message, fields);
    }
    void debug(std::string_view message, std::initializer_list<Field> fields = {}) const noexcept {
        log(Level::debug, message, fields);
    }
    void info(std::string_view message, std::initializer_list<Field> fields = {}) const noexcept {
        log(Level::info, message, fields);
    }
    void warn(std::string_view message, std::initializer_list<Field> fields = {}) const noexcept {
        log(Level::warn, message, fields);
    }
    void error(std::string_view message, std::initializer_list<Field> fields = {}) const noexcept {
        log(Level::error, message, fields);
    }

    /// A line that must not be missing, such as those of an audit: written whatever the level is,
    /// past the queue and before the call returns, even if it has to wait for the output.
    void keep(Level level, std::string_view message,
              std::initializer_list<Field> fields = {}) const noexcept;

    /// Lines that were never written, because of a full queue or a failure.
    [[nodiscard]] std::uint64_t lost_lines() const noexcept;

  private:
    struct Output;

    enum class Way { queued, at_once };

    void write(Level level, std::string_view message, std::initializer_list<Field> fields,
               Way way = Way::queued) const noexcept;

    std::shared_ptr<Output> output_;
    std::atomic<Level>* level_ = nullptr;  ///< output_'s, here so that the check is inline
    std::string name_;
    std::string bound_;  ///< the fields of `with`, laid out
};

inline bool Logger::enabled(Level level) const noexcept {
    return level_ != nullptr && level >= level_->load(std::memory_order_relaxed);
}

}  // namespace evalfleet::log
