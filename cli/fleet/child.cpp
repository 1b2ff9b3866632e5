#include "cli/fleet/child.hpp"

#include "common/files/file.hpp"

#include <boost/asio/use_awaitable.hpp>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <utility>

namespace evalfleet::fleet {

namespace asio = boost::asio;

namespace {

// Between fork and exec only what is safe there: no allocation, no lock.
[[noreturn]] void become(char* const* argv, char* const* environment, int log, pid_t parent,
                         int report) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);  // it died before the line above
    ::signal(SIGPIPE, SIG_DFL);
    const int null = ::open("/dev/null", O_RDONLY);
    ::dup2(null, STDIN_FILENO);
    ::dup2(log, STDOUT_FILENO);
    ::dup2(log, STDERR_FILENO);
    ::execvpe(argv[0], argv, environment);
    const int code = errno;
    (void)!::write(report, &code, sizeof code);
    ::_exit(127);
}

// As exec wants them, with a null at the end.
std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (const std::string& text : texts)
        pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

std::string describe_end(int status) {
    if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
    return "exit code " + std::to_string(WEXITSTATUS(status));
}

// What exec said: 0 if it worked, since the pipe closes with it.
int read_exec_error(int pipe) {
    int code = 0;
    const ssize_t got = ::read(pipe, &code, sizeof code);
    return got == static_cast<ssize_t>(sizeof code) ? code : 0;
}

}  // namespace

Result<Child> Child::start(const asio::any_io_executor& executor, const Program& program) {
    const files::File log(
        ::open(program.log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600),
        program.log_file);
    if (log.descriptor() < 0)
        return files::last_system_error("cannot open the log", program.log_file);
    int report[2] = {};
    if (::pipe2(report, O_CLOEXEC) != 0)
        return files::last_system_error("cannot start", program.name);
    const files::File read_end(report[0], "pipe");
    files::File write_end(report[1], "pipe");

    const std::vector<char*> argv = pointers_to(program.argv);
    const std::vector<char*> environment = pointers_to(program.environment);
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid < 0) return files::last_system_error("cannot start", program.name);
    if (pid == 0)
        become(argv.data(), environment.data(), log.descriptor(), parent, write_end.descriptor());

    write_end = files::File();
    if (const int code = read_exec_error(read_end.descriptor()); code != 0) {
        ::waitpid(pid, nullptr, 0);
        errno = code;
        return files::last_system_error("cannot run", program.argv.front());
    }
    const int handle = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    if (handle < 0) return files::last_system_error("cannot watch", program.name);
    return Child(asio::posix::stream_descriptor(executor, handle), pid);
}

Child::Child(asio::posix::stream_descriptor handle, pid_t pid) noexcept
    : handle_(std::move(handle)), pid_(pid) {}

Child::Child(Child&& other) noexcept
    : handle_(std::move(other.handle_)), pid_(std::exchange(other.pid_, 0)) {}

Child::~Child() {
    if (pid_ == 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
}

asio::awaitable<std::string> Child::ended() {
    co_await handle_.async_wait(asio::posix::stream_descriptor::wait_read, asio::use_awaitable);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = 0;
    co_return describe_end(status);
}

void Child::signal(int number) const noexcept {
    if (pid_ != 0) ::kill(pid_, number);
}

std::filesystem::path find_program(std::string_view name) {
    const char* path = std::getenv("PATH");
    std::string_view rest = path == nullptr ? "/usr/bin:/bin" : path;
    while (!rest.empty()) {
        const auto colon = rest.find(':');
        const std::filesystem::path candidate = std::filesystem::path(rest.substr(0, colon)) / name;
        if (::access(candidate.c_str(), X_OK) == 0) return candidate;
        rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
    }
    return {};
}

}  // namespace evalfleet::fleet
