#pragma once

#include "common/result/error.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace evalfleet::redis {

/// What a client has done so far; every figure only grows.
struct ClientMetrics {
    static constexpr std::size_t kErrorKinds = static_cast<std::size_t>(ErrorKind::internal) + 1;

    std::uint64_t commands = 0;      ///< taken in, each of a pipeline counted
    std::uint64_t replies = 0;       ///< received, late ones included
    std::uint64_t late_replies = 0;  ///< dropped, since nobody waited any more
    std::uint64_t writes = 0;        ///< batches written; commands / writes is the coalescing
    std::uint64_t bytes_written = 0;
    std::uint64_t bytes_read = 0;
    std::uint64_t connects = 0;          ///< connections that became ready
    std::uint64_t connect_failures = 0;  ///< attempts that did not
    std::uint64_t disconnects = 0;       ///< ready connections that were lost
    /// Calls and error replies that failed, by `ErrorKind`.
    std::array<std::uint64_t, kErrorKinds> errors{};

    [[nodiscard]] std::uint64_t errors_of(ErrorKind kind) const {
        return errors[static_cast<std::size_t>(kind)];
    }
};

/// The figures while they are counted: written on the client's strand, read from any thread.
class MetricsCounter {
  public:
    using Figure = std::atomic<std::uint64_t>;

    Figure commands = 0;
    Figure replies = 0;
    Figure late_replies = 0;
    Figure writes = 0;
    Figure bytes_written = 0;
    Figure bytes_read = 0;
    Figure connects = 0;
    Figure connect_failures = 0;
    Figure disconnects = 0;

    static void add(Figure& figure, std::uint64_t amount = 1) noexcept {
        figure.fetch_add(amount, std::memory_order_relaxed);
    }
    void add_error(ErrorKind kind) noexcept { add(errors_[static_cast<std::size_t>(kind)]); }

    [[nodiscard]] ClientMetrics read() const noexcept {
        ClientMetrics metrics;
        metrics.commands = commands.load(std::memory_order_relaxed);
        metrics.replies = replies.load(std::memory_order_relaxed);
        metrics.late_replies = late_replies.load(std::memory_order_relaxed);
        metrics.writes = writes.load(std::memory_order_relaxed);
        metrics.bytes_written = bytes_written.load(std::memory_order_relaxed);
        metrics.bytes_read = bytes_read.load(std::memory_order_relaxed);
        metrics.connects = connects.load(std::memory_order_relaxed);
        metrics.connect_failures = connect_failures.load(std::memory_order_relaxed);
        metrics.disconnects = disconnects.load(std::memory_order_relaxed);
        for (std::size_t i = 0; i < errors_.size(); ++i)
            metrics.errors[i] = errors_[i].load(std::memory_order_relaxed);
        return metrics;
    }

  private:
    std::array<Figure, ClientMetrics::kErrorKinds> errors_{};
};

}  // namespace evalfleet::redis
