#include "common/files/atomic_file.hpp"
#include "common/job/trial_record_json.hpp"
#include "common/json/document.hpp"
#include "tests/integration/worker/fleet.hpp"

#include <gmock/gmock.h>

#include <csignal>
#include <filesystem>

namespace evalfleet::worker {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Action tell_address(const SeenCall& call) {
    return {.body = completion(call.model == "m" ? "Write to bob@example.org." : verdict())};
}

std::string write_key(const Fleet& fleet, std::filesystem::perms mode) {
    const auto path = fleet.folder() / "originals.key";
    files::blocking_write_atomically(path, std::string(32, 'k')).value();
    std::filesystem::permissions(path, mode);
    return path.string();
}

TEST(WorkerOriginals, AreNowhereInClear) {
    Fleet fleet(tell_address);
    const std::string key = write_key(fleet, std::filesystem::perms::owner_read);
    const auto worker = fleet.start_worker({"--keep-originals", key, "--log-level", "debug"});
    fleet.enqueue(0);
    const std::string text = fleet.blocking_next_result().value;
    const auto record = job::read_trial_record(json::Document::parse(text).value().root()).value();
    EXPECT_EQ(record.answer, "Write to [REDACTED:email].");
    ASSERT_TRUE(record.answer_original);
    EXPECT_THAT(text, Not(HasSubstr("bob@example.org")));
    worker->signal(SIGTERM);
    EXPECT_EQ(worker->blocking_await_exit(), 0);
    EXPECT_THAT(worker->output(), Not(HasSubstr("bob@example.org")));
    EXPECT_THAT(worker->output(), Not(HasSubstr(std::string(32, 'k'))));
}

TEST(WorkerOriginals, NeedAKeyThatOthersCannotRead) {
    Fleet fleet(tell_address);
    using std::filesystem::perms;
    const std::string key = write_key(fleet, perms::owner_read | perms::others_read);
    const auto worker = fleet.start_worker({"--keep-originals", key});
    EXPECT_EQ(worker->blocking_await_exit(), 2);
    EXPECT_THAT(worker->output(), HasSubstr("--keep-originals"));
    EXPECT_THAT(worker->output(), HasSubstr("no access for others"));
}

}  // namespace
}  // namespace evalfleet::worker
