#pragma once

#include "tests/support/process.hpp"
#include "tests/support/redis_server.hpp"
#include "tests/support/temporary_folder.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evalfleet::testing {

/// What came back over HTTP.
struct Answer {
    int status = 0;  ///< 0: nothing came
    std::string head{};
    std::string body{};

    /// The value of a header; empty if there is none.
    [[nodiscard]] std::string header(std::string_view name) const;
};

using HeaderFields = std::vector<std::pair<std::string, std::string>>;

/// One request to a port of this machine, on a connection of its own.
Answer ask(std::uint16_t port, const std::string& method, const std::string& path,
           const std::string& body = "", const HeaderFields& headers = {});

/// A real coordinator with a redis-server of its own and nothing else: for tests of its API. Knows
/// the providers "main" and "other", and takes data sets from `data()`.
class CoordinatorProcess {
  public:
    /// Further arguments. With `--tokens-file tokens.yaml` see `write_tokens`.
    explicit CoordinatorProcess(std::vector<std::string> arguments = {}, bool has_tokens = false);

    using Fields = HeaderFields;

    /// One request on a connection of its own.
    Answer call(const std::string& method, const std::string& path, const std::string& body = "",
                const Fields& headers = {}) const;
    Answer get(const std::string& path, const Fields& headers = {}) const {
        return call("GET", path, "", headers);
    }

    /// As `kill -9`, and starts another on the same store.
    void kill_and_restart();

    /// Role and token are the same word: "reader", "submitter", "admin".
    static Fields as(const std::string& role) { return {{"Authorization", "Bearer " + role}}; }
    void write_tokens(const std::vector<std::string>& roles) const;

    /// A run file that is right, of a data set "qa", which `put_dataset` uploads.
    static std::string run_file(const std::string& name = "test", const std::string& more = "");
    void put_dataset(const Fields& headers = {}) const;

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] pid_t pid() const { return process_->pid(); }
    [[nodiscard]] std::filesystem::path data() const { return folder_ / "data"; }
    [[nodiscard]] std::filesystem::path store() const { return folder_ / "store"; }
    [[nodiscard]] std::string log() const { return process_->output(); }
    [[nodiscard]] std::string redis_url() const { return redis_.url(); }

  private:
    void start();

    std::vector<std::string> arguments_;
    bool has_tokens_;
    TemporaryFolder folder_;
    RedisServer redis_{{}};
    std::optional<Process> process_;
    std::uint16_t port_ = 0;
};

}  // namespace evalfleet::testing
