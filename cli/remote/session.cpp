#include "cli/remote/session.hpp"

#include "common/async/run_all.hpp"
#include "common/async/signals.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <csignal>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

namespace evalfleet::remote {

namespace asio = boost::asio;

namespace {

template <class Outcome>
asio::awaitable<void> keep(asio::awaitable<Outcome> work, std::optional<Outcome>& outcome) {
    auto ended = co_await std::move(work);
    outcome = std::move(ended);
}

asio::awaitable<void> wait_for_signal(async::SignalListener& signals, bool& is_interrupted) {
    (void)co_await signals.next();
    is_interrupted = true;
}

asio::awaitable<Status> pass_on(Api& api, std::string path, const Session::Sink& sink) {
    auto stream = co_await api.open(std::move(path));
    if (!stream) co_return stream.error();
    for (;;) {
        const auto part = co_await stream->read();
        if (!part) co_return part.error();
        if (!*part) co_return Status();
        if (const Status taken = sink(**part); !taken) co_return taken;
    }
}

http::ClientConfig client_config(const Connection& connection) {
    http::ClientConfig config;
    config.ca_file = connection.ca_file;
    return config;
}

}  // namespace

struct Session::Parts {
    explicit Parts(const Connection& connection)
        : client(context.get_executor(), clock, client_config(connection)),
          api(client, clock, connection.url, connection.token),
          signals(context.get_executor(), {SIGINT, SIGTERM}) {}

    template <class Outcome>
    Outcome blocking_run(asio::awaitable<Outcome> work) {
        const Error interrupted{ErrorKind::cancelled, "interrupted"};
        if (is_interrupted) return interrupted;
        std::optional<Outcome> outcome;
        std::vector<asio::awaitable<void>> roles;
        roles.push_back(keep(std::move(work), outcome));
        roles.push_back(wait_for_signal(signals, is_interrupted));
        std::exception_ptr bug;
        asio::co_spawn(context, async::run_all(std::move(roles)),
                       [&bug](std::exception_ptr thrown, std::size_t) { bug = thrown; });
        context.restart();
        context.run();
        if (bug) std::rethrow_exception(bug);
        if (!outcome) return interrupted;
        return std::move(*outcome);
    }

    asio::io_context context{1};
    async::SystemClock clock;
    http::Client client;
    Api api;
    async::SignalListener signals;
    bool is_interrupted = false;
};

Result<Session> Session::blocking_open(const ConnectionOptions& options) {
    const auto connection = blocking_resolve(options);
    if (!connection) return connection.error();
    try {
        return Session(std::make_unique<Parts>(*connection));
    } catch (const std::runtime_error& failure) {
        // A certificate file that is none.
        return Error{ErrorKind::invalid, std::string("--ca-file: ") + failure.what()};
    }
}

Session::Session(std::unique_ptr<Parts> parts) noexcept : parts_(std::move(parts)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

async::Clock& Session::clock() noexcept {
    return parts_->clock;
}

Result<http::Response> Session::blocking_ask(Call call) {
    return parts_->blocking_run(parts_->api.ask(std::move(call)));
}

Result<std::string> Session::blocking_call(Call call) {
    return parts_->blocking_run(parts_->api.call(std::move(call)));
}

Result<std::string> Session::blocking_upload(std::string path, http::BodySource& body) {
    return parts_->blocking_run(parts_->api.upload(std::move(path), body));
}

Status Session::blocking_download(std::string path, const Sink& sink) {
    return parts_->blocking_run(pass_on(parts_->api, std::move(path), sink));
}

Result<RunProgress> Session::blocking_watch(std::string run_id, const WatchListener& listener) {
    return parts_->blocking_run(watch_run(parts_->api, std::move(run_id), listener));
}

}  // namespace evalfleet::remote
