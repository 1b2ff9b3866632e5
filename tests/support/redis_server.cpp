#include "tests/support/redis_server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace evalfleet::testing {

namespace {

// "Ready..." for TCP, "The server is now ready..." for a unix socket.
constexpr std::string_view kReady = "eady to accept connections";
constexpr std::string_view kListening = "Server initialized";
constexpr int kStartAttempts = 5;
constexpr int kStartTimeoutMs = 60'000;

/// Free at this moment. Somebody else may take it before we do; then the start is tried again.
std::uint16_t find_free_port() {
    const int handle = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    const bool bound = ::bind(handle, generic, size) == 0;
    const bool named = bound && ::getsockname(handle, generic, &size) == 0;
    ::close(handle);
    if (!named) throw std::runtime_error("no free port on the loopback");
    return ntohs(address.sin_port);
}

/// Never returns. Between fork and exec only what is safe in a process of several threads.
[[noreturn]] void become_server(char* const* arguments, int log) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(log, STDOUT_FILENO);
    ::dup2(log, STDERR_FILENO);
    (void)::close_range(STDERR_FILENO + 1, ~0U, 0);
    ::execvp(arguments[0], arguments);
    ::_exit(127);
}

/// Reads the log until `mark` is in it. False if the server ended or the time is over.
bool read_log_until(int handle, std::string_view mark, std::string& log) {
    pollfd waiting{handle, POLLIN, 0};
    while (::poll(&waiting, 1, kStartTimeoutMs) > 0) {
        std::array<char, 4096> buffer;
        const ssize_t size = ::read(handle, buffer.data(), buffer.size());
        if (size <= 0) return false;
        log.append(buffer.data(), static_cast<std::size_t>(size));
        if (log.find(mark) != std::string::npos) return true;
    }
    return false;
}

}  // namespace

RedisServer::RedisServer(Options options) : options_(std::move(options)) {
    for (int attempt = 0; attempt < kStartAttempts; ++attempt) {
        if (options_.has_tcp) tcp_port_ = find_free_port();
        if (options_.tls) tls_port_ = find_free_port();
        if (start({}, kReady)) return;
        kill();
    }
    throw std::runtime_error("redis-server does not start: " + log_);
}

RedisServer::~RedisServer() {
    kill();
}

std::string RedisServer::url() const {
    return "unix://" + socket_path().string();
}

std::string RedisServer::tcp_url() const {
    return "redis://127.0.0.1:" + std::to_string(tcp_port_);
}

std::string RedisServer::tls_url() const {
    return "rediss://localhost:" + std::to_string(tls_port_);
}

void RedisServer::kill() {
    if (pid_ == 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
}

void RedisServer::restart(const std::vector<std::string>& more_arguments) {
    kill();
    if (!start(more_arguments, kReady))
        throw std::runtime_error("redis-server does not restart: " + log_);
}

void RedisServer::restart_and_let_load(const std::vector<std::string>& more_arguments) {
    kill();
    if (!start(more_arguments, kListening))
        throw std::runtime_error("redis-server does not restart: " + log_);
}

void RedisServer::step_clock(std::chrono::milliseconds step) {
    clock_step_ += step;
    write_clock_step();
}

// In place: the server has the file mapped.
void RedisServer::write_clock_step() const {
    const std::int64_t micros = clock_step_.count();
    const int file = ::open((folder_ / "clock-step").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const bool is_written = file >= 0 && ::pwrite(file, &micros, sizeof micros, 0) > 0;
    ::close(file);
    if (!is_written) throw std::runtime_error("cannot set the clock of redis-server");
}

void RedisServer::freeze() {
    ::kill(pid_, SIGSTOP);
}

void RedisServer::thaw() {
    ::kill(pid_, SIGCONT);
}

std::vector<std::string> RedisServer::command_line(
    const std::vector<std::string>& more_arguments) const {
    std::vector<std::string> line{"redis-server",
                                  "--port",
                                  std::to_string(tcp_port_),
                                  "--bind",
                                  "127.0.0.1",
                                  "--unixsocket",
                                  socket_path(),
                                  "--dir",
                                  folder_.path(),
                                  "--daemonize",
                                  "no",
                                  "--save",
                                  "",
                                  "--appendonly",
                                  "no",
                                  "--enable-debug-command",
                                  "local",
                                  "--logfile",
                                  ""};
    if (options_.has_stepping_clock) {
        line.insert(line.begin(), {"env", std::string("LD_PRELOAD=") + EVALFLEET_STEPPING_CLOCK,
                                   "EVALFLEET_CLOCK_STEP=" + (folder_ / "clock-step").string()});
    }
    if (options_.tls) {
        const Tls& tls = *options_.tls;
        line.insert(line.end(),
                    {"--tls-port", std::to_string(tls_port_), "--tls-ca-cert-file", tls.ca_file,
                     "--tls-cert-file", tls.cert_file, "--tls-key-file", tls.key_file,
                     "--tls-auth-clients", tls.asks_for_certificate ? "yes" : "no"});
    }
    line.insert(line.end(), options_.arguments.begin(), options_.arguments.end());
    line.insert(line.end(), more_arguments.begin(), more_arguments.end());
    return line;
}

bool RedisServer::start(const std::vector<std::string>& more_arguments, std::string_view mark) {
    if (options_.has_stepping_clock) write_clock_step();
    std::vector<std::string> line = command_line(more_arguments);
    std::vector<char*> arguments;
    for (std::string& argument : line)
        arguments.push_back(argument.data());
    arguments.push_back(nullptr);

    std::array<int, 2> log{};
    if (::pipe2(log.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe for redis-server");
    pid_ = ::fork();
    if (pid_ == 0) become_server(arguments.data(), log[1]);
    ::close(log[1]);
    if (pid_ < 0) {
        pid_ = 0;
        ::close(log[0]);
        throw std::runtime_error("cannot start a process for redis-server");
    }
    log_.clear();
    const bool is_up = read_log_until(log[0], mark, log_);
    // What it logs from here on is lost; redis-server does not mind.
    ::close(log[0]);
    return is_up;
}

}  // namespace evalfleet::testing
