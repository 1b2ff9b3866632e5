#include "coordinator/runs/redis_backoff.hpp"

namespace evalfleet::runs {

namespace asio = boost::asio;

asio::awaitable<void> backoff(async::Clock& clock, RunBook& book, const log::Logger& logger,
                              std::string_view step, Error error) {
    if (error.kind == ErrorKind::lease_lost) throw Fenced(error.message);
    if (error.kind == ErrorKind::not_found) {
        logger.warn("Redis has lost the run; putting it back", {{"step", step}});
        book.audit_wanted = true;
        book.changed.notify_all();
    } else if (book.blocked_reason.empty()) {
        book.blocked_reason = "Redis: " + error.message;
        logger.warn("waiting for Redis", {{"step", step}, {"error", error}});
    }
    co_await clock.wait_for(std::chrono::milliseconds(250));
}

void clear_blocked_reason(RunBook& book) {
    book.blocked_reason.clear();
}

}  // namespace evalfleet::runs
