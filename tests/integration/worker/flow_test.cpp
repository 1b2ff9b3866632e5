#include "common/json/document.hpp"
#include "tests/integration/worker/imposters.hpp"

#include <gmock/gmock.h>

/// Our own pacing must not show in what is measured, and nobody gets work that others can do and
/// he cannot.
namespace evalfleet::worker {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using testing::HttpImposter;
using ::testing::IsEmpty;

constexpr const char* kPatient = R"("limits": {"max_attempts": 1, "give_up_after_ms": 600000})";
constexpr milliseconds kService{300};

Action answer(const SeenCall& call) {
    return {.body = completion(call.model == "j" ? verdict() : "Because.")};
}

/// The sample that a call of the model is for.
std::string task_of(const SeenCall& call) {
    return call.prompt.substr(call.prompt.find('|') + 1);
}

void enqueue(Fleet& fleet, std::uint64_t index, const std::string& task) {
    fleet.enqueue(index, R"({"id": ")" + task + R"(", "task": ")" + task + R"("})");
}

/// What Redis counts of a limit key.
queue::LimitStats limit_of(Fleet& fleet, const std::string& key) {
    for (const queue::LimitStats& each : fleet.limits())
        if (each.key == key) return each;
    return {};
}

TEST(WorkerPermits, AWaitForOneIsNoPartOfTheCallThoughItIsLongerThanTheCallMayTake) {
    const auto script = [](const SeenCall& call) -> Action {
        Action action = answer(call);
        if (call.model == "m") action.delay = kService;
        return action;
    };
    Fleet fleet(script, R"("limits": {"timeout_ms": 1000})");
    fleet.write_provider(R"("max_concurrent": 1)");
    const auto worker = fleet.start_worker();
    constexpr std::uint64_t kTrials = 8;
    for (std::uint64_t i = 0; i < kTrials; ++i)
        fleet.enqueue(i);
    double longest_wait = 0;
    for (std::uint64_t i = 0; i < kTrials; ++i) {
        const job::TrialRecord record = fleet.blocking_next_record();
        EXPECT_EQ(record.answer, "Because.") << record.error_message.value_or("");
        EXPECT_FALSE(record.timed_out);
        EXPECT_GE(record.latency_e2e_ms.value(), kService.count());
        EXPECT_LT(record.latency_e2e_ms.value(), 1000);
        longest_wait = std::max(longest_wait, record.timing.permit_wait_ms.value());
    }
    EXPECT_GE(longest_wait, static_cast<double>((kTrials - 1) * kService.count()))
        << "it is told apart";
}

TEST(WorkerPermits, ACallThatHasBegunIsFinishedFirstAndItsWaitIsNoPartOfItEither) {
    // The first sample is refused while others wait for the only place; one of them has it when the
    // retry comes, for so long that the call's own time would be over.
    const auto script = [](const SeenCall& call) -> Action {
        if (call.model == "j") return answer(call);
        Action action = answer(call);
        action.delay = task_of(call) == "refused" ? milliseconds(400) : milliseconds(1'900);
        if (call.number == 1) action = {.status = 500, .body = "{}", .held = true};
        return action;
    };
    Fleet fleet(script, R"("limits": {"timeout_ms": 2000, "give_up_after_ms": 600000})");
    fleet.write_provider(R"("max_concurrent": 1)");
    const auto worker = fleet.start_worker();
    enqueue(fleet, 0, "refused");
    ASSERT_TRUE(fleet.models().blocking_await_calls("m", 1));
    for (std::uint64_t i = 1; i < 6; ++i)
        enqueue(fleet, i, "other");
    ASSERT_TRUE(blocking_eventually([&] { return limit_of(fleet, "main").unmet == 5; }));
    fleet.models().release_held();
    job::TrialRecord record = fleet.blocking_next_record();
    while (record.sample_id != "refused")
        record = fleet.blocking_next_record();
    EXPECT_EQ(record.answer, "Because.") << record.error_message.value_or("");
    EXPECT_EQ(record.attempts, 2);
    EXPECT_EQ(record.failed_attempts.at("http_5xx"), 1);
    EXPECT_FALSE(record.timed_out);
    EXPECT_GE(record.timing.permit_wait_ms.value(), 1'300)
        << "1900 but for its back-off of up to 500";
    std::vector<std::string> tasks;
    for (const SeenCall& call : fleet.models().calls())
        if (call.model == "m") tasks.push_back(task_of(call));
    ASSERT_GE(tasks.size(), 2U);
    const auto second = std::find(tasks.begin() + 1, tasks.end(), "refused");
    EXPECT_LE(second - tasks.begin(), 2) << "at most the call that took its place was before it";
}

Action throttle_judge(const SeenCall& call) {
    if (call.model == "j") return {.status = 429, .body = "{}", .headers = {{"retry-after", "30"}}};
    return answer(call);
}

TEST(WorkerLimits, AJudgeThatIsThrottledByItsOwnLimitsDoesNotStopTheModel) {
    Fleet fleet(throttle_judge, kPatient);
    fleet.write_provider(R"("models": {"j": {"limits": {"max_concurrent": 2}}})");
    const auto worker = fleet.start_worker();
    fleet.enqueue(0);
    ASSERT_TRUE(blocking_eventually(
        [&] { return limit_of(fleet, "main/j").paused > milliseconds(20'000); }));
    for (std::uint64_t i = 1; i < 6; ++i)
        fleet.enqueue(i);
    EXPECT_TRUE(fleet.models().blocking_await_calls("m", 6));
    EXPECT_EQ(fleet.models().count_calls("j"), 1U) << "the judge rests";
    EXPECT_EQ(limit_of(fleet, "main").paused, milliseconds(0));
    EXPECT_GT(limit_of(fleet, "main/j").paused, milliseconds(0));
}

TEST(WorkerLimits, AJudgeThatIsThrottledStopsTheModelWhereTheyShareTheLimit) {
    const auto script = [](const SeenCall& call) -> Action {
        if (call.model == "m" && call.number == 1) return answer(call);
        return throttle_judge(call);
    };
    Fleet fleet(script, kPatient);
    const auto worker = fleet.start_worker();
    fleet.enqueue(0);
    // The judge is asked again until most calls of the key are refused.
    ASSERT_TRUE(
        blocking_eventually([&] { return limit_of(fleet, "main").paused > milliseconds(20'000); }));
    const std::size_t calls = fleet.models().count_calls("m");
    fleet.enqueue(1);
    EXPECT_TRUE(blocking_eventually(
        [&] { return limit_of(fleet, "main").unmet > 0 || fleet.stats().leased == 2; }));
    EXPECT_EQ(fleet.models().count_calls("m"), calls);
}

TEST(WorkerProviders, AWorkerWithoutTheRunsProviderGetsNoneOfItsJobsAndAnotherDoesThemAll) {
    Fleet fleet(answer);
    fleet.write_provider("", "other.json", "other");
    const auto without = fleet.start_worker({"--name", "without"}, "other.json");
    constexpr std::uint64_t kTrials = 60;
    for (std::uint64_t i = 0; i < kTrials; ++i)
        fleet.enqueue(i);
    ASSERT_TRUE(blocking_eventually([&] { return fleet.workers().size() == 1; }));
    EXPECT_EQ(fleet.stats().leased, 0U);
    const auto with = fleet.start_worker({"--name", "with"});
    for (std::uint64_t i = 0; i < kTrials; ++i) {
        const queue::RunResult result = fleet.blocking_next_result();
        EXPECT_EQ(result.kind, queue::RunResult::Kind::record) << result.value;
        EXPECT_EQ(result.attempt, 1U) << "it was handed out once";
    }
    EXPECT_EQ(fleet.models().count_calls("m"), kTrials);
}

/// What a worker says of the providers that it cannot reach.
std::string unreachable(Fleet& fleet, const std::string& worker) {
    for (const queue::WorkerSighting& each : fleet.workers()) {
        if (each.name.rfind(worker + "-", 0) != 0) continue;
        const auto card = json::Document::parse(each.card);
        const auto member = card ? card->root().find("unreachable") : std::nullopt;
        if (!member) return "";  // it was seen, but has not left its card yet
        const auto reason = member->get<std::string>("main");
        return reason ? *reason : "";
    }
    return "";
}

TEST(WorkerProviders, AWorkerWhoseConnectionsAllFailLeavesTheWorkToAnotherAndSaysSo) {
    const HttpImposter nobody({testing::Script()}, HttpImposter::Begin::later);
    Fleet fleet(answer, kPatient);
    fleet.write_provider("", "cut.json", "main", nobody.url("/v1"));
    const auto start = [&](std::string name, const std::string& providers) {
        return fleet.start_worker({"--name", std::move(name), "--lease", "900ms"}, providers);
    };
    const auto cut_off = start("cut-off", "cut.json");
    constexpr std::uint64_t kFew = 16;
    for (std::uint64_t i = 0; i < kFew; ++i)
        fleet.enqueue(i);
    ASSERT_TRUE(blocking_eventually([&] { return !unreachable(fleet, "cut-off").empty(); }))
        << cut_off->output();
    EXPECT_THAT(unreachable(fleet, "cut-off"), HasSubstr("refused"));

    const auto well = start("well", "providers.json");
    constexpr std::uint64_t kMany = 300;
    for (std::uint64_t i = kFew; i < kFew + kMany; ++i)
        fleet.enqueue(i);
    for (std::uint64_t i = 0; i < kFew + kMany; ++i) {
        const job::TrialRecord record = fleet.blocking_next_record();
        EXPECT_EQ(record.error_kind, std::nullopt) << record.error_message.value_or("");
    }
    EXPECT_THAT(unreachable(fleet, "well"), IsEmpty());
    EXPECT_FALSE(unreachable(fleet, "cut-off").empty());
    EXPECT_LT(fleet.notes().size(), kFew * 4 + kMany / 4) << "it does not draw work in vain";
}

}  // namespace
}  // namespace evalfleet::worker
