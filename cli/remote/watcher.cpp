#include "cli/remote/watcher.hpp"

#include "common/async/deadline.hpp"
#include "common/json/document.hpp"

#include <utility>

namespace evalfleet::remote {

namespace asio = boost::asio;

namespace {

// A coordinator says something every 15 seconds.
constexpr std::chrono::seconds kSilence{60};

class Watch {
  public:
    Watch(Api& api, std::string run_id, const WatchListener& listener)
        : api_(api), run_id_(std::move(run_id)), listener_(listener) {}

    asio::awaitable<Result<RunProgress>> run() {
        while (!has_ended()) {
            const Status followed = co_await follow();
            if (has_ended()) break;
            if (!followed && !is_retryable(followed.error().kind)) co_return followed.error();
            const auto delay = follower_.take_failure(api_.clock().now());
            if (!delay) co_return give_up(followed);
            if (!followed && listener_.on_absence) listener_.on_absence(followed.error());
            co_await api_.clock().wait_for(*delay);
        }
        if (last_) co_return *last_;
        co_return co_await ask();
    }

  private:
    [[nodiscard]] bool has_ended() const {
        return follower_.has_ended() || (last_ && last_->is_stuck());
    }

    // One connection, until it ends.
    asio::awaitable<Status> follow() {
        http::Headers headers;
        headers.set("Accept", "text/event-stream");
        if (!follower_.last_id().empty()) headers.set("Last-Event-ID", follower_.last_id());
        std::string path = "/runs/" + encode(run_id_) + "/events";
        auto stream = co_await api_.open(std::move(path), std::move(headers));
        if (!stream) co_return stream.error();
        follower_.take_contact(api_.clock().now());
        if (stream->status() == 204) follower_.take_nothing_more();
        http::SseParser parser;
        while (!has_ended()) {
            const auto deadline = api_.clock().now() + kSilence;
            auto part = co_await async::with_deadline(api_.clock(), deadline, stream->read());
            if (!part) co_return part.error();
            if (!*part) break;
            follower_.take_contact(api_.clock().now());
            if (const Status fed = parser.feed(**part); !fed) co_return fed;
            if (const Status told = tell(parser); !told) co_return told;
        }
        co_return Status();
    }

    Status tell(http::SseParser& parser) {
        while (const auto event = parser.next()) {
            const auto progress = follower_.take(*event, api_.clock().now());
            if (!progress) return progress.error();
            if (!*progress) continue;
            last_ = **progress;
            if (listener_.on_progress) listener_.on_progress(*last_, event->data);
        }
        return {};
    }

    // Only if the end was told in a time before ours.
    asio::awaitable<Result<RunProgress>> ask() {
        Call call{.path = "/runs/" + encode(run_id_)};
        const auto body = co_await api_.call(std::move(call));
        if (!body) co_return body.error();
        const auto document = json::Document::parse(*body);
        if (!document) co_return document.error();
        co_return read_progress(document->root());
    }

    static Error give_up(const Status& followed) {
        if (!followed) return followed.error();
        return {ErrorKind::transient, "the coordinator does not tell how the run goes on"};
    }

    Api& api_;
    std::string run_id_;
    const WatchListener& listener_;
    EventFollower follower_;
    std::optional<RunProgress> last_;
};

}  // namespace

asio::awaitable<Result<RunProgress>> watch_run(Api& api, std::string run_id,
                                               const WatchListener& listener) {
    Watch watch(api, std::move(run_id), listener);
    co_return co_await watch.run();
}

}  // namespace evalfleet::remote
