#include "coordinator/runs/redis_patience.hpp"

namespace evalfleet::runs {

namespace asio = boost::asio;

asio::awaitable<void> be_patient(async::Clock& clock, RunBook& book, const log::Logger& logger,
                                 std::string_view step, Error error) {
    if (error.kind == ErrorKind::lease_lost) throw Overtaken(error.message);
    if (error.kind == ErrorKind::not_found) {
        logger.warn("Redis has lost the run; putting it back", {{"step", step}});
        book.audit_wanted = true;
        book.changed.notify_all();
    } else if (book.obstacle.empty()) {
        book.obstacle = "Redis: " + error.message;
        logger.warn("waiting for Redis", {{"step", step}, {"error", error}});
    }
    co_await clock.wait_for(std::chrono::milliseconds(250));
}

void clear_obstacle(RunBook& book) {
    book.obstacle.clear();
}

}  // namespace evalfleet::runs
