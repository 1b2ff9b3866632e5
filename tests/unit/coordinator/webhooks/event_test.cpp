#include "coordinator/webhooks/event.hpp"

#include "common/json/document.hpp"
#include "coordinator/webhooks/signature.hpp"
#include "coordinator/webhooks/webhooks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::webhooks {
namespace {

using runs::RunPhase;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::chrono::system_clock::time_point kAt{std::chrono::seconds(1'800'000'000)};

catalog::RunFacts done_run() {
    catalog::RunFacts run;
    run.run_id = "20261116-020000-3f9a2c-nightly";
    run.name = "nightly";
    run.model = "main/m@1";
    run.phase = RunPhase::done;
    run.total = 30;
    run.run_labels = {{"branch", "main"}};
    run.outcome = catalog::RunOutcome{.done = 30, .passed = 24};
    run.outcome->gates = {{{0.9, 0.8, 0.95, 0.8, true},
                           {0.8, 0.7, 0.9, 0.85, false},
                           {0.01, 0.0, 0.1, 0.05, true},
                           {900.0, 800.0, 950.0, 10'000, true}}};
    return run;
}

std::vector<EventKind> kinds_of(const catalog::RunFacts& run,
                                const std::optional<job::BaselineVerdict>& baseline = {}) {
    std::vector<EventKind> kinds;
    for (const Event& event : events_of(run, baseline, kAt))
        kinds.push_back(event.kind);
    return kinds;
}

TEST(Events, TellOfEndGateAndRegressionEachByItself) {
    EXPECT_THAT(kinds_of(done_run()), ElementsAre(EventKind::run_ended, EventKind::gate_failed));
    const job::BaselineVerdict worse{false, "significantly worse than the baseline main (r-1)"};
    EXPECT_THAT(kinds_of(done_run(), worse),
                ElementsAre(EventKind::run_ended, EventKind::gate_failed, EventKind::regression));
    const job::BaselineVerdict unknown{false, "not known", false};
    catalog::RunFacts good = done_run();
    good.outcome->gates[1].passed = true;
    EXPECT_THAT(kinds_of(good, unknown), ElementsAre(EventKind::run_ended));
}

TEST(Events, TellOfAPauseAndNothingOfARunThatGoesOn) {
    catalog::RunFacts run = done_run();
    run.outcome.reset();
    run.phase = RunPhase::paused;
    EXPECT_THAT(kinds_of(run), ElementsAre(EventKind::run_paused));
    run.phase = RunPhase::running;
    EXPECT_THAT(kinds_of(run), IsEmpty());
    run.phase = RunPhase::failed;
    EXPECT_THAT(kinds_of(run), ElementsAre(EventKind::run_ended));
    run.phase = RunPhase::cancelled;
    EXPECT_THAT(kinds_of(run), ElementsAre(EventKind::run_ended));
}

TEST(Events, HaveTheSameIdHoweverOftenTheyAreFound) {
    const auto first = events_of(done_run(), {}, kAt);
    const auto again = events_of(done_run(), {}, kAt);
    EXPECT_EQ(first[0].id, again[0].id);
    EXPECT_NE(first[0].id, first[1].id);
    EXPECT_EQ(first[0].id.size(), 32U);
    EXPECT_NE(events_of(done_run(), {}, kAt + std::chrono::seconds(1))[0].id, first[0].id)
        << "a run that is paused again is another event";
}

TEST(EventBody, SaysInJsonWhatHappenedToWhichRun) {
    const Event event = events_of(done_run(), {}, kAt).at(1);
    const auto document = json::Document::parse(json_body(event, "https://evalfleet.example.com"));
    const json::Value root = document->root();
    EXPECT_EQ(root.get<std::string>("id").value(), event.id);
    EXPECT_EQ(root.get<std::string>("event").value(), "gate.failed");
    EXPECT_EQ(root.get<std::string>("at").value(), "2027-01-15T08:00:00.000Z");
    EXPECT_EQ(root.get<std::string>("link").value(),
              "https://evalfleet.example.com/runs/20261116-020000-3f9a2c-nightly");
    const json::Value run = root.find("run").value();
    EXPECT_EQ(run.get<std::string>("verdict").value(), "not_ready");
    EXPECT_EQ(run.get<std::uint64_t>("passed").value(), 24U);
    EXPECT_EQ(run.find("run_labels")->get<std::string>("branch").value(), "main");
    const auto gates = root.get<json::Array>("gates").value();
    ASSERT_EQ(gates.size(), 4U);
    EXPECT_EQ((*gates.begin()).get<bool>("passed").value(), true);
    EXPECT_THAT(json_body(event, ""), HasSubstr("\"link\":null"));
}

TEST(EventBody, IsForSlackATextInWhichNothingSteers) {
    catalog::RunFacts run = done_run();
    run.name = "<!channel> & more";
    const std::string text = slack_body(events_of(run, {}, kAt).at(1), "https://e.example.com");
    EXPECT_THAT(text, HasSubstr("*&lt;!channel&gt; &amp; more* (main/m@1): a gate failed: "
                                "pass_rate 0.8 (at least 0.85)"));
    EXPECT_THAT(text, Not(HasSubstr("<!channel>")));
    EXPECT_THAT(text, HasSubstr("<https://e.example.com/runs/20261116-020000-3f9a2c-nightly|"));
    const std::string ended = slack_body(events_of(run, {}, kAt).at(0), "");
    EXPECT_THAT(ended, HasSubstr("not ready, 24 of 30 trials passed"));
}

// By an independent implementation: printf '17.{}' | openssl dgst -sha256 -hmac key
TEST(Signature, IsTheHmacOfTimestampAndBody) {
    EXPECT_EQ(sign("key", 17, "{}"),
              "sha256=e66392eac42eafc68c35a01c712811e016386c12456975fc3af80c9268568e3a");
    EXPECT_NE(sign("key", 18, "{}"), sign("key", 17, "{}"));
    EXPECT_NE(sign("other", 17, "{}"), sign("key", 17, "{}"));
}

TEST(WebhookDelay, DoublesUpToTenMinutes) {
    using std::chrono::seconds;
    EXPECT_EQ(delay_after(0), seconds(0));
    EXPECT_EQ(delay_after(1), seconds(1));
    EXPECT_EQ(delay_after(4), seconds(8));
    EXPECT_EQ(delay_after(10), seconds(512));
    EXPECT_EQ(delay_after(11), seconds(600));
    EXPECT_EQ(delay_after(1'000'000), seconds(600));
}

}  // namespace
}  // namespace evalfleet::webhooks
