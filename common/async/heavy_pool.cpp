#include "common/async/heavy_pool.hpp"

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

namespace evalfleet::async {

namespace asio = boost::asio;

namespace {

constexpr int kNiceness = 10;

}  // namespace

void throw_if_stopped(const std::stop_token& stop) {
    if (stop.stop_requested()) throw boost::system::system_error(asio::error::operation_aborted);
}

StopOnCancel::StopOnCancel(asio::cancellation_state state) : slot_(state.slot()) {
    if (state.cancelled() != asio::cancellation_type::none) source_.request_stop();
    if (slot_.is_connected())
        slot_.assign(
            [source = source_](asio::cancellation_type) mutable { source.request_stop(); });
}

StopOnCancel::~StopOnCancel() {
    if (slot_.is_connected()) slot_.clear();
}

// Nobody waits for a place in its queue: those that may run have had their turn.
HeavyPool::HeavyPool(Config config)
    : turns_({config.threads, config.large_at_once}),
      threads_({.threads = config.threads,
                .max_queued = config.threads,
                .name = config.name,
                .niceness = kNiceness}) {}

}  // namespace evalfleet::async
