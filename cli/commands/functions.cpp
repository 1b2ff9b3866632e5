#include "cli/commands/functions.hpp"

#include "cli/command_action.hpp"
#include "cli/output.hpp"
#include "common/async/clock.hpp"
#include "common/async/run_all.hpp"
#include "common/queue/functions_text.hpp"
#include "common/queue/keys.hpp"
#include "common/redis/address.hpp"
#include "common/redis/client.hpp"
#include "common/redis/function_library.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

#include <exception>
#include <utility>
#include <vector>

namespace evalfleet::cli {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds kPatience{15};

/// What Redis had before, and whether that was, or now is, of use.
struct Finding {
    std::optional<std::string> before;
    bool was_loaded = false;
};

asio::awaitable<Result<Finding>> inspect(redis::Client& client, redis::FunctionLibrary& library,
                                         bool may_load, async::TimePoint deadline) {
    if (const Status ready = co_await client.ready(deadline); !ready) co_return ready.error();
    auto before = co_await library.installed_code(deadline);
    if (!before) co_return before.error();
    Finding finding{std::move(*before), false};
    if (!may_load || finding.before == library.code()) co_return finding;
    const auto version = co_await library.ensure_loaded(deadline);
    if (!version) co_return version.error();
    finding.was_loaded = *version == library.version();
    co_return finding;
}

asio::awaitable<void> ask(redis::Client& client, redis::FunctionLibrary& library, bool may_load,
                          async::TimePoint deadline, std::optional<Result<Finding>>& finding) {
    finding = co_await inspect(client, library, may_load, deadline);
}

Result<Finding> blocking_ask(redis::Config config, redis::LibraryText text, bool may_load) {
    asio::io_context context(1);
    async::SystemClock clock;
    redis::Client client(context.get_executor(), clock, std::move(config));
    redis::FunctionLibrary library(client, std::move(text));
    std::optional<Result<Finding>> finding;
    std::vector<asio::awaitable<void>> roles;
    roles.push_back(client.run());
    roles.push_back(ask(client, library, may_load, clock.now() + kPatience, finding));
    std::exception_ptr failure;
    asio::co_spawn(context, async::run_all(std::move(roles)),
                   [&failure](std::exception_ptr thrown, std::size_t) { failure = thrown; });
    context.run();
    if (failure) std::rethrow_exception(failure);
    return std::move(*finding);
}

Result<redis::Config> read_redis(const FunctionsOptions& options) {
    if (options.redis.empty())
        return Error{ErrorKind::invalid, "--redis: is required, or EVALFLEET_REDIS"};
    auto config = redis::blocking_read_address(options.redis, config::process_environment());
    if (!config) return config.error().within("--redis");
    config->client_name = "evalfleet-functions";
    if (config->discovery) config->discovery->key = queue::Keys(options.pool).base();
    return config;
}

Result<ExitCode> tell(ExitCode code, const std::string& line) {
    if (const Status printed = print(line + "\n"); !printed) return printed.error();
    return code;
}

}  // namespace

Result<ExitCode> run_functions(const FunctionsOptions& options) {
    const std::string what = options.what.value_or("check");
    if (what != "check" && what != "load" && what != "print")
        return Error{ErrorKind::invalid,
                     "ACTION: found '" + what + "', allowed: check, load, print"};
    const std::string code(queue::functions_text());
    if (what == "print") {
        if (const Status printed = print(code); !printed) return printed.error();
        return ExitCode::done;
    }
    auto config = read_redis(options);
    if (!config) return config.error();
    auto text = redis::parse_library(code);
    if (!text) return text.error();
    const std::int64_t version = text->version;
    const auto finding = blocking_ask(std::move(*config), std::move(*text), what == "load");
    if (!finding) return finding.error();
    const std::string ours = redis::describe_library(code);
    if (finding->was_loaded) return tell(ExitCode::done, "loaded: " + ours);
    if (!finding->before) return tell(ExitCode::failed, "missing; needed: " + ours);
    if (*finding->before == code) return tell(ExitCode::done, "there: " + ours);
    const std::string theirs = redis::describe_library(*finding->before);
    if (redis::library_version(*finding->before) > version)
        return tell(ExitCode::done, "newer, and left there: " + theirs + "; ours: " + ours);
    return tell(ExitCode::failed, "differs: " + theirs + "; needed: " + ours);
}

void FunctionsCommand::add_to(config::CommandLine& program) {
    config::Command& command = program.subcommand(
        "functions", "check or load the queue's function library in Redis, with a user who may");
    command.argument("ACTION", options_.what, "check (if none is given), load, or print");
    command
        .option("redis", options_.redis,
                "Redis, as coordinator and workers have it; its password by itself: "
                "EVALFLEET_REDIS_PASSWORD or EVALFLEET_REDIS_PASSWORD_FILE")
        .value_name("URL")
        .secret();
    command.option("pool", options_.pool, "The pool whose node of a cluster is asked")
        .value_name("NAME");
    command.example("evalfleet functions load");
    command.action(action(run_functions, options_));
}

}  // namespace evalfleet::cli
