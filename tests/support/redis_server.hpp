#pragma once

#include "tests/support/temporary_folder.hpp"

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::testing {

/// A real redis-server of a test's own, on a unix socket in a private folder and, if asked for, on
/// free ports of the loopback. Keeps nothing on disk unless `arguments` say so. Ends with the
/// object, and with the test program should that crash. Any number of them may run at the same
/// time.
class RedisServer {
  public:
    struct Tls {
        std::filesystem::path ca_file;
        std::filesystem::path cert_file;
        std::filesystem::path key_file;
        bool asks_for_certificate = false;  ///< of the client
    };
    struct Options {
        bool has_tcp = false;
        std::optional<Tls> tls{};
        std::vector<std::string> arguments{};  ///< "--name", "value", ...; they override ours
        bool has_stepping_clock = false;       ///< for `step_clock`
    };

    /// Starts the server and blocks until it answers. Throws std::runtime_error if it does not.
    RedisServer() : RedisServer(Options{}) {}
    explicit RedisServer(Options options);
    RedisServer(const RedisServer&) = delete;
    RedisServer& operator=(const RedisServer&) = delete;
    ~RedisServer();

    /// "unix:///..."
    [[nodiscard]] std::string url() const;
    /// "redis://127.0.0.1:port"; needs `has_tcp`.
    [[nodiscard]] std::string tcp_url() const;
    /// "rediss://localhost:port"; needs `tls`.
    [[nodiscard]] std::string tls_url() const;

    [[nodiscard]] std::uint16_t tcp_port() const noexcept { return tcp_port_; }
    [[nodiscard]] const TemporaryFolder& folder() const noexcept { return folder_; }
    [[nodiscard]] std::filesystem::path socket_path() const { return folder_ / "redis.sock"; }

    /// As `kill -9`: no goodbye, nothing saved.
    void kill();

    /// Starts it again under the same addresses, with `more_arguments`; kills it first if need be.
    /// Blocks until it answers.
    void restart(const std::vector<std::string>& more_arguments = {});
    /// The same, but only until it listens: it may still be loading its data.
    void restart_and_let_load(const std::vector<std::string>& more_arguments);

    /// Sets its clock, and nobody else's, forward or back by so much; needs `has_stepping_clock`.
    void step_clock(std::chrono::milliseconds step);

    /// Stops and continues the process: a peer that is there but does not answer.
    void freeze();
    void thaw();

  private:
    [[nodiscard]] std::vector<std::string> command_line(
        const std::vector<std::string>& more_arguments) const;
    void write_clock_step() const;
    /// False if the server ended before it wrote `mark` to its log.
    [[nodiscard]] bool start(const std::vector<std::string>& more_arguments, std::string_view mark);

    Options options_;
    TemporaryFolder folder_;
    std::uint16_t tcp_port_ = 0;
    std::uint16_t tls_port_ = 0;
    pid_t pid_ = 0;
    std::string log_;  // up to the mark
    std::chrono::microseconds clock_step_{0};
};

}  // namespace evalfleet::testing
