#include "worker/auth/program.hpp"

#include "common/async/deadline.hpp"
#include "common/files/file.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/write.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

namespace evalfleet::worker {

namespace asio = boost::asio;

namespace {

using Descriptor = asio::posix::stream_descriptor;

constexpr std::size_t kMaxErrorBytes = 8 * 1024;
constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);

Error cannot(const std::string& program, int code) {
    ErrorKind kind = ErrorKind::internal;
    if (code == ENOENT) kind = ErrorKind::not_found;
    if (code == EACCES || code == EPERM) kind = ErrorKind::denied;
    return {kind, "cannot run " + program + ": " + std::strerror(code)};
}

/// A pipe, one end of which is ours.
struct Pipe {
    files::File read;
    files::File write;

    static Result<Pipe> open() {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0)
            return Error{ErrorKind::internal, std::string("pipe: ") + std::strerror(errno)};
        return Pipe{files::File(ends[0], "pipe"), files::File(ends[1], "pipe")};
    }
};

/// Ours to talk through; the other file keeps its own descriptor.
Descriptor talk_through(const asio::any_io_executor& executor, const files::File& file) {
    return {executor, ::fcntl(file.descriptor(), F_DUPFD_CLOEXEC, 0)};
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (const std::string& text : texts)
        pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

std::vector<std::string> environment_for(const providers::ProgramConfig& program) {
    std::vector<std::string> names{"PATH", "HOME", "LANG", "TMPDIR"};
    names.insert(names.end(), program.env.begin(), program.env.end());
    std::vector<std::string> variables;
    for (const std::string& name : names) {
        const char* value = std::getenv(name.c_str());
        if (value != nullptr) variables.push_back(name + "=" + value);
    }
    return variables;
}

/// Kills what is left of the program's group, and takes the program's end.
class Process {
  public:
    explicit Process(pid_t pid) : pid_(pid) {}
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    ~Process() {
        if (pid_ == 0) return;
        kill();
        ::waitpid(pid_, nullptr, 0);
    }

    /// What is left of it is of no use any more.
    void kill() const {
        if (pid_ != 0) ::kill(-pid_, SIGKILL);
    }

    [[nodiscard]] asio::awaitable<int> ended() {
        const int handle = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
        Descriptor watched(co_await asio::this_coro::executor);
        if (handle >= 0) {
            watched.assign(handle);
            co_await watched.async_wait(Descriptor::wait_read, asio::use_awaitable);
        }
        int status = 0;
        ::waitpid(pid_, &status, 0);
        ::kill(-std::exchange(pid_, 0), SIGKILL);
        co_return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }

  private:
    pid_t pid_;
};

Result<pid_t> spawn(const providers::ProgramConfig& program, int in, int out, int err) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t all;
    sigfillset(&all);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    const std::vector<std::string> variables = environment_for(program);
    pid_t pid = 0;
    const int code =
        ::posix_spawnp(&pid, program.argv.front().c_str(), &actions, &attributes,
                       pointers_to(program.argv).data(), pointers_to(variables).data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (code != 0) return cannot(program.argv.front(), code);
    return pid;
}

/// A program and our ends of its pipes.
struct Conversation {
    Process process;
    Descriptor to;
    Descriptor from;
    Descriptor complaints;
    bool is_over = false;  // the program has ended
};

/// A program need not read its input: that it does not is no failure.
asio::awaitable<async::TimePoint> write_input(async::Clock& clock, Conversation& talk,
                                              std::string input) {
    co_await asio::async_write(talk.to, asio::buffer(input), kTuple);
    boost::system::error_code ignored;
    talk.to.close(ignored);
    co_return clock.now();
}

struct Printed {
    std::string text{};
    async::TimePoint first{};
    async::TimePoint last{};
    bool is_too_long = false;
};

/// Up to `max` bytes; what is `cut` goes on being read, and is dropped.
struct PrintedLimit {
    std::size_t max;
    bool cut;
};

/// False if that was too much.
bool take_piece(std::string_view piece, PrintedLimit limit, async::TimePoint now,
                Printed& printed) {
    printed.last = now;
    if (printed.text.empty()) printed.first = now;
    const std::size_t room = limit.max - printed.text.size();
    printed.text.append(piece.substr(0, room));
    printed.is_too_long = piece.size() > room && !limit.cut;
    return !printed.is_too_long;
}

/// What stands in the pipe of a program that has ended, and no more: what it left behind may hold
/// the pipe open, and write to it for ever.
void drain(Descriptor& pipe, PrintedLimit limit, async::TimePoint now, Printed& printed) {
    constexpr std::size_t kLargestPipe = 1024 * 1024;
    std::array<char, 16 * 1024> piece{};
    boost::system::error_code error;
    pipe.non_blocking(true, error);
    for (std::size_t sum = 0; !error && sum < kLargestPipe;) {
        const std::size_t size = pipe.read_some(asio::buffer(piece), error);
        if (error || !take_piece({piece.data(), size}, limit, now, printed)) return;
        sum += size;
    }
}

asio::awaitable<Printed> read_output(async::Clock& clock, Conversation& talk, Descriptor& pipe,
                                     PrintedLimit limit) {
    Printed printed;
    std::array<char, 16 * 1024> piece{};
    while (!talk.is_over) {
        const auto [error, size] = co_await pipe.async_read_some(asio::buffer(piece), kTuple);
        if (error) break;
        if (take_piece({piece.data(), size}, limit, clock.now(), printed)) continue;
        talk.process.kill();
        co_return printed;
    }
    if (talk.is_over) drain(pipe, limit, clock.now(), printed);
    co_return printed;
}

/// Nobody waits for what a program left behind, whether that holds its pipes or not.
asio::awaitable<int> await_end(Conversation& talk) {
    const int exit_code = co_await talk.process.ended();
    talk.is_over = true;
    boost::system::error_code ignored;
    talk.to.close(ignored);
    talk.from.cancel(ignored);
    talk.complaints.cancel(ignored);
    co_return exit_code;
}

asio::awaitable<Result<ProgramOutput>> talk(async::Clock& clock, providers::ProgramConfig program,
                                            std::string input, std::size_t max_bytes) {
    const auto executor = co_await asio::this_coro::executor;
    auto in = Pipe::open();
    auto out = Pipe::open();
    auto err = Pipe::open();
    if (!in || !out || !err) co_return (!in ? in : !out ? out : err).error();
    ProgramOutput output;
    output.timings.dispatched = clock.now();
    const auto pid =
        spawn(program, in->read.descriptor(), out->write.descriptor(), err->write.descriptor());
    if (!pid) co_return pid.error();
    Conversation open{Process(*pid), talk_through(executor, in->write),
                      talk_through(executor, out->read), talk_through(executor, err->read)};
    output.timings.connected = clock.now();
    for (Pipe* pipe : {&*in, &*out, &*err})
        *pipe = Pipe{};  // the program has ends of its own
    auto [order, write_failure, written, read_failure, printed, error_failure, said, end_failure,
          exit_code] =
        co_await asio::experimental::make_parallel_group(
            asio::co_spawn(executor, write_input(clock, open, std::move(input)), asio::deferred),
            asio::co_spawn(executor, read_output(clock, open, open.from, {max_bytes, false}),
                           asio::deferred),
            asio::co_spawn(executor,
                           read_output(clock, open, open.complaints, {kMaxErrorBytes, true}),
                           asio::deferred),
            asio::co_spawn(executor, await_end(open), asio::deferred))
            .async_wait(asio::experimental::wait_for_all(), asio::use_awaitable);
    for (const auto& failure : {write_failure, read_failure, error_failure, end_failure}) {
        if (failure) std::rethrow_exception(failure);
    }
    if (printed.is_too_long)
        co_return Error{ErrorKind::too_large, fmt::format("{} printed more than {} bytes",
                                                          program.argv.front(), max_bytes)};
    const async::TimePoint end = clock.now();
    output.exit_code = exit_code;
    output.out = std::move(printed.text);
    output.err = std::move(said.text);
    output.timings.request_written = written;
    output.timings.first_byte = output.out.empty() ? end : printed.first;
    output.timings.last_byte = output.out.empty() ? end : printed.last;
    co_return output;
}

}  // namespace

asio::awaitable<Result<ProgramOutput>> run_program(async::Clock& clock,
                                                   providers::ProgramConfig program,
                                                   std::string input, ProgramLimits limits) {
    const std::string name = program.argv.front();
    auto output = co_await async::with_deadline(
        clock, limits.deadline,
        talk(clock, std::move(program), std::move(input), limits.max_output_bytes));
    if (!output && output.error().kind == ErrorKind::timeout)
        co_return Error{ErrorKind::timeout, name + " did not end in time"};
    co_return output;
}

}  // namespace evalfleet::worker
