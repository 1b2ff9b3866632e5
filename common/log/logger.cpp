#include "common/log/logger.hpp"

#include "common/log/line.hpp"

#include <spdlog/async.h>
#include <spdlog/async_logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <unistd.h>

#include <mutex>

namespace evalfleet::log {
namespace {

constexpr std::size_t kQueuedLines = 8192;

class FunctionSink final : public spdlog::sinks::base_sink<std::mutex> {
  public:
    explicit FunctionSink(std::function<void(std::string_view)> write) : write_(std::move(write)) {}

  private:
    void sink_it_(const spdlog::details::log_msg& message) override {
        write_({message.payload.data(), message.payload.size()});
    }
    void flush_() override {}

    std::function<void(std::string_view)> write_;
};

spdlog::sink_ptr make_sink(const Settings& settings) {
    if (settings.sink) return std::make_shared<FunctionSink>(settings.sink);
    auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    sink->set_formatter(std::make_unique<spdlog::pattern_formatter>("%v"));
    return sink;
}

}  // namespace

Format default_format() noexcept {
    return ::isatty(STDERR_FILENO) == 1 ? Format::text : Format::json;
}

/// What all loggers of a program share.
struct Logger::Output {
    explicit Output(Settings settings)
        : level(settings.level),
          formatter(settings.format, std::move(settings.redactor)),
          now(std::move(settings.now)) {
        const spdlog::sink_ptr sink = make_sink(settings);
        kept = std::make_shared<spdlog::logger>("evalfleet", sink);
        if (settings.asynchronous) {
            queue = std::make_shared<spdlog::details::thread_pool>(kQueuedLines, 1);
            lines = std::make_shared<spdlog::async_logger>(
                "evalfleet", sink, queue, spdlog::async_overflow_policy::overrun_oldest);
        } else {
            lines = std::make_shared<spdlog::logger>("evalfleet", sink);
        }
        for (const auto& logger : {kept, lines}) {
            logger->set_level(spdlog::level::trace);
            logger->set_error_handler([this](const std::string&) { ++failed; });
        }
    }

    std::atomic<Level> level;
    std::atomic<std::uint64_t> failed = 0;
    LineFormatter formatter;
    std::function<std::chrono::system_clock::time_point()> now;
    std::shared_ptr<spdlog::logger> kept;  // has no queue
    // Destroyed from the last up: the queue writes what is left and joins its thread, so that
    // nobody else holds the logger when it goes.
    std::shared_ptr<spdlog::logger> lines;
    std::shared_ptr<spdlog::details::thread_pool> queue;
};

Logger::Logger(std::string_view name, Settings settings)
    : output_(std::make_shared<Output>(std::move(settings))),
      level_(&output_->level),
      name_(name) {}

Logger Logger::with(std::string_view name, std::initializer_list<Field> fields) const {
    Logger child = *this;
    if (!output_) return child;
    if (!child.name_.empty() && !name.empty()) child.name_ += '.';
    child.name_ += name;
    child.bound_ += output_->formatter.fields(fields);
    return child;
}

void Logger::set_level(Level level) const noexcept {
    if (level_ != nullptr) level_->store(level, std::memory_order_relaxed);
}

std::uint64_t Logger::lost_lines() const noexcept {
    if (!output_) return 0;
    const std::uint64_t failed = output_->failed.load(std::memory_order_relaxed);
    return failed + (output_->queue ? output_->queue->overrun_counter() : 0);
}

void Logger::keep(Level level, std::string_view message,
                  std::initializer_list<Field> fields) const noexcept {
    if (output_) write(level, message, fields, Way::at_once);
}

void Logger::write(Level level, std::string_view message, std::initializer_list<Field> fields,
                   Way way) const noexcept {
    try {
        const std::string line =
            output_->formatter.line(output_->now(), level, name_, message, bound_, fields);
        const auto& out = way == Way::at_once ? output_->kept : output_->lines;
        out->log(spdlog::level::info, spdlog::string_view_t(line.data(), line.size()));
    } catch (...) {
        output_->failed.fetch_add(1, std::memory_order_relaxed);
    }
}

}  // namespace evalfleet::log
