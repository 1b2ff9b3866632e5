#include "coordinator/metrics/store_watch.hpp"

#include <utility>

namespace evalfleet::coordinator {

namespace {

constexpr std::chrono::seconds kInterval{10};

}  // namespace

StoreWatch::StoreWatch(std::filesystem::path store, async::BlockingPool& pool, async::Clock& clock,
                       metrics::Registry& registry)
    : store_(std::move(store)),
      pool_(pool),
      clock_(clock),
      free_(registry.gauge("evalfleet_coordinator_store_free_bytes",
                           "Room on the store's file system")),
      size_(registry.gauge("evalfleet_coordinator_store_size_bytes",
                           "Size of the store's file system")) {}

boost::asio::awaitable<void> StoreWatch::run() {
    auto look = [this] {
        std::error_code code;
        const auto space = std::filesystem::space(store_, code);
        return code ? std::filesystem::space_info{0, 0, 0} : space;
    };
    for (;;) {
        const std::filesystem::space_info space = co_await pool_.run(look);
        if (space.capacity > 0) {
            free_.set(static_cast<double>(space.available));
            size_.set(static_cast<double>(space.capacity));
        }
        co_await clock_.wait_for(kInterval);
    }
}

}  // namespace evalfleet::coordinator
