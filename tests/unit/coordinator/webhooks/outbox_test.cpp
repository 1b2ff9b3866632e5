#include "coordinator/webhooks/outbox.hpp"

#include "common/files/atomic_file.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::webhooks {
namespace {

using std::chrono::seconds;
using std::chrono::system_clock;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Event event_at(std::int64_t second) {
    Event event;
    event.at = system_clock::time_point(seconds(second));
    event.id = "0123abcd" + std::to_string(second);
    event.run.run_id = "r-" + std::to_string(second);
    return event;
}

TEST(Outbox, KeepsLettersInTheOrderOfTimeUntilTheyAreTaken) {
    const testing::TemporaryFolder store;
    const Outbox outbox(store.path());
    const Webhook ops{.name = "ops"};
    EXPECT_THAT(outbox.blocking_list("ops").value(), IsEmpty());
    ASSERT_TRUE(outbox.blocking_put(ops, event_at(1'800'000'007), ""));
    ASSERT_TRUE(outbox.blocking_put(ops, event_at(1'800'000'003), ""));
    ASSERT_TRUE(outbox.blocking_put(ops, event_at(1'800'000'003), "")) << "once more is no other";
    const Outbox opened_again(store.path());
    const auto letters = opened_again.blocking_list("ops").value();
    ASSERT_EQ(letters.size(), 2U);
    EXPECT_EQ(letters[0].id, "0123abcd1800000003");
    EXPECT_EQ(letters[0].event, "run.ended");
    EXPECT_EQ(letters[0].at, event_at(1'800'000'003).at);
    EXPECT_THAT(opened_again.blocking_read("ops", letters[0]).value(), HasSubstr("r-1800000003"));
    opened_again.blocking_remove("ops", letters[0]);
    EXPECT_EQ(opened_again.blocking_list("ops").value().size(), 1U);
}

TEST(Outbox, ForgetsWhatWaitsForAWebhookThatIsNoMore) {
    const testing::TemporaryFolder store;
    const Outbox outbox(store.path());
    ASSERT_TRUE(outbox.blocking_put({.name = "ops"}, event_at(1'800'000'000), ""));
    ASSERT_TRUE(outbox.blocking_put({.name = "old"}, event_at(1'800'000'000), ""));
    outbox.blocking_forget_others({{.name = "ops"}});
    EXPECT_EQ(outbox.blocking_list("ops").value().size(), 1U);
    EXPECT_THAT(outbox.blocking_list("old").value(), IsEmpty());
}

TEST(Outbox, RemembersWhenItBegan) {
    const testing::TemporaryFolder store;
    const auto begun = system_clock::time_point(seconds(1'800'000'000));
    EXPECT_EQ(Outbox(store.path()).blocking_begin(begun).value(), begun);
    EXPECT_EQ(Outbox(store.path()).blocking_begin(begun + seconds(9)).value(), begun);
}

TEST(Outbox, PassesByFilesThatAreNoLetters) {
    const testing::TemporaryFolder store;
    const Outbox outbox(store.path());
    ASSERT_TRUE(outbox.blocking_put({.name = "ops"}, event_at(1'800'000'000), ""));
    for (const char* name : {"README", "x-run.ended-1", "-5-run.ended-1"})
        ASSERT_TRUE(files::blocking_write_atomically(store / "webhooks" / "ops" / name, "x"));
    EXPECT_EQ(outbox.blocking_list("ops").value().size(), 1U);
}

}  // namespace
}  // namespace evalfleet::webhooks
