#include "common/files/file.hpp"
#include "tests/support/fleet.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

/// Long work of some runs must not stop what others wait for. What takes long is made to stand
/// still: a file that it reads is a pipe, which nobody can read until the test writes into it.
namespace evalfleet {
namespace {

namespace fs = std::filesystem;
using testing::Fleet;

/// A file that keeps who opens it waiting until it is let go.
class Barrier {
  public:
    explicit Barrier(fs::path file) : file_(std::move(file)) {
        fs::rename(file_, kept());
        if (::mkfifo(file_.c_str(), 0600) != 0) throw std::runtime_error("no pipe");
    }
    Barrier(const Barrier&) = delete;
    Barrier& operator=(const Barrier&) = delete;
    ~Barrier() { release(); }

    /// Who waits finds it empty, who comes later as it was.
    void release() {
        if (std::exchange(is_released_, true)) return;
        const fs::path pipe = file_.string() + ".pipe";
        fs::rename(file_, pipe);
        fs::rename(kept(), file_);
        const int writer = ::open(pipe.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
        if (writer >= 0) ::close(writer);
        fs::remove(pipe);
    }

  private:
    [[nodiscard]] fs::path kept() const { return file_.string() + ".kept"; }

    fs::path file_;
    bool is_released_ = false;
};

std::string submit(Fleet& fleet, const std::string& name, int repeats) {
    const auto answer =
        fleet.ask("POST", "/api/v1/runs",
                  R"({"version":1,"name":")" + name + R"(","dataset":{"path":")" +
                      Fleet::dataset() + R"("},"repeats":)" + std::to_string(repeats) +
                      R"(,"model":{"provider":"sim","name":"m","version":"1"},)"
                      R"("judge":{"provider":"sim","name":"j","version":"1"}})");
    EXPECT_EQ(answer.status, 201) << answer.body;
    const auto at = answer.body.find("\"run_ids\":[\"") + 12;
    return answer.body.substr(at, answer.body.find('"', at) - at);
}

bool await_state(Fleet& fleet, const std::string& id, const std::string& state) {
    fleet.watch(id);
    return fleet.await([&](const auto& now) { return now.state == state; }, 90);
}

// Results are brought home, and it is paused and resumed, whatever others do.
void expect_goes_on(Fleet& fleet, const std::string& id) {
    fleet.watch(id);
    for (int i = 0; i < 3; ++i) {
        const auto before = fleet.progress().value().done;
        EXPECT_TRUE(fleet.await_done(before + 30)) << fleet.coordinator_log();
        EXPECT_TRUE(fleet.steer("pause"));
        EXPECT_EQ(fleet.progress()->state, "paused");
        EXPECT_TRUE(fleet.steer("resume"));
        EXPECT_EQ(fleet.progress()->state, "running");
    }
}

constexpr int kEndless = 2000;  // repeats: more than are done before it is cancelled

TEST(CoordinatorThreads, RunsThatAreFinishingDoNotStopOthers) {
    Fleet fleet({.workers = 0});
    const std::string busy = submit(fleet, "busy", kEndless);
    std::vector<std::string> held;
    std::vector<std::unique_ptr<Barrier>> barriers;
    // More than there are threads for long work.
    for (int i = 0; i < 5; ++i) {
        held.push_back(submit(fleet, "held", 1));
        ASSERT_TRUE(await_state(fleet, held.back(), "running"));
        // Read at the end, to compare the data set with it.
        barriers.push_back(
            std::make_unique<Barrier>(fleet.run_folder() / "work" / "dataset.jsonl.sha256"));
    }
    ASSERT_TRUE(await_state(fleet, busy, "running"));
    fleet.add_worker();
    for (const std::string& id : held)
        ASSERT_TRUE(await_state(fleet, id, "finishing")) << fleet.coordinator_log();
    expect_goes_on(fleet, busy);
    const std::string waiting = submit(fleet, "waiting", 1);
    fleet.watch(waiting);
    EXPECT_TRUE(fleet.steer("cancel")) << "it is not even open";
    barriers.clear();
    for (const std::string& id : held)
        EXPECT_TRUE(await_state(fleet, id, "done")) << fleet.coordinator_log();
    EXPECT_TRUE(await_state(fleet, waiting, "cancelled")) << fleet.coordinator_log();
    fleet.watch(busy);
    EXPECT_TRUE(fleet.steer("cancel"));
    EXPECT_TRUE(await_state(fleet, busy, "cancelled")) << fleet.coordinator_log();
}

TEST(CoordinatorThreads, RunsThatAreOpenedAtTheStartDoNotStopOthers) {
    Fleet fleet({.workers = 0});
    std::vector<std::string> held;
    std::vector<fs::path> files;
    for (int i = 0; i < 2; ++i) {
        held.push_back(submit(fleet, "held", 1));
        ASSERT_TRUE(await_state(fleet, held.back(), "running"));
        files.push_back(fleet.run_folder() / "work" / "trials.log.epoch");
    }
    const std::string busy = submit(fleet, "busy", kEndless);
    ASSERT_TRUE(await_state(fleet, busy, "running"));
    fleet.add_worker();
    std::vector<std::unique_ptr<Barrier>> barriers;
    fleet.kill_coordinator([&] {
        for (const fs::path& file : files)
            barriers.push_back(std::make_unique<Barrier>(file));
    });
    expect_goes_on(fleet, busy);
    for (const std::string& id : held) {
        fleet.watch(id);
        EXPECT_TRUE(fleet.steer("cancel")) << "while its log is read";
    }
    barriers.clear();
    for (const std::string& id : held)
        EXPECT_TRUE(await_state(fleet, id, "cancelled")) << fleet.coordinator_log();
}

TEST(CoordinatorThreads, ReportsThatTakeLongStopNobody) {
    Fleet fleet({.workers = 1});
    const std::string over = submit(fleet, "over", 1);
    ASSERT_TRUE(await_state(fleet, over, "done"));
    Barrier barrier(fleet.run_folder() / "records.jsonl");
    std::vector<std::jthread> readers;
    for (int i = 0; i < 5; ++i)
        readers.emplace_back([&] { fleet.ask("GET", "/api/v1/runs/" + over + "/report.txt"); });
    const std::string busy = submit(fleet, "busy", kEndless);
    ASSERT_TRUE(await_state(fleet, busy, "running"));
    expect_goes_on(fleet, busy);
    EXPECT_NE(submit(fleet, "another", 1), busy);
    barrier.release();
    for (std::jthread& reader : readers)
        reader.join();
}

}  // namespace
}  // namespace evalfleet
