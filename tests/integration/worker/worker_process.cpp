#include "tests/integration/worker/worker_process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace evalfleet::worker {

namespace {

[[noreturn]] void become_worker(const std::vector<std::string>& arguments,
                                const std::vector<std::string>& environment, int output) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    for (const std::string& variable : environment)
        putenv(const_cast<char*>(variable.c_str()));
    const std::string program = EVALFLEET_BIN_DIR "/evalfleet-worker";
    std::vector<char*> argv{const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments)
        argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    execv(program.c_str(), argv.data());
    _exit(127);
}

}  // namespace

WorkerProcess::WorkerProcess(std::vector<std::string> arguments,
                             std::vector<std::string> environment) {
    std::array<int, 2> pipe{};
    if (pipe2(pipe.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    pid_ = fork();
    if (pid_ < 0) throw std::runtime_error("no child process");
    if (pid_ == 0) become_worker(arguments, environment, pipe[1]);
    close(pipe[1]);
    reader_ = std::thread([this, descriptor = pipe[0]] { read_output(descriptor); });
}

WorkerProcess::~WorkerProcess() {
    if (!reaped_) {
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }
    reader_.join();
}

void WorkerProcess::signal(int number) const {
    kill(pid_, number);
}

int WorkerProcess::blocking_await_exit() {
    int status = 0;
    waitpid(pid_, &status, 0);
    reaped_ = true;
    // What it wrote last may still be on its way through the pipe.
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(60), [this] { return ended_; });
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void WorkerProcess::read_output(int descriptor) {
    std::array<char, 4096> buffer{};
    for (;;) {
        const ssize_t count = read(descriptor, buffer.data(), buffer.size());
        const std::lock_guard lock(mutex_);
        if (count > 0) output_.append(buffer.data(), static_cast<std::size_t>(count));
        if (count <= 0) ended_ = true;
        changed_.notify_all();
        if (ended_) break;
    }
    close(descriptor);
}

bool WorkerProcess::blocking_await_line(std::string_view text) {
    std::unique_lock lock(mutex_);
    const auto written = [&] { return output_.find(text) != std::string::npos; };
    changed_.wait_for(lock, std::chrono::seconds(60), [&] { return ended_ || written(); });
    return written();
}

std::string WorkerProcess::output() const {
    const std::lock_guard lock(mutex_);
    return output_;
}

}  // namespace evalfleet::worker
