#pragma once

#include "common/result/result.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace evalfleet::fleet {

/// A program to run beside us.
struct Program {
    std::string name;                ///< for messages: "worker 2"
    std::vector<std::string> argv;   ///< the first is a path, or a name that is looked up in PATH
    std::filesystem::path log_file;  ///< gets what it prints
    /// NAME=value: all that it gets.
    std::vector<std::string> environment{};
};

/// A child process. It never outlives us, not even when we are killed: the kernel then kills it
/// too. It stands in a process group of its own, so that a Ctrl-C at the terminal reaches only us
/// and we end the children in the right order.
class Child {
  public:
    /// `not_found` if the program is not there.
    [[nodiscard]] static Result<Child> start(const boost::asio::any_io_executor& executor,
                                             const Program& program);

    Child(Child&& other) noexcept;
    Child& operator=(Child&& other) noexcept = delete;
    /// Kills it if it still runs.
    ~Child();

    [[nodiscard]] pid_t pid() const noexcept { return pid_; }

    /// Completes when it has ended and tells how: "exit code 3", "signal 9". Cancelled: throws
    /// operation_aborted; the child goes on.
    [[nodiscard]] boost::asio::awaitable<std::string> ended();

    void signal(int number) const noexcept;

  private:
    Child(boost::asio::posix::stream_descriptor handle, pid_t pid) noexcept;

    boost::asio::posix::stream_descriptor handle_;  // a pidfd: readable when the child has ended
    pid_t pid_;                                     // 0 once it was waited for
};

/// Where PATH has a program; empty if it has not.
[[nodiscard]] std::filesystem::path find_program(std::string_view name);

}  // namespace evalfleet::fleet
