#pragma once

#include "cli/fleet/coordinator_client.hpp"
#include "cli/fleet/local_fleet.hpp"
#include "cli/fleet/store_seed.hpp"
#include "cli/terminal/live_line.hpp"
#include "common/async/clock.hpp"
#include "common/result/result.hpp"

#include <boost/asio/awaitable.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace evalfleet::fleet {

/// A run that is made out of another one instead of a run file.
struct Derivation {
    std::string run_id;  ///< of the other one, which the store is seeded with
    std::string how;     ///< retry or rejudge
    std::string body;    ///< as `POST /runs/{id}/rejudge` takes it; empty for retry
};

/// What `evalfleet run` was told, read and found right.
struct SessionConfig {
    std::filesystem::path out;  ///< the folder that stays
    FleetConfig fleet;
    std::string run_json;  ///< to be submitted, unless the coordinator has it already
    std::optional<Derivation> derivation;  ///< instead of it
    StoreSeed seed;                        ///< of a new session; of one that goes on the ids only
    bool is_new = true;                    ///< false: one that was interrupted goes on
    std::vector<std::string> run_ids;  ///< that it became when it was submitted; empty: not known
    std::string providers_json;        ///< {"name": {...}}, for the workers
    std::filesystem::path dataset;     ///< for `simulate`
    bool simulate = false;
    bool show_progress = true;
};

/// What an interrupted run needs to go on, as it stands in its private folder.
inline constexpr const char* kSessionFile = "session.json";
[[nodiscard]] std::string session_json(const SessionConfig& config);
/// Fills in what `session_json` wrote down.
[[nodiscard]] Status read_session(std::string_view json, SessionConfig& config);

/// Providers that are all the simulator at `port`: of the same types and prices, so that a run is
/// taken as with the real ones, but without their keys and limits. Pure.
[[nodiscard]] std::string simulated_providers(std::string_view providers_json, std::uint16_t port);

/// How a session ended.
struct SessionResult {
    bool interrupted = false;
    /// The coordinator did not take the run: nothing was begun, and nothing was left behind.
    std::optional<remote::Refusal> refusal;
    std::vector<RunProgress> runs;               ///< as they were last seen
    std::vector<std::filesystem::path> folders;  ///< of the runs that are over, where they are now
};

/// One self-contained run from start to end: brings a fleet up, hands the run in (or lets one that
/// is there go on), shows progress, stops the fleet and leaves the run's folder behind. A
/// run that pauses itself ends the session like an interruption; one that could not be measured
/// leaves what it takes to try those trials again. Runs on a single-threaded
/// executor. A first SIGINT or SIGTERM stops cleanly, a second at once.
class RunSession {
  public:
    RunSession(SessionConfig config, async::Clock& clock);

    [[nodiscard]] boost::asio::awaitable<Result<SessionResult>> run();

  private:
    [[nodiscard]] boost::asio::awaitable<Status> bring_up();
    [[nodiscard]] boost::asio::awaitable<Status> hand_in();
    [[nodiscard]] boost::asio::awaitable<Status> submit();
    [[nodiscard]] boost::asio::awaitable<Result<bool>> find_runs();
    [[nodiscard]] boost::asio::awaitable<Result<std::string>> take_up(std::string run_id);
    [[nodiscard]] Status blocking_note_session() const;
    [[nodiscard]] bool is_seed(const std::string& run_id) const;
    void find_coordinator();
    [[nodiscard]] boost::asio::awaitable<void> watch();
    [[nodiscard]] boost::asio::awaitable<void> look();
    void blocking_clear_away() const;
    [[nodiscard]] Status blocking_bring_home(SessionResult& result) const;
    [[nodiscard]] std::string providers_yaml(std::optional<std::uint16_t> simulator_port) const;
    void show();

    SessionConfig config_;
    async::Clock& clock_;
    terminal::LiveLine line_;
    LocalFleet fleet_;
    std::optional<http::Client> http_;
    std::optional<CoordinatorClient> coordinator_;
    std::optional<remote::Refusal> refusal_;
    std::vector<std::string> ids_;  // that are followed, in the order of `config_.run_ids`
    std::vector<RunProgress> runs_;
};

}  // namespace evalfleet::fleet
