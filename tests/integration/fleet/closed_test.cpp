#include "common/files/atomic_file.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

namespace evalfleet {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kKey = "sk-of-the-team-0123456789abcdef";

std::string content_of(const fs::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

template <class Condition>
bool eventually(Condition condition) {
    for (int i = 0; i < 3000; ++i) {
        if (condition()) return true;
        ::usleep(20'000);
    }
    return false;
}

/// The status line of the answer; empty if there is none.
std::string ask(std::uint16_t port, const std::string& request, const std::string& token = "") {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    std::string answer;
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
        const std::string authorization =
            token.empty() ? "" : "Authorization: Bearer " + token + "\r\n";
        const std::string text = request + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n" +
                                 authorization + "\r\n";
        (void)!::write(socket, text.data(), text.size());
        char buffer[256];
        const ssize_t size = ::read(socket, buffer, sizeof buffer);
        answer.assign(buffer, size > 0 ? static_cast<std::size_t>(size) : 0);
    }
    ::close(socket);
    return answer.substr(0, answer.find('\r'));
}

/// Does something as another user of this machine and hands back what that said. Only root can; who
/// is not plays a stranger who lacks the token.
constexpr uid_t kNobody = 65534;
bool can_be_another_user() {
    return ::geteuid() == 0;
}
std::string as_stranger(const std::function<std::string()>& what) {
    int channel[2] = {};
    if (::pipe(channel) != 0) throw std::runtime_error("no pipe");
    const pid_t pid = ::fork();
    if (pid == 0) {
        const bool is_ready =
            !can_be_another_user() ||
            (::setgroups(0, nullptr) == 0 && ::setgid(kNobody) == 0 && ::setuid(kNobody) == 0);
        const std::string said = is_ready ? what() : "cannot become another user";
        (void)!::write(channel[1], said.data(), said.size());
        ::_exit(0);
    }
    ::close(channel[1]);
    std::string said;
    char buffer[4096];
    for (ssize_t size = 0; (size = ::read(channel[0], buffer, sizeof buffer)) > 0;)
        said.append(buffer, static_cast<std::size_t>(size));
    ::close(channel[0]);
    ::waitpid(pid, nullptr, 0);
    return said;
}

/// The processes that one has started, by what they run.
std::map<std::string, pid_t> children_of(pid_t parent) {
    std::map<std::string, pid_t> children;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        const std::string pid = entry.path().filename().string();
        if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
        const std::string stat = content_of(entry.path() / "stat");
        const auto close = stat.rfind(')');
        if (close == std::string::npos) continue;
        std::istringstream rest(stat.substr(close + 1));
        std::string state;
        pid_t parent_of = 0;
        rest >> state >> parent_of;
        const std::string line = content_of(entry.path() / "cmdline");
        const fs::path program = line.substr(0, line.find('\0'));
        if (parent_of == parent) children[program.filename().string()] = std::stoi(pid);
    }
    return children;
}

/// What follows `flag` among lines of arguments.
std::string argument_after(const fs::path& file, const std::string& flag) {
    std::ifstream lines(file);
    std::string line;
    while (std::getline(lines, line) && line != flag) {
    }
    std::getline(lines, line);
    return line;
}

/// A run that is under way, of a user who minds his umask as little as most do.
class ClosedRun : public ::testing::Test {
  protected:
    ClosedRun() {
        fs::permissions(home_.path(), fs::perms(0755));  // strangers can look that far
        simulator_.emplace(
            std::vector<std::string>{kEvalfleet, "simulate", "--port", "0", "--port-file",
                                     (home_ / "simulator.port").string(), "--latency-ms", "300"},
            home_ / "simulator.log");
        EXPECT_TRUE(eventually([&] { return !content_of(home_ / "simulator.port").empty(); }));
        std::ofstream data(home_ / "data.jsonl");
        for (int i = 0; i < 40; ++i)
            data << "{\"task\": \"question " << i << "\"}\n";
        std::ofstream(home_ / "run.yaml")
            << "version: 1\nname: closed\ndataset: {path: data.jsonl}\n"
               "model: {provider: p, name: m, version: '1'}\n"
               "judge: {provider: p, name: j, version: '1'}\n"
               "providers: {p: {type: openai, base_url: 'http://127.0.0.1:"
            << std::stoi(content_of(home_ / "simulator.port"))
            << "/v1', api_key_env: EVALFLEET_TEAM_KEY}}\n";
    }

    /// redis-server writes over its own environment and arguments: who starts it notes them first.
    void note_how_redis_is_started() const {
        fs::create_directories(home_ / "bin");
        std::ofstream(home_ / "bin/redis-server")
            << "#!/bin/sh\nenv > '" << (home_ / "redis.env").string() << "'\n"
            << "printf '%s\\n' \"$@\" > '" << (home_ / "redis.args").string() << "'\n"
            << "PATH=${PATH#*:}\nexec redis-server \"$@\"\n";
        fs::permissions(home_ / "bin/redis-server", fs::perms(0755));
    }

    void start() {
        note_how_redis_is_started();
        const std::string path = std::getenv("PATH");
        ::setenv("PATH", ((home_ / "bin").string() + ":" + path).c_str(), 1);
        ::setenv("EVALFLEET_TEAM_KEY", kKey.c_str(), 1);
        ::setenv("SOME_OTHER_SECRET", kKey.c_str(), 1);
        run_.emplace(
            std::vector<std::string>{kEvalfleet, "run", (home_ / "run.yaml").string(), "--out",
                                     out().string(), "--workers", "1", "--concurrency", "1"},
            home_ / "run.log");
        ::unsetenv("EVALFLEET_TEAM_KEY");
        ::unsetenv("SOME_OTHER_SECRET");
        ::setenv("PATH", path.c_str(), 1);
        ASSERT_TRUE(eventually([&] { return !content_of(fleet() / "coordinator.port").empty(); }))
            << run_->output();
        port_ = static_cast<std::uint16_t>(std::stoi(content_of(fleet() / "coordinator.port")));
        const auto is_ready = [&] {
            return ask(port_, "GET /readyz").rfind("HTTP/1.1 200", 0) == 0;
        };
        ASSERT_TRUE(eventually(is_ready)) << "it reads its store first";
        // It has been handed in, and is being worked on.
        ASSERT_TRUE(eventually([&] { return fs::exists(fleet() / "store" / "runs"); }));
        ASSERT_TRUE(eventually([&] { return children_of(run_->pid()).size() >= 3; }));
    }

    [[nodiscard]] fs::path out() const { return home_ / "out"; }
    [[nodiscard]] fs::path fleet() const { return out() / ".fleet"; }

    const std::string kEvalfleet = EVALFLEET_BIN_DIR "/evalfleet";
    testing::TemporaryFolder home_;
    std::optional<testing::Process> simulator_;
    std::optional<testing::Process> run_;
    std::uint16_t port_ = 0;
};

/// Nothing if a folder vanished meanwhile: temporary ones come and go.
std::vector<fs::directory_entry> list(const fs::path& folder) {
    std::vector<fs::directory_entry> entries{fs::directory_entry(folder)};
    std::error_code vanished;
    for (auto entry = fs::recursive_directory_iterator(folder, vanished);
         entry != fs::recursive_directory_iterator(); entry.increment(vanished))
        entries.push_back(*entry);
    return vanished ? std::vector<fs::directory_entry>() : entries;
}

/// `least`: so many entries there are, the folder included.
void expect_private(const fs::path& folder, std::size_t least = 6) {
    std::vector<fs::directory_entry> entries;
    ASSERT_TRUE(eventually([&] { return (entries = list(folder)).size() >= least; }));
    for (const auto& entry : entries) {
        std::error_code gone;
        const auto status = entry.symlink_status(gone);
        if (gone || !fs::exists(status)) continue;
        const auto open = status.permissions() & (fs::perms::group_all | fs::perms::others_all);
        EXPECT_EQ(open, fs::perms::none) << entry.path();
    }
}

TEST_F(ClosedRun, AnswersNobodyWithoutItsToken) {
    start();
    for (const char* request : {"GET /api/v1/runs", "GET /api/v1/workers", "GET /metrics",
                                "POST /api/v1/runs", "POST /api/v1/runs/closed/cancel",
                                "DELETE /api/v1/runs/closed", "PUT /api/v1/datasets/d"}) {
        EXPECT_THAT(as_stranger([&] { return ask(port_, request); }), StartsWith("HTTP/1.1 401"))
            << request;
        EXPECT_THAT(as_stranger([&] { return ask(port_, request, "guessed"); }),
                    StartsWith("HTTP/1.1 401"))
            << request;
    }
    EXPECT_THAT(ask(port_, "GET /api/v1/runs", content_of(fleet() / "token")),
                StartsWith("HTTP/1.1 200"))
        << "its owner may look";
}

TEST_F(ClosedRun, LetsNoOtherUserReadItsFilesOrItsRedis) {
    start();
    expect_private(out());
    const std::string socket = argument_after(home_ / "redis.args", "--unixsocket");
    ASSERT_FALSE(socket.empty());
    EXPECT_EQ(argument_after(home_ / "redis.args", "--port"), "0") << "it listens nowhere else";
    expect_private(fs::path(socket).parent_path(), 2);
    if (!can_be_another_user()) return;
    const auto connect = [&]() -> std::string {
        const int handle = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        socket.copy(address.sun_path, sizeof address.sun_path - 1);
        const int code =
            ::connect(handle, reinterpret_cast<const sockaddr*>(&address), sizeof address);
        return code == 0 ? "connected" : std::to_string(errno);
    };
    EXPECT_EQ(connect(), "connected") << "there is nothing to keep out of";
    EXPECT_EQ(as_stranger(connect), std::to_string(EACCES));
    for (const char* file :
         {"token", "tokens.yaml", "session.json", "providers.yaml", "redis/appendonlydir"}) {
        EXPECT_EQ(::access((fleet() / file).c_str(), R_OK), 0) << file;
        EXPECT_EQ(as_stranger([&]() -> std::string {
                      return ::access((fleet() / file).c_str(), R_OK) == 0 ? "readable" : "no";
                  }),
                  "no")
            << file;
    }
}

TEST_F(ClosedRun, GivesTheKeysOfProvidersToWorkersOnly) {
    start();
    const auto variables_of = [](pid_t pid) {
        return content_of("/proc/" + std::to_string(pid) + "/environ");
    };
    auto children = children_of(run_->pid());
    EXPECT_THAT(content_of(home_ / "redis.env"), Not(HasSubstr(kKey)));
    EXPECT_THAT(content_of(home_ / "redis.env"), HasSubstr("PATH="));
    EXPECT_THAT(variables_of(children["evalfleet-coordinator"]), Not(HasSubstr(kKey)));
    EXPECT_THAT(variables_of(children["evalfleet-coordinator"]), HasSubstr("PATH="));
    EXPECT_THAT(variables_of(children["evalfleet-worker"]),
                HasSubstr("EVALFLEET_TEAM_KEY=" + kKey));
    const std::string token = content_of(fleet() / "token");
    for (const auto& [name, pid] : children)
        EXPECT_THAT(content_of("/proc/" + std::to_string(pid) + "/cmdline"), Not(HasSubstr(token)));
}

TEST_F(ClosedRun, LeavesAFolderForItsOwnerOnly) {
    start();
    const int code = run_->wait();
    EXPECT_TRUE(code == 0 || code == 1) << run_->output();
    EXPECT_TRUE(fs::exists(out() / "records.jsonl"));
    EXPECT_FALSE(fs::exists(fleet()));
    expect_private(out());
}

}  // namespace
}  // namespace evalfleet
