#include "tests/support/process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>
#include <utility>

extern char** environ;

namespace evalfleet::testing {

namespace {

int exit_code(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Process::Process(std::vector<std::string> argv, std::filesystem::path log) : log_(std::move(log)) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, log_.c_str(), O_WRONLY | O_CREAT | O_APPEND,
                                     0644);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    // Not every socket of a test is marked to be closed; an heir would keep its connection open.
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    std::vector<char*> pointers;
    for (std::string& argument : argv)
        pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    const int failed =
        posix_spawnp(&pid_, pointers[0], &actions, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) throw std::runtime_error("cannot start " + argv.front());
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), log_(std::move(other.log_)) {}

Process& Process::operator=(Process&& other) noexcept {
    std::swap(pid_, other.pid_);
    std::swap(log_, other.log_);
    return *this;
}

Process::~Process() {
    kill();
}

void Process::signal(int number) const {
    if (pid_ != 0) ::kill(pid_, number);
}

int Process::wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = 0;
    return exit_code(status);
}

std::optional<int> Process::wait_for(std::chrono::milliseconds patience) {
    constexpr std::chrono::milliseconds kStep{10};
    const auto deadline = std::chrono::steady_clock::now() + patience;
    int status = 0;
    while (waitpid(pid_, &status, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() >= deadline) return std::nullopt;
        std::this_thread::sleep_for(kStep);
    }
    pid_ = 0;
    return exit_code(status);
}

void Process::kill() {
    if (pid_ == 0) return;
    ::kill(pid_, SIGKILL);
    wait();
}

std::string Process::output() const {
    std::ifstream file(log_);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace evalfleet::testing
