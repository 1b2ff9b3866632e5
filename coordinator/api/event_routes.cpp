#include "coordinator/api/event_routes.hpp"

#include "coordinator/api/replies.hpp"
#include "coordinator/api/run_view.hpp"
#include "coordinator/catalog/run_catalog.hpp"
#include "coordinator/records/record_filter.hpp"

#include <fmt/format.h>

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <utility>

namespace evalfleet::api {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::milliseconds kLookInterval{250};
constexpr std::chrono::milliseconds kLeastDistance{500};
constexpr std::chrono::seconds kHeartbeat{15};

// Says all of a state that is worth an event, so that the same state has the same id in every
// process: a client that comes back is told only what it has not seen.
std::string id_of(const runs::Progress& progress) {
    const std::uint64_t note = records::hash_text(progress.note.value_or(""));
    return fmt::format("{}-{}-{:04x}", progress.done, to_string(progress.phase), note & 0xFFFF);
}

class RunEvents final : public http::EventSource {
  public:
    RunEvents(Services& services, std::string run_id, std::string last_id)
        : services_(services), run_id_(std::move(run_id)), last_id_(std::move(last_id)) {}

    asio::awaitable<std::optional<http::Event>> next() override {
        if (has_ended_) co_return std::nullopt;
        co_await services_.clock.wait_until(not_before_);
        for (;;) {
            const auto view = co_await find_run(services_, run_id_);
            if (!view) co_return std::nullopt;
            std::string id = id_of(view->progress);
            if (id != last_id_) co_return take(*view, std::move(id));
            if (view->is_over()) co_return std::nullopt;
            co_await services_.clock.wait_for(kLookInterval);
        }
    }

  private:
    http::Event take(const RunView& view, std::string id) {
        has_ended_ = view.is_over();
        last_id_ = std::move(id);
        not_before_ = services_.clock.now() + kLeastDistance;
        return {has_ended_ ? "end" : "progress", to_json(view), last_id_};
    }

    Services& services_;
    std::string run_id_;
    std::string last_id_;
    async::TimePoint not_before_{};
    bool has_ended_ = false;
};

/// What happens to all runs: those that go on first, then whatever changes.
class AllRunsEvents final : public http::EventSource {
  public:
    explicit AllRunsEvents(Services& services) : services_(services) {}

    asio::awaitable<std::optional<http::Event>> next() override {
        while (pending_.empty()) {
            co_await services_.clock.wait_until(not_before_);
            co_await look();
            not_before_ = services_.clock.now() + kLeastDistance;
        }
        http::Event event = std::move(pending_.front());
        pending_.pop_front();
        co_return event;
    }

  private:
    asio::awaitable<void> look() {
        auto look_at = [this] { return services_.catalog.blocking_look(); };
        const auto runs = co_await services_.quick_pool.run(look_at);
        if (!runs) co_return;
        note_removed(**runs);
        const bool is_first = std::exchange(is_first_, false);
        for (const auto& [id, facts] : **runs) {
            const bool is_final = catalog::is_final(facts->phase);
            std::string& seen = seen_[id];
            if (is_final && (is_first || seen == kOver)) {
                seen = kOver;
                continue;
            }
            const auto view = co_await find_run(services_, id);
            if (!view) continue;
            std::string state = is_final ? std::string(kOver) : id_of(view->progress);
            if (state == seen) continue;
            seen = std::move(state);
            pending_.push_back({"run", to_json(*view)});
        }
    }

    void note_removed(const catalog::RunCatalog::Runs& runs) {
        std::erase_if(seen_, [&](const auto& known) {
            if (runs.contains(known.first)) return false;
            pending_.push_back({"removed", R"({"run_id":")" + known.first + R"("})"});
            return true;
        });
    }

    static constexpr std::string_view kOver = "over";

    Services& services_;
    std::map<std::string, std::string> seen_;
    std::deque<http::Event> pending_;
    async::TimePoint not_before_{};
    bool is_first_ = true;
};

asio::awaitable<http::Reply> watch_all(Services& services) {
    co_return http::Reply::events(std::make_unique<AllRunsEvents>(services), kHeartbeat);
}

asio::awaitable<http::Reply> watch(Services& services, Call& call) {
    const std::string& id = call.request.parameter("id");
    const auto view = co_await find_run(services, id);
    if (!view) co_return not_found("run", id);
    const auto seen = call.request.headers.find("Last-Event-ID");
    std::string last_id(seen.value_or("").substr(0, 128));
    // The end was seen: a browser that comes back is told to stay away.
    if (view->is_over() && last_id == id_of(view->progress)) co_return http::Reply::empty(204);
    co_return http::Reply::events(std::make_unique<RunEvents>(services, id, std::move(last_id)),
                                  kHeartbeat);
}

}  // namespace

void add_event_routes(RouteTable& table, Services& services) {
    table.add({.method = "GET",
               .pattern = "/api/v1/runs/{id}/events",
               .id = "watch_run",
               .section = "Runs",
               .summary = "Progress as server-sent events, until the run is over",
               .headers = {{"Last-Event-ID", "the id of the last event that was seen"}},
               .answers = {{200,
                            "events of type progress, and one of type end, each with a run as "
                            "its data",
                            "", "text/event-stream"},
                           {204, "the end was seen already"},
                           {404, "there is no such run", "Problem"}}},
              [&services](Call& call) { return watch(services, call); });
    table.add(
        {.method = "GET",
         .pattern = "/api/v1/events",
         .id = "watch_runs",
         .section = "Runs",
         .summary = "All runs as server-sent events: those that go on, then what changes",
         .answers = {{200, "events of type run, each with a run as its data, and of type removed",
                      "", "text/event-stream"}}},
        [&services](Call&) { return watch_all(services); });
}

}  // namespace evalfleet::api
