#pragma once

#include "common/metrics/registry.hpp"
#include "common/redis/function_library.hpp"

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace evalfleet::telemetry {

/// How long the queue's functions take on their way to Redis and back, and how often they are not
/// answered. From any thread; must outlive the libraries that it watches.
class QueueCalls {
  public:
    /// `functions`: those that the program calls, without the library's prefix: "take", "done".
    QueueCalls(metrics::Registry& registry, std::span<const std::string_view> functions);

    /// Before the library's first call.
    void watch(redis::FunctionLibrary& library);

  private:
    struct Figures {
        metrics::Histogram duration;
        metrics::Counter failures;
    };

    void note(std::string_view function, async::Duration took, bool answered);

    std::map<std::string, Figures, std::less<>> figures_;  // never changes
};

}  // namespace evalfleet::telemetry
