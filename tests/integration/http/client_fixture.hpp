#pragma once

#include "common/http/client.hpp"
#include "tests/support/http_imposter.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/run_coroutine.hpp"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <future>
#include <string>
#include <utility>

namespace evalfleet::http {

inline Request get(const std::string& url) {
    Request request;
    request.url = Url::parse(url).value();
    return request;
}

inline Request post(const std::string& url, std::string body) {
    Request request = get(url);
    request.method = "POST";
    request.body = std::move(body);
    return request;
}

/// A client on the machine's clock, whose calls end at the latest when the test would.
class HttpClientTest : public ::testing::Test {
  protected:
    Client& client(ClientConfig config = {}) {
        if (!client_) {
            client_ = std::make_unique<Client>(context_.get_executor(), clock_, std::move(config));
        }
        return *client_;
    }

    CallLimits limits() {
        CallLimits limits;
        limits.total_deadline = clock_.now() + std::chrono::seconds(60);
        return limits;
    }

    Result<Response> send(Request request) {
        return testing::run(context_, client().send(std::move(request), limits()));
    }

    boost::asio::io_context context_{1};
    async::SystemClock clock_;
    std::unique_ptr<Client> client_;
};

/// A client on a clock that the test moves. Its calls run on another thread.
class HttpClientDeadlineTest : public ::testing::Test {
  protected:
    static constexpr std::chrono::seconds kLimit{10};

    /// Before the first call, if the client is to be another one than the usual.
    void use(ClientConfig config) {
        client_ = std::make_unique<Client>(context_.get_executor(), clock_, std::move(config));
    }

    std::future<Result<Response>> start(Request request, CallLimits limits) {
        return std::async(std::launch::async, [this, request = std::move(request), limits] {
            return testing::run(context_, client_->send(request, limits));
        });
    }

    boost::asio::io_context context_{1};
    testing::ManualClock clock_;
    std::unique_ptr<Client> client_ =
        std::make_unique<Client>(context_.get_executor(), clock_, ClientConfig());
};

}  // namespace evalfleet::http
