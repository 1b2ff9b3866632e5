#include "worker/redis_watcher.hpp"

#include <utility>

namespace evalfleet::worker {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds kLoadTimeout{10};

}  // namespace

RedisWatcher::RedisWatcher(redis::Client& client, redis::FunctionLibrary& functions,
                           async::Clock& clock, std::string shown_url, log::Logger logger)
    : client_(client),
      functions_(functions),
      clock_(clock),
      shown_url_(std::move(shown_url)),
      logger_(std::move(logger)) {}

asio::awaitable<void> RedisWatcher::run() {
    using Phase = redis::ConnectionState::Phase;
    std::uint64_t greeted = 0;  // connections
    std::string complained;     // the last error that was told
    redis::ConnectionState state = client_.state();
    for (;;) {
        if (state.phase == Phase::ready && state.connects != greeted) {
            greeted = state.connects;
            complained.clear();
            co_await greet();
        }
        const bool is_away = state.phase == Phase::waiting && state.last_error;
        if (is_away && state.last_error->message != complained) {
            complained = state.last_error->message;
            logger_.warn("Redis cannot be reached; trying again until it can",
                         {{"url", shown_url_}, {"error", complained}});
        }
        state = co_await client_.state_changed(state.version);
    }
}

asio::awaitable<void> RedisWatcher::greet() {
    logger_.info("connected to Redis", {{"url", shown_url_}});
    const auto version = co_await functions_.ensure_loaded(clock_.now() + kLoadTimeout);
    if (!version) {
        logger_.error("the queue's functions cannot be used", {{"error", version.error()}});
    } else if (*version > functions_.version()) {
        logger_.info("Redis has newer queue functions than this worker, which serve it",
                     {{"ours", functions_.version()}, {"theirs", *version}});
    }
}

}  // namespace evalfleet::worker
