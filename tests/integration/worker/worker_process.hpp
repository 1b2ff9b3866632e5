#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace evalfleet::worker {

/// The real program `evalfleet-worker`, as a child that does not outlive the test.
class WorkerProcess {
  public:
    /// `environment`: "NAME=value", beside the test's own.
    explicit WorkerProcess(std::vector<std::string> arguments,
                           std::vector<std::string> environment = {});
    WorkerProcess(const WorkerProcess&) = delete;
    WorkerProcess& operator=(const WorkerProcess&) = delete;
    ~WorkerProcess();

    void signal(int number) const;

    /// Blocks until it ended and all it wrote has been read; its exit code, or minus the signal
    /// that killed it.
    [[nodiscard]] int blocking_await_exit();

    /// Blocks until it wrote a line with `text`; false if that takes a minute or it ended before.
    [[nodiscard]] bool blocking_await_line(std::string_view text);

    /// What it wrote so far, both streams.
    [[nodiscard]] std::string output() const;

  private:
    void read_output(int descriptor);

    pid_t pid_ = 0;
    bool reaped_ = false;
    mutable std::mutex mutex_;  // guards the members below
    std::condition_variable changed_;
    std::string output_;
    bool ended_ = false;
    std::thread reader_;
};

}  // namespace evalfleet::worker
