#pragma once

#include "common/async/clock.hpp"
#include "common/http/server.hpp"
#include "tests/support/bounded_queue.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace evalfleet::worker {

/// A call as the server saw it.
struct SeenCall {
    std::string model;
    std::string prompt;   ///< the last message
    std::size_t number;   ///< of the calls of that model, from 1
    std::string api_key;  ///< behind "Bearer "
};

/// What the server does with a call.
struct Action {
    int status = 200;
    std::string body{};
    http::Headers headers{};
    std::chrono::milliseconds delay{0};  ///< before the answer
    bool held = false;                   ///< answered only after `ModelServer::release_held`
    bool cut = false;                    ///< the connection breaks in the middle of the body
};

/// The body of a chat completion with this text.
[[nodiscard]] std::string completion(const std::string& text, const std::string& more = "");

/// A verdict as the judge of rubric-v1 gives it.
[[nodiscard]] std::string verdict(int accuracy = 2, int faithfulness = 2);

/// A model provider that does what a test tells it, on a thread of its own.
class ModelServer {
  public:
    using Script = std::function<Action(const SeenCall&)>;

    explicit ModelServer(Script script);
    ModelServer(const ModelServer&) = delete;
    ModelServer& operator=(const ModelServer&) = delete;
    ~ModelServer();

    [[nodiscard]] std::string base_url() const;

    /// Blocks until `model` was called `count` times; false if that takes a minute.
    [[nodiscard]] bool blocking_await_calls(const std::string& model, std::size_t count);
    [[nodiscard]] std::size_t count_calls(const std::string& model) const;
    [[nodiscard]] std::vector<SeenCall> calls() const;

    /// Answers all calls that are held, now and later.
    void release_held() { held_.close(); }

  private:
    [[nodiscard]] boost::asio::awaitable<http::Reply> answer(http::RequestContext& request);
    [[nodiscard]] SeenCall note(const std::string& body, const http::Headers& headers);

    Script script_;
    boost::asio::io_context context_{1};
    async::SystemClock clock_;
    async::BoundedQueue<int> held_{1};
    boost::asio::cancellation_signal stop_;
    http::Server server_;
    mutable std::mutex mutex_;  // guards calls_
    std::condition_variable changed_;
    std::vector<SeenCall> calls_;
    std::thread thread_;
};

}  // namespace evalfleet::worker
