#include "common/files/atomic_file.hpp"
#include "tests/integration/worker/fleet.hpp"

#include <gmock/gmock.h>

#include <csignal>

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
void keep_key_in_file(Fleet& fleet) {
    files::blocking_write_atomically(fleet.folder() / "key", kOldKey).value();
    files::blocking_write_atomically(fleet.folder() / "providers.json",
                                     R"({"providers": {"main": {"type": "openai", "base_url": ")" +
                                         fleet.models().base_url() + R"(", "api_key_file": ")" +
                                         (fleet.folder() / "key").string() + "\"}}}")
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

}  // namespace
}  // namespace evalfleet::worker
