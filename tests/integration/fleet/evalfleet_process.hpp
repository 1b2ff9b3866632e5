#pragma once

#include "common/files/atomic_file.hpp"
#include "common/files/file.hpp"
#include "common/job/trial_record_json.hpp"
#include "common/json/document.hpp"
#include "tests/support/temporary_folder.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>

extern char** environ;

/// For tests that run `evalfleet` as users do.
namespace evalfleet::testing {

namespace fs = std::filesystem;

inline const std::string kEvalfleet = EVALFLEET_BIN_DIR "/evalfleet";
inline const std::string kDemo = EVALFLEET_TEST_DATA_DIR "/../docs/examples/demo.yaml";

// A program whose output goes to files of the test's folder.
class Process {
  public:
    Process(const fs::path& folder, std::vector<std::string> arguments)
        : out_(folder / "stdout"), err_(folder / "stderr") {
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC;
        posix_spawn_file_actions_addopen(&actions, 1, out_.c_str(), kFlags, 0644);
        posix_spawn_file_actions_addopen(&actions, 2, err_.c_str(), kFlags, 0644);
        std::vector<char*> argv{const_cast<char*>(kEvalfleet.c_str())};
        for (std::string& argument : arguments)
            argv.push_back(argument.data());
        argv.push_back(nullptr);
        if (posix_spawn(&pid_, kEvalfleet.c_str(), &actions, nullptr, argv.data(), environ) != 0)
            throw std::runtime_error("cannot start " + kEvalfleet);
        posix_spawn_file_actions_destroy(&actions);
    }

    int wait() {
        int status = 0;
        waitpid(pid_, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }

    void signal(int number) const { kill(pid_, number); }
    [[nodiscard]] pid_t pid() const { return pid_; }
    [[nodiscard]] std::string out() const {
        return files::blocking_read_file(out_, 1 << 24).value();
    }
    [[nodiscard]] std::string err() const {
        return files::blocking_read_file(err_, 1 << 24).value();
    }

  private:
    fs::path out_;
    fs::path err_;
    pid_t pid_ = 0;
};

inline int run(const TemporaryFolder& folder, std::vector<std::string> arguments) {
    return Process(folder.path(), std::move(arguments)).wait();
}

// How often each trial is in a run's records.
inline std::map<std::pair<std::int64_t, std::int64_t>, int> count_trials(const fs::path& records) {
    std::map<std::pair<std::int64_t, std::int64_t>, int> counts;
    std::ifstream file(records);
    json::Parser parser;
    for (std::string line; std::getline(file, line);) {
        const auto record = parser.parse(line).value();
        ++counts[{record.get<std::int64_t>("sample_index").value(),
                  record.get<std::int64_t>("repeat").value()}];
    }
    return counts;
}

inline void expect_every_trial_once(const fs::path& folder, std::size_t samples,
                                    std::int64_t repeats) {
    const auto counts = count_trials(folder / "records.jsonl");
    EXPECT_EQ(counts.size(), samples * static_cast<std::size_t>(repeats));
    for (const auto& [trial, count] : counts)
        EXPECT_EQ(count, 1) << trial.first;
}

// A file of /proc; empty if its process has ended, be it in the middle of our reading.
inline std::string read_of_process(const fs::path& file) {
    const files::File handle(::open(file.c_str(), O_RDONLY | O_CLOEXEC), file);
    std::string content(4096, '\0');
    const ssize_t size = ::read(handle.descriptor(), content.data(), content.size());
    content.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return content;
}

// The children of a process, by what they run.
inline std::set<pid_t> children_named(pid_t parent, const std::string& program) {
    std::set<pid_t> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        const std::string name = entry.path().filename().string();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        const std::string content = read_of_process(entry.path() / "stat");
        const auto close = content.rfind(')');
        if (close == std::string::npos) continue;
        std::istringstream rest(content.substr(close + 1));
        std::string state;
        pid_t parent_of = 0;
        rest >> state >> parent_of;
        const std::string line = read_of_process(entry.path() / "cmdline");
        if (parent_of == parent && state != "Z" && line.find(program) != std::string::npos)
            found.insert(static_cast<pid_t>(std::stol(name)));
    }
    return found;
}

inline std::size_t count_of(const std::string& needle, const std::string& text) {
    std::size_t count = 0;
    for (auto at = text.find(needle); at != std::string::npos; at = text.find(needle, at + 1))
        ++count;
    return count;
}

// Waits for a condition that other processes bring about.
template <class Condition>
inline bool eventually(Condition condition) {
    for (int i = 0; i < 3000; ++i) {
        if (condition()) return true;
        usleep(20'000);
    }
    return false;
}

inline std::map<std::pair<std::string, std::int64_t>, job::TrialRecord> read_records(
    const fs::path& folder) {
    std::map<std::pair<std::string, std::int64_t>, job::TrialRecord> records;
    std::ifstream file(folder / "records.jsonl");
    json::Parser parser;
    for (std::string line; std::getline(file, line);) {
        auto record = job::read_trial_record(parser.parse(line).value()).value();
        records.emplace(std::pair(record.sample_id.value(), record.repeat), std::move(record));
    }
    return records;
}

}  // namespace evalfleet::testing
