#pragma once

#include "common/config/command_line.hpp"
#include "common/config/log_options.hpp"
#include "common/config/units.hpp"
#include "common/redis/config.hpp"
#include "common/result/result.hpp"
#include "common/runfile/run_bounds.hpp"
#include "coordinator/runs/retention.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace evalfleet::coordinator {

/// Everything a coordinator can be told.
struct CoordinatorConfig {
    std::string redis_url;                     ///< may hold a password: never shown
    std::filesystem::path store;               ///< the folder of the runs
    std::vector<std::filesystem::path> views;  ///< runs that are only looked at, without Redis
    std::string listen = "127.0.0.1:8080";
    std::filesystem::path port_file;  ///< where the real port is written; empty: nowhere
    std::string pool = "main";        ///< whose jobs it hands out
    std::uint64_t window_jobs = 20'000;
    config::ByteSize window_bytes{std::uint64_t{128} * 1024 * 1024};
    std::chrono::seconds audit_interval{30};
    std::chrono::seconds takeover_after{15};  ///< a leader is silent so long, then it is ended
    bool no_standby = false;                  ///< ends if another coordinator leads the store
    std::string retention;                    ///< of runs that are over; empty: for ever
    std::uint64_t pause_after_failures = 20;  ///< of one kind in a row; 0: never
    std::uint64_t max_trials = runfile::kDefaultMaxTrials;  ///< of one submission
    std::string environment;          ///< region=R,deployment=D: for the metadata of runs
    std::filesystem::path providers;  ///< the operator's; empty: their names are not checked
    std::vector<std::filesystem::path> dataset_roots;  ///< where runs may name data sets by path
    config::ByteSize max_dataset_bytes{std::uint64_t{2} * 1024 * 1024 * 1024};
    std::filesystem::path tokens_file;  ///< empty: no tokens, and loopback only
    double rate_limit = 100;            ///< requests a second, by token
    double address_rate_limit = 500;    ///< requests a second, by address
    std::filesystem::path tls_cert;     ///< PEM; empty: plain HTTP
    std::filesystem::path tls_key;
    std::filesystem::path webhooks;  ///< whom to tell what happens to runs; empty: nobody
    std::string export_to;           ///< s3://bucket/prefix or a folder; empty: runs stay here
    std::string export_s3_endpoint;  ///< of another service than AWS
    std::string export_s3_region;
    std::filesystem::path traces;  ///< where traces of trials go; empty: nowhere
    std::size_t max_connections = 10'000;
    bool metrics_token = false;           ///< /metrics needs a reader's token
    std::uint64_t max_desired_slots = 0;  ///< of evalfleet_desired_slots; 0: no limit
    std::vector<std::string> test_hooks;  ///< what a test switches off: dedup, audit
    config::LogOptions log;

    void add_to(config::CommandLine& program);

    [[nodiscard]] bool is_view() const noexcept { return !views.empty(); }

    /// Sets what is not a choice where runs are only looked at: no tokens, no TLS, this machine
    /// alone. `store` is where they are put together.
    void settle_for_view(std::filesystem::path view_store);

    /// Checks what a single field's type does not.
    [[nodiscard]] Status validate() const;

    /// What Redis is reached by; validated.
    [[nodiscard]] Result<redis::Config> redis() const;

    /// `listen`, taken apart.
    struct Address {
        std::string host;
        std::uint16_t port = 0;
    };
    [[nodiscard]] Result<Address> address() const;

    /// `retention`, taken apart; validated.
    [[nodiscard]] Result<runs::Retention> retention_bounds() const;

    [[nodiscard]] bool is_switched_off(std::string_view hook) const;

  private:
    void add_api_options(config::CommandLine& program);
};

}  // namespace evalfleet::coordinator
