#include "cli/fleet/local_fleet.hpp"

#include "common/files/atomic_file.hpp"
#include "common/redis/address.hpp"

#include <boost/asio/this_coro.hpp>

#include <charconv>
#include <cstdlib>
#include <utility>

namespace evalfleet::fleet {

namespace asio = boost::asio;
namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds kStartPatience{30};
constexpr const char* kTokensFile = "tokens.yaml";
constexpr const char* kTokenFile = "token";  // for the owner's own look at the API

Result<fs::path> make_socket_folder() {
    std::string name = (fs::temp_directory_path() / "evalfleet-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
        return files::last_system_error("cannot make a folder for the socket", name);
    return fs::path(name);
}

std::optional<std::uint16_t> read_port(const fs::path& file) {
    const auto text = files::blocking_read_file(file, 16);
    if (!text) return std::nullopt;
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), port);
    if (error != std::errc() || port == 0) return std::nullopt;
    return port;
}

std::string describe(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception& exception) {
        return exception.what();
    }
}

}  // namespace

Status check_redis_is_installed() {
    if (!find_program("redis-server").empty()) return {};
    return Error{
        ErrorKind::internal,
        "redis-server is not installed; on Debian and Ubuntu it is the package redis-server "
        "(apt-get install redis-server)"};
}

LocalFleet::LocalFleet(FleetConfig config, async::Clock& clock, ChildKeeper::Say say)
    : config_(std::move(config)), clock_(clock), say_(std::move(say)) {}

LocalFleet::~LocalFleet() {
    keepers_.clear();
    std::error_code ignored;
    if (!socket_folder_.empty()) fs::remove_all(socket_folder_, ignored);
}

fs::path LocalFleet::log_of(const std::string& name) const {
    return config_.folder / "logs" / (name + ".log");
}

std::string LocalFleet::redis_url() const {
    if (!config_.redis_url.empty()) return config_.redis_url;
    return "unix://" + (socket_folder_ / "redis.sock").string();
}

Status LocalFleet::prepare() {
    if (!socket_folder_.empty()) return {};
    if (config_.redis_url.empty()) {
        if (const Status installed = check_redis_is_installed(); !installed) return installed;
    }
    std::error_code code;
    for (const char* name : {"logs", "redis", "store"}) {
        fs::create_directories(config_.folder / name, code);
        if (code) {
            return Error{ErrorKind::denied,
                         config_.folder.string() + ": cannot be made: " + code.message()};
        }
    }
    // It may have been made by somebody with another idea of who may look.
    fs::permissions(config_.folder, fs::perms::owner_all, code);
    if (code) {
        return Error{ErrorKind::denied,
                     config_.folder.string() + ": cannot be closed to others: " + code.message()};
    }
    for (const char* name : {"coordinator.port", "simulator.port"})
        fs::remove(config_.folder / name, code);
    auto socket_folder = make_socket_folder();
    if (!socket_folder) return socket_folder.error();
    socket_folder_ = std::move(*socket_folder);
    return {};
}

std::vector<std::string> LocalFleet::variables(Inherit what) const {
    std::vector<std::string> redis{"EVALFLEET_REDIS=" + redis_url()};
    // Its password may stand by itself; a Redis of our own has none.
    for (const std::string_view name : {redis::kPasswordVariable, redis::kPasswordFileVariable}) {
        const char* const value = std::getenv(std::string(name).c_str());
        if (value != nullptr && !config_.redis_url.empty())
            redis.push_back(std::string(name) + "=" + value);
    }
    return child_environment(what, own_environment(), config_.key_variables, std::move(redis));
}

Program LocalFleet::redis_program() const {
    // Everything is written down, so that a run that was interrupted goes on where it was.
    return {"redis-server",
            {"redis-server", "--port", "0", "--unixsocket",
             (socket_folder_ / "redis.sock").string(), "--unixsocketperm", "700", "--dir",
             (config_.folder / "redis").string(), "--appendonly", "yes", "--appendfsync",
             "everysec", "--save", "", "--maxmemory-policy", "noeviction", "--daemonize", "no",
             // What is small is searched from its beginning: with some hundreds of jobs out that is
             // most of what Redis does.
             "--hash-max-listpack-entries", "16", "--zset-max-listpack-entries", "16"},
            log_of("redis"),
            variables(Inherit::plain)};
}

Program LocalFleet::coordinator_program() const {
    Program program{"coordinator",
                    {(config_.programs / "evalfleet-coordinator").string(),
                     "--store",
                     (config_.folder / "store").string(),
                     "--no-standby",
                     "--listen",
                     "127.0.0.1:0",
                     "--port-file",
                     (config_.folder / "coordinator.port").string(),
                     "--providers",
                     (config_.folder / "providers.yaml").string(),
                     "--dataset-root",
                     config_.dataset_root.string(),
                     "--tokens-file",
                     (config_.folder / kTokensFile).string(),
                     "--metrics-token",
                     "--rate-limit",
                     "0",
                     "--log-format",
                     "json",
                     "--log-level",
                     config_.log_level},
                    log_of("coordinator"),
                    variables(Inherit::plain)};
    if (config_.max_trials) {
        program.argv.emplace_back("--max-trials");
        program.argv.push_back(std::to_string(*config_.max_trials));
    }
    if (!config_.labels_root.empty()) {
        program.argv.emplace_back("--dataset-root");
        program.argv.push_back(config_.labels_root.string());
    }
    if (!config_.traces.empty()) {
        program.argv.push_back("--traces=" + config_.traces.string());
        program.environment.insert(program.environment.end(), config_.trace_variables.begin(),
                                   config_.trace_variables.end());
    }
    add_environment(program);
    return program;
}

Program LocalFleet::worker_program(std::size_t number) const {
    const std::string name = "worker-" + std::to_string(number);
    Program program{"worker " + std::to_string(number),
                    {(config_.programs / "evalfleet-worker").string(), "--providers",
                     (config_.folder / "providers.yaml").string(), "--concurrency",
                     std::to_string(config_.concurrency), "--log-format", "json", "--log-level",
                     config_.log_level},
                    log_of(name),
                    variables(config_.calls_providers ? Inherit::keys : Inherit::plain)};
    if (!config_.keep_originals.empty())
        program.argv.push_back("--keep-originals=" + config_.keep_originals.string());
    add_environment(program);
    return program;
}

void LocalFleet::add_environment(Program& program) const {
    if (!config_.environment.empty())
        program.argv.push_back("--environment=" + config_.environment);
}

Status LocalFleet::launch(const asio::any_io_executor& executor, Program program) {
    auto keeper = std::make_unique<ChildKeeper>(std::move(program), clock_, say_);
    if (const Status started = keeper->start(executor); !started) return started;
    if (!tasks_) {
        tasks_.emplace(executor,
                       [this](const std::exception_ptr& failure) { say_(describe(failure)); });
    }
    tasks_->spawn(keep(*keeper));
    keepers_.push_back(std::move(keeper));
    return {};
}

asio::awaitable<Result<std::uint16_t>> LocalFleet::await_port(fs::path file, fs::path log) {
    const async::TimePoint deadline = clock_.now() + kStartPatience;
    while (clock_.now() < deadline) {
        if (const auto port = read_port(file)) co_return *port;
        co_await clock_.wait_for(std::chrono::milliseconds(10));
    }
    co_return Error{ErrorKind::timeout,
                    "a part of the fleet did not come up; its log: " + log.string()};
}

Status LocalFleet::write_files(const std::string& providers_yaml) const {
    const std::pair<const char*, const std::string&> contents[] = {
        {"providers.yaml", providers_yaml},
        {kTokensFile, config_.tokens_yaml},
        {kTokenFile, config_.token}};
    for (const auto& [name, content] : contents) {
        const Status written = files::blocking_write_atomically(config_.folder / name, content);
        if (!written) return written;
    }
    return {};
}

asio::awaitable<Result<http::Url>> LocalFleet::start(std::string providers_yaml) {
    const auto executor = co_await asio::this_coro::executor;
    if (const Status prepared = prepare(); !prepared) co_return prepared.error();
    if (const Status written = write_files(providers_yaml); !written) co_return written.error();
    if (config_.redis_url.empty()) {
        if (const Status started = launch(executor, redis_program()); !started)
            co_return started.error();
    }
    if (const Status started = launch(executor, coordinator_program()); !started)
        co_return started.error();
    for (std::size_t number = 1; number <= config_.workers; ++number) {
        if (const Status started = launch(executor, worker_program(number)); !started)
            co_return started.error();
    }
    const auto port =
        co_await await_port(config_.folder / "coordinator.port", log_of("coordinator"));
    if (!port) co_return port.error();
    co_return *coordinator_url();
}

std::optional<http::Url> LocalFleet::coordinator_url() const {
    const auto port = read_port(config_.folder / "coordinator.port");
    if (!port) return std::nullopt;
    return http::Url::parse("http://127.0.0.1:" + std::to_string(*port)).value();
}

asio::awaitable<Result<std::uint16_t>> LocalFleet::start_simulator(fs::path dataset) {
    const auto executor = co_await asio::this_coro::executor;
    if (const Status prepared = prepare(); !prepared) co_return prepared.error();
    const fs::path port_file = config_.folder / "simulator.port";
    Program program{"simulator",
                    {(config_.programs / "evalfleet").string(), "simulate", "--port", "0",
                     "--port-file", port_file.string(), "--dataset", dataset.string(),
                     "--latency-ms", "40", "--latency-sigma", "0.5"},
                    log_of("simulator"),
                    variables(Inherit::plain)};
    if (const Status started = launch(executor, std::move(program)); !started)
        co_return started.error();
    co_return co_await await_port(port_file, log_of("simulator"));
}

asio::awaitable<void> LocalFleet::keep(ChildKeeper& keeper) {
    co_await keeper.run();
}

asio::awaitable<void> LocalFleet::stop(std::chrono::seconds patience) {
    // Last started, first stopped: workers (all at once), coordinator, Redis.
    for (const auto& keeper : keepers_)
        if (keeper->program().name.starts_with("worker")) keeper->begin_stop();
    for (auto keeper = keepers_.rbegin(); keeper != keepers_.rend(); ++keeper)
        co_await (*keeper)->stop(clock_.now() + patience);
    if (tasks_) co_await tasks_->join();
}

}  // namespace evalfleet::fleet
