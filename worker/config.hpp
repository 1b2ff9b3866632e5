#pragma once

#include "common/config/command_line.hpp"
#include "common/config/log_options.hpp"
#include "common/redis/config.hpp"
#include "common/result/result.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace evalfleet::worker {

/// Everything a worker can be told.
struct WorkerConfig {
    std::string redis_url;            ///< may hold a password: never shown
    std::filesystem::path providers;  ///< the operator's providers file
    std::string pool = "main";        ///< whose jobs it takes
    std::string name;                 ///< of the worker; empty: that of the host
    std::string environment;          ///< region=R,deployment=D: for records
    std::size_t concurrency = 64;     ///< jobs at once
    std::size_t threads = 1;          ///< for I/O
    std::size_t compute_threads = 1;  ///< for rendering, parsing, scoring, redaction
    std::chrono::seconds drain_timeout{30};
    std::chrono::milliseconds lease{30'000};
    std::chrono::milliseconds rate_window{60'000};  ///< in which rpm and tpm are counted
    std::chrono::milliseconds rate_margin{1'500};   ///< in which a permitted request arrives
    std::optional<std::uint16_t> metrics_port;      ///< 0: any free one; none: no metrics page
    std::string metrics_host = "127.0.0.1";
    std::filesystem::path port_file;       ///< where the metrics port is written; empty: nowhere
    std::filesystem::path ca_file;         ///< PEM; of providers; empty: the system's authorities
    std::filesystem::path keep_originals;  ///< a key file; empty: redacted answers are not kept
    config::LogOptions log;

    void add_to(config::CommandLine& program);

    /// Checks what concerns several fields.
    [[nodiscard]] Status validate() const;

    /// What Redis is reached by; validated.
    [[nodiscard]] Result<redis::Config> redis() const;
};

}  // namespace evalfleet::worker
