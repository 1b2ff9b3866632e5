#pragma once

#include "tests/bench/fleet/fleet_load.hpp"
#include "tests/support/process.hpp"
#include "tests/support/redis_server.hpp"
#include "tests/support/temporary_folder.hpp"

#include <cstdint>
#include <optional>

namespace evalfleet::bench {

/// The processes of one measurement. Ended with the object.
class FleetUnderLoad {
  public:
    FleetUnderLoad(std::filesystem::path bin, const Load& load);

    /// Hands the run in and waits until it is done.
    void work();
    /// Trials done in a second, over the middle of the run: neither its beginning, when workers
    /// open their connections, nor its end, when slots are empty, counts.
    [[nodiscard]] double middle_rate() const;

    /// Calls a second that wrk makes against the provider; none without wrk.
    [[nodiscard]] std::optional<double> blocking_wrk() const;

    [[nodiscard]] std::string redis_url() const { return redis_.url(); }
    [[nodiscard]] pid_t redis_pid() const noexcept { return redis_pid_; }
    [[nodiscard]] pid_t coordinator_pid() const { return coordinator_->pid(); }
    [[nodiscard]] pid_t provider_pid() const { return provider_->pid(); }
    [[nodiscard]] const std::vector<testing::Process>& workers() const noexcept { return workers_; }
    [[nodiscard]] const testing::TemporaryFolder& folder() const noexcept { return folder_; }

  private:
    struct Progress {
        double at_s = 0;
        std::uint64_t done = 0;
    };

    void start_provider();
    void start_coordinator();
    void start_worker();
    void write_dataset() const;
    [[nodiscard]] std::string run_file() const;
    [[nodiscard]] std::string program(const std::string& name) const {
        return (bin_ / name).string();
    }
    [[nodiscard]] std::string path(const std::string& name) const {
        return (folder_ / name).string();
    }

    std::filesystem::path bin_;
    Load load_;
    testing::TemporaryFolder folder_;
    testing::RedisServer redis_;
    pid_t redis_pid_ = 0;
    std::optional<testing::Process> provider_;
    std::optional<testing::Process> coordinator_;
    std::vector<testing::Process> workers_;
    std::uint16_t provider_port_ = 0;
    std::uint16_t coordinator_port_ = 0;
    std::vector<Progress> progress_;
};

}  // namespace evalfleet::bench
