#include "common/files/atomic_file.hpp"
#include "tests/integration/worker/fleet.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>

namespace evalfleet::worker {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Of no shape that would be taken for a key by itself.
const std::string kOldKey = "plain words of the old key";
const std::string kNewKey = "plain words of the new key";

/// Says the key of the call, in an answer or in an error by turns; so does the judge.
Action echo_key(const SeenCall& call) {
    if (call.model == "m" && call.number % 2 == 0) {
        return {.status = 400,
                .body = R"({"error": {"message": "bad key )" + call.api_key + "\"}}"};
    }
    return {.body = completion("Your key is " + call.api_key)};
}

/// The fleet's provider with its key in a file.
void keep_key_in_file(Fleet& fleet, const std::string& members = "") {
    files::blocking_write_atomically(fleet.folder() / "key", kOldKey).value();
    files::blocking_write_atomically(fleet.folder() / "providers.json",
                                     R"({"providers": {"main": {"type": "openai", "base_url": ")" +
                                         fleet.models().base_url() + R"(", "api_key_file": ")" +
                                         (fleet.folder() / "key").string() + "\"" + members + "}}}")
        .value();
}

bool was_called_with(Fleet& fleet, const std::string& key) {
    const auto calls = fleet.models().calls();
    return std::any_of(calls.begin(), calls.end(),
                       [&](const SeenCall& call) { return call.api_key == key; });
}

TEST(WorkerKeyRotation, LeavesNeitherKeyInARecordOrALog) {
    Fleet fleet(echo_key);
    keep_key_in_file(fleet);
    const auto worker = fleet.start_worker({"--log-level", "debug"});
    std::string seen;
    std::uint64_t index = 0;
    const auto run_trials = [&] {
        for (int i = 0; i < 4; ++i)
            fleet.enqueue(index++);
        for (int i = 0; i < 4; ++i)
            seen += fleet.blocking_next_result().value + "\n";
    };
    run_trials();
    EXPECT_TRUE(was_called_with(fleet, kOldKey));
    files::blocking_write_atomically(fleet.folder() / "key", kNewKey + "\n").value();
    // The file is looked at every few seconds, by the first trial that comes then.
    ASSERT_TRUE(blocking_eventually([&] {
        run_trials();
        return was_called_with(fleet, kNewKey);
    }));
    run_trials();
    // A payload that is no sample ends in a reason, which is stored and logged.
    for (const std::string& key : {kOldKey, kNewKey})
        fleet.enqueue(index++, R"({"task": "x", "messages": [{"role": ")" + key + R"("}]})");
    for (int i = 0; i < 2; ++i)
        seen += fleet.blocking_next_result().value + "\n";
    ASSERT_TRUE(worker->blocking_await_line("job failed"));
    worker->signal(SIGTERM);
    EXPECT_EQ(worker->blocking_await_exit(), 0);

    EXPECT_THAT(seen, HasSubstr("Your key is [REDACTED:secret]"));
    EXPECT_THAT(seen, HasSubstr("bad key [REDACTED:secret]"));
    for (const std::string& key : {kOldKey, kNewKey}) {
        EXPECT_THAT(seen, Not(HasSubstr(key)));
        EXPECT_THAT(worker->output(), Not(HasSubstr(key)));
    }
}

TEST(WorkerKeyRotation, ReadsTheFileAgainOnceBeforeARefusalCounts) {
    std::atomic<bool> is_rotated = false;
    Fleet fleet([&](const SeenCall& call) -> Action {
        const std::string& good = is_rotated ? kNewKey : kOldKey;
        if (call.api_key != good) return {.status = 401, .body = R"({"error": "bad key"})"};
        return {.body = call.model == "m" ? completion("Paris.") : completion(verdict())};
    });
    keep_key_in_file(fleet);
    const auto worker = fleet.start_worker();
    fleet.enqueue(0);
    EXPECT_EQ(fleet.blocking_next_record().attempts, 1);
    files::blocking_write_atomically(fleet.folder() / "key", kNewKey).value();
    is_rotated = true;
    fleet.enqueue(1);
    const job::TrialRecord rotated = fleet.blocking_next_record();
    EXPECT_EQ(rotated.answer, "Paris.") << rotated.error_message.value_or("");
    // That the old one was refused counts for nothing.
    EXPECT_EQ(rotated.attempts, 1);
    EXPECT_TRUE(rotated.failed_attempts.empty());
    EXPECT_EQ(rotated.http_status, 200);
    // A key that nobody changed is refused once, and that counts.
    files::blocking_write_atomically(fleet.folder() / "key", "wrong words for a key").value();
    fleet.enqueue(2);
    job::TrialRecord refused = fleet.blocking_next_record();
    if (!refused.http_status || *refused.http_status == 200) {
        ASSERT_TRUE(blocking_eventually([&] {
            fleet.enqueue(3);
            refused = fleet.blocking_next_record();
            return refused.http_status == 401;
        }));
    }
    EXPECT_EQ(refused.error_kind, job::CallError::http_4xx);
    EXPECT_EQ(refused.attempts, 1);
}

TEST(WorkerKeyRotation, SendsTheNewKeyWithACallThatWaitedForItsPermitMeanwhile) {
    std::filesystem::path key_file;
    Fleet fleet([&](const SeenCall& call) -> Action {
        if (call.api_key == kOldKey) {
            // Whatever waits for its permit now has not been sent.
            files::blocking_write_atomically(key_file, kNewKey).value();
            return {.status = 401, .body = R"({"error": "bad key"})"};
        }
        return {.body = call.model == "m" ? completion("Paris.") : completion(verdict())};
    });
    key_file = fleet.folder() / "key";
    keep_key_in_file(fleet, R"(, "max_concurrent": 1)");
    const auto worker = fleet.start_worker();
    constexpr std::uint64_t kTrials = 6;
    for (std::uint64_t i = 0; i < kTrials; ++i)
        fleet.enqueue(i);
    for (std::uint64_t i = 0; i < kTrials; ++i)
        EXPECT_EQ(fleet.blocking_next_record().answer, "Paris.");
    const auto calls = fleet.models().calls();
    EXPECT_EQ(std::count_if(calls.begin(), calls.end(),
                            [](const SeenCall& call) { return call.api_key == kOldKey; }),
              1);
}

}  // namespace
}  // namespace evalfleet::worker
