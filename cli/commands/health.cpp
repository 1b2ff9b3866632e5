#include "cli/commands/health.hpp"

#include "cli/command_action.hpp"
#include "common/async/clock.hpp"
#include "common/http/client.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <cstdio>
#include <exception>
#include <optional>
#include <utility>

namespace evalfleet::cli {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds kTimeout{5};

using Answer = Result<http::Response>;

// There are no results that can be made without a value, hence the optional.
std::optional<Answer> blocking_ask(http::Url url) {
    asio::io_context context(1);
    async::SystemClock clock;
    http::Client client(context.get_executor(), clock, {});
    http::Request request;
    request.url = std::move(url);
    http::CallLimits limits;
    limits.total_deadline = clock.now() + kTimeout;
    limits.max_body_bytes = 64 * 1024;
    std::optional<Answer> answer;
    asio::co_spawn(context, client.send(std::move(request), limits),
                   [&answer](const std::exception_ptr& bug, Answer given) {
                       if (bug) std::rethrow_exception(bug);
                       answer = std::move(given);
                   });
    context.run();
    return answer;
}

}  // namespace

Result<ExitCode> run_health(const HealthOptions& options) {
    const auto base = http::Url::parse(options.url.value_or(options.coordinator_url));
    if (!base) return base.error().within(options.url ? "--url" : "--coordinator-url");
    const auto answer =
        blocking_ask(base->with_path_appended(options.live ? "/healthz" : "/readyz"));
    if (!answer) return Error{ErrorKind::internal, "the call did not end"};
    if (!*answer) return answer->error();
    const http::Response& response = **answer;
    std::fputs(response.body.c_str(), stdout);
    if (!response.body.ends_with('\n')) std::fputc('\n', stdout);
    return response.status == 200 ? ExitCode::done : ExitCode::unfinished;
}

void HealthCommand::add_to(config::CommandLine& program) {
    config::Command& command = program.subcommand(
        "health", "ask a coordinator or worker whether it is ready; exit code 3 if not");
    command.option("coordinator-url", options_.coordinator_url, "the coordinator's address")
        .value_name("URL");
    command
        .option("url", options_.url,
                "ask this address instead: that of a worker's metrics, for example")
        .value_name("URL")
        .only_flag();
    command.flag("live", options_.live, "ask only whether it lives, Redis or not");
    command.example("evalfleet health --url http://127.0.0.1:9090 --live");
    command.action(action(run_health, options_));
}

}  // namespace evalfleet::cli
