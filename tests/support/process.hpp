#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace evalfleet::testing {

/// A real process of a test's own, whose output goes to a file. Killed with the object.
class Process {
  public:
    /// Starts `argv`; what it prints is appended to `log`. Throws std::runtime_error if it cannot.
    Process(std::vector<std::string> argv, std::filesystem::path log);
    Process(Process&& other) noexcept;
    Process& operator=(Process&& other) noexcept;
    ~Process();

    [[nodiscard]] pid_t pid() const noexcept { return pid_; }
    void signal(int number) const;
    /// Waits for its end; the exit code, or 128 and the signal.
    int wait();
    /// The same, but only for so long; nothing if it still runs.
    std::optional<int> wait_for(std::chrono::milliseconds patience);
    /// As `kill -9`, and waits.
    void kill();

    /// What it has printed so far.
    [[nodiscard]] std::string output() const;

  private:
    pid_t pid_ = 0;
    std::filesystem::path log_;
};

}  // namespace evalfleet::testing
