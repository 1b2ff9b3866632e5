// The coordinator's API under load: fifty runs handed in at once by ten clients while four workers
// work, with everybody watching. All must finish, calls must stay quick, and a small run that comes
// late must get its share beside a large one. Prints one JSON object; ends with 1 if a limit is
// broken.
#include "common/async/clock.hpp"
#include "common/async/run_all.hpp"
#include "common/http/client.hpp"
#include "common/json/document.hpp"
#include "tests/support/fleet.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace {

namespace asio = boost::asio;
using namespace evalfleet;

constexpr int kClients = 10;
constexpr int kRunsEach = 5;
constexpr int kWorkers = 4;
constexpr double kMaxP99Ms = 50;
constexpr std::chrono::minutes kPatience{5};

class Load {
  public:
    Load(std::string url, std::string dataset)
        : url_(std::move(url)), dataset_(std::move(dataset)) {}

    // Ten clients, each with its five runs; each watches them until they are over.
    void run_fifty() {
        asio::io_context context(1);
        http::Client client(context.get_executor(), clock_, {});
        client_ = &client;
        for (int i = 0; i < kClients; ++i)
            asio::co_spawn(context, be_a_client(i), rethrow);
        context.run();
    }

    // How long a run of so many repeats takes; `beside`: with a large one under way.
    double seconds_of_small(bool beside) {
        asio::io_context context(1);
        http::Client client(context.get_executor(), clock_, {});
        client_ = &client;
        double seconds = 0;
        asio::co_spawn(context, time_small(beside, seconds), rethrow);
        context.run();
        return seconds;
    }

    [[nodiscard]] double percentile(double share) {
        std::sort(calls_ms_.begin(), calls_ms_.end());
        const auto place =
            static_cast<std::size_t>(share * static_cast<double>(calls_ms_.size() - 1));
        return calls_ms_[place];
    }
    [[nodiscard]] std::size_t count_calls() const { return calls_ms_.size(); }
    [[nodiscard]] int count_done() const { return done_; }
    [[nodiscard]] int count_failures() const { return failures_; }

  private:
    static void rethrow(const std::exception_ptr& failure) {
        if (failure) std::rethrow_exception(failure);
    }

    asio::awaitable<std::string> call(std::string method, std::string path, std::string body = "") {
        http::Request request;
        request.method = std::move(method);
        request.url = http::Url::parse(url_).value().with_path_appended(path);
        request.body = std::move(body);
        http::CallLimits limits;
        const async::TimePoint begun = clock_.now();
        limits.total_deadline = begun + std::chrono::seconds(60);
        const auto response = co_await client_->send(std::move(request), limits);
        const auto taken = std::chrono::duration<double, std::milli>(clock_.now() - begun);
        calls_ms_.push_back(taken.count());
        if (!response || response->status >= 300) {
            ++failures_;
            co_return std::string("{}");
        }
        co_return response->body;
    }

    static std::string member(const std::string& body, std::string_view name) {
        const auto document = json::Document::parse(body);
        if (!document) return "";
        const auto text = document->root().optional<std::string>(name);
        return text && *text ? **text : "";
    }

    asio::awaitable<std::string> submit(std::string name, int repeats) {
        std::string body =
            fmt::format(R"({{"version":1,"name":"{}","dataset":{{"path":"{}"}},"repeats":{},)"
                        R"("model":{{"provider":"sim","name":"m","version":"1"}},)"
                        R"("judge":{{"provider":"sim","name":"j","version":"1"}}}})",
                        name, dataset_, repeats);
        const std::string answer = co_await call("POST", "/api/v1/runs", std::move(body));
        co_return member(answer, "run_id");
    }

    asio::awaitable<void> be_a_client(int number) {
        std::vector<std::string> open;
        for (int i = 0; i < kRunsEach; ++i) {
            std::string id = co_await submit(fmt::format("load-{}-{}", number, i), 1);
            if (!id.empty()) open.push_back(std::move(id));
        }
        const async::TimePoint deadline = clock_.now() + kPatience;
        while (!open.empty() && clock_.now() < deadline) {
            for (std::size_t i = 0; i < open.size();) {
                const std::string run = co_await call("GET", "/api/v1/runs/" + open[i]);
                const bool is_done = member(run, "state") == "done";
                if (is_done) {
                    (void)co_await call("GET", "/api/v1/runs/" + open[i] + "/records?passed=false");
                    ++done_;
                    open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
                } else {
                    ++i;
                }
            }
            (void)co_await call("GET", "/api/v1/runs?state=active&limit=50");
            (void)co_await call("GET", "/api/v1/queues");
            co_await clock_.wait_for(std::chrono::milliseconds(200));
        }
    }

    asio::awaitable<void> await_state(std::string id, std::string state) {
        const async::TimePoint deadline = clock_.now() + kPatience;
        while (clock_.now() < deadline) {
            const std::string run = co_await call("GET", "/api/v1/runs/" + id);
            if (member(run, "state") == state) co_return;
            co_await clock_.wait_for(std::chrono::milliseconds(20));
        }
    }

    asio::awaitable<void> time_small(bool beside, double& seconds) {
        std::string large;
        if (beside) {
            large = co_await submit("large", 100);
            co_await await_state(large, "running");
            co_await clock_.wait_for(std::chrono::seconds(2));
        }
        const async::TimePoint begun = clock_.now();
        const std::string small = co_await submit("small", 4);
        co_await await_state(small, "done");
        seconds = std::chrono::duration<double>(clock_.now() - begun).count();
        if (!beside) co_return;
        (void)co_await call("POST", "/api/v1/runs/" + large + "/cancel");
        co_await await_state(large, "cancelled");
    }

    async::SystemClock clock_;
    std::string url_;
    std::string dataset_;
    http::Client* client_ = nullptr;
    std::vector<double> calls_ms_;
    int done_ = 0;
    int failures_ = 0;
};

}  // namespace

int main() {
    testing::Fleet fleet({.workers = kWorkers, .latency_ms = "50"});
    Load load(fleet.url(), testing::Fleet::dataset());
    const double alone_s = load.seconds_of_small(false);
    const double beside_s = load.seconds_of_small(true);
    // Two runs of one priority: half of the workers each.
    const double fair_s = 2 * alone_s;
    Load fifty(fleet.url(), testing::Fleet::dataset());
    const auto begun = std::chrono::steady_clock::now();
    fifty.run_fifty();
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    const double p99 = fifty.percentile(0.99);
    const int runs = kClients * kRunsEach;
    fmt::print(
        "{{\"runs\": {}, \"done\": {}, \"clients\": {}, \"workers\": {}, \"seconds\": {:.1f}, "
        "\"api_calls\": {}, \"api_failures\": {}, \"api_p50_ms\": {:.2f}, \"api_p99_ms\": {:.2f}, "
        "\"api_max_ms\": {:.2f}, \"api_p99_limit_ms\": {}, \"small_alone_s\": {:.2f}, "
        "\"small_beside_large_s\": {:.2f}, \"small_limit_s\": {:.2f}}}\n",
        runs, fifty.count_done(), kClients, kWorkers, seconds, fifty.count_calls(),
        fifty.count_failures(), fifty.percentile(0.5), p99, fifty.percentile(1), kMaxP99Ms, alone_s,
        beside_s, 2 * fair_s);
    const bool is_good = fifty.count_done() == runs && fifty.count_failures() == 0 &&
                         p99 <= kMaxP99Ms && beside_s <= 2 * fair_s;
    return is_good ? 0 : 1;
}
