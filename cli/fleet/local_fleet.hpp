#pragma once

#include "cli/fleet/child_environment.hpp"
#include "cli/fleet/child_keeper.hpp"
#include "common/async/clock.hpp"
#include "common/async/task_group.hpp"
#include "common/http/url.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace evalfleet::fleet {

struct FleetConfig {
    std::filesystem::path folder;    ///< private: Redis's data, the store, logs
    std::filesystem::path programs;  ///< where evalfleet-coordinator and evalfleet-worker are
    std::size_t workers = 2;
    std::size_t concurrency = 64;              ///< of each worker
    std::string redis_url;                     ///< empty: a private redis-server is started
    std::filesystem::path dataset_root;        ///< the coordinator takes data sets from there only
    std::filesystem::path labels_root;         ///< and manual labels from here as well; empty: none
    std::filesystem::path keep_originals;      ///< key file of the workers; empty: none
    std::filesystem::path traces;              ///< the coordinator's traces file; empty: none
    std::vector<std::string> trace_variables;  ///< NAME=value that it names
    std::string environment;                   ///< of coordinator and workers; empty: nobody said
    std::optional<std::uint64_t> max_trials;   ///< of a run; none: the coordinator's own bound
    std::string log_level = "info";
    std::string token;                       ///< of this session: opens the coordinator's API
    std::string tokens_yaml;                 ///< the coordinator's tokens file, with its hash
    std::vector<std::string> key_variables;  ///< that hold the keys of providers
    bool calls_providers = true;             ///< false: workers need no key of anybody
};

/// `internal`, naming the package, if a private redis-server could not be started here.
[[nodiscard]] Status check_redis_is_installed();

/// A whole fleet on this machine, made of the programs that a cluster runs: a private redis-server
/// on a unix socket, a coordinator and workers, each kept running. Everything runs on one
/// single-threaded executor.
///
/// Closed to other users of the machine: its folders are the owner's, and the coordinator answers
/// only who has the session's token. Only workers get the keys of providers. The umask of the
/// process must keep others from what it and its children write.
class LocalFleet {
  public:
    LocalFleet(FleetConfig config, async::Clock& clock, ChildKeeper::Say say);
    ~LocalFleet();

    /// Starts everything and returns the address of the coordinator's API. `not_found` names the
    /// package of a program that is not installed; `timeout` the log of one that does not come up.
    /// `providers_yaml`: the providers file of the workers.
    [[nodiscard]] boost::asio::awaitable<Result<http::Url>> start(std::string providers_yaml);

    /// Before `start`: a simulated provider as one more child, which knows the references of a data
    /// set. Its port.
    [[nodiscard]] boost::asio::awaitable<Result<std::uint16_t>> start_simulator(
        std::filesystem::path dataset);

    /// Where the coordinator listens now: one that was started again has another port.
    [[nodiscard]] std::optional<http::Url> coordinator_url() const;

    /// Ends everything in order: workers (which finish or hand back what they hold), coordinator,
    /// Redis. Must be awaited before the fleet is destroyed.
    [[nodiscard]] boost::asio::awaitable<void> stop(std::chrono::seconds patience);

  private:
    [[nodiscard]] Status prepare();
    [[nodiscard]] Status launch(const boost::asio::any_io_executor& executor, Program program);
    [[nodiscard]] boost::asio::awaitable<void> keep(ChildKeeper& keeper);
    [[nodiscard]] Program redis_program() const;
    [[nodiscard]] Program coordinator_program() const;
    [[nodiscard]] Program worker_program(std::size_t number) const;
    [[nodiscard]] std::vector<std::string> variables(Inherit what) const;
    [[nodiscard]] Status write_files(const std::string& providers_yaml) const;
    void add_environment(Program& program) const;
    [[nodiscard]] std::string redis_url() const;
    [[nodiscard]] boost::asio::awaitable<Result<std::uint16_t>> await_port(
        std::filesystem::path file, std::filesystem::path log);
    [[nodiscard]] std::filesystem::path log_of(const std::string& name) const;

    FleetConfig config_;
    async::Clock& clock_;
    ChildKeeper::Say say_;
    std::filesystem::path socket_folder_;                // short: the path of a unix socket is
    std::vector<std::unique_ptr<ChildKeeper>> keepers_;  // in the order of starting
    std::optional<async::TaskGroup> tasks_;              // one a keeper
};

}  // namespace evalfleet::fleet
