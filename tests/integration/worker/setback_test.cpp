#include "common/job/measured.hpp"
#include "tests/integration/worker/imposters.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <mutex>
#include <set>

/// Infrastructure is not the model: trials that it is in the way of are put back and tried again,
/// until the run gives up on them.
namespace evalfleet::worker {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing::HttpImposter;
using ::testing::Key;
using testing::Script;

using Setbacks = std::map<std::string, std::int64_t, std::less<>>;

constexpr const char* kPatient = R"("limits": {"max_attempts": 1, "give_up_after_ms": 600000})";

Action answer(const SeenCall& call) {
    return {.body = completion(call.model == "j" ? verdict() : "Because.")};
}

/// Calls of the model fail with these statuses, one after the other; then all are well.
ModelServer::Script fails_with(std::vector<int> statuses) {
    return [statuses](const SeenCall& call) -> Action {
        if (call.model == "m" && call.number <= statuses.size())
            return {.status = statuses[call.number - 1], .body = "{}"};
        return answer(call);
    };
}

TEST(WorkerSetback, ATrialWhoseProviderIsAwayForAWhileIsTriedAgainAndAnswered) {
    Fleet fleet(fails_with({503, 429}), kPatient);
    const job::TrialRecord record = run_one(fleet);
    EXPECT_EQ(record.answer, "Because.");
    EXPECT_EQ(record.error_kind, std::nullopt);
    EXPECT_EQ(record.correctness_score, 2);
    EXPECT_EQ(record.attempts, 1);
    EXPECT_EQ(record.deliveries, 3);
    EXPECT_EQ(record.setbacks, (Setbacks{{"http_429", 1}, {"http_5xx", 1}}));
    EXPECT_EQ(fleet.models().count_calls("m"), 3U);

    ASSERT_EQ(fleet.notes().size(), 2U) << "the coordinator hears of each at once";
    const job::Setback& first = fleet.notes()[0];
    EXPECT_EQ(first.role, job::CallRole::model);
    EXPECT_EQ(first.kind, job::CallError::http_5xx);
    EXPECT_EQ(first.http_status, 503);
    EXPECT_EQ(first.provider, "main");
    EXPECT_EQ(fleet.notes()[1].kind, job::CallError::http_429);
}

TEST(WorkerSetback, ATrialWithoutOneSaysThatItWasDeliveredOnce) {
    Fleet fleet(answer);
    const job::TrialRecord record = run_one(fleet);
    EXPECT_EQ(record.deliveries, 1);
    EXPECT_TRUE(record.setbacks.empty());
    EXPECT_TRUE(fleet.notes().empty());
}

TEST(WorkerSetback, ATrialIsPutBackForEveryFailureOfInfrastructureAndForNoneOfTheModel) {
    const std::map<std::string, std::string> kinds{
        {"401", "http_4xx"}, {"403", "http_4xx"}, {"404", "http_4xx"}, {"429", "http_429"},
        {"500", "http_5xx"}, {"503", "http_5xx"}, {"529", "http_5xx"}, {"cut", "connect"}};
    const std::map<std::string, job::CallError> results{
        {"400", job::CallError::http_4xx},
        {"422", job::CallError::http_4xx},
        {"empty", job::CallError::empty_response},
        {"html", job::CallError::malformed_response}};
    std::mutex mutex;
    std::set<std::string> seen;
    const auto script = [&](const SeenCall& call) -> Action {
        const std::string task = call.prompt.substr(call.prompt.find('|') + 1);
        const std::lock_guard lock(mutex);
        if (call.model == "j" || !seen.insert(task).second) return answer(call);
        if (task == "cut") return {.cut = true};
        if (task == "empty") return {.body = completion("")};
        if (task == "html") return {.body = "<html>"};
        return {.status = std::stoi(task), .body = "{}"};
    };
    Fleet fleet(script, kPatient);
    const auto worker = fleet.start_worker();
    std::uint64_t index = 0;
    const auto enqueue = [&](const std::string& task) {
        fleet.enqueue(index++, R"({"id": ")" + task + R"(", "task": ")" + task + R"("})");
    };
    for (const auto& [task, kind] : kinds)
        enqueue(task);
    for (const auto& [task, kind] : results)
        enqueue(task);
    for (std::uint64_t i = 0; i < index; ++i) {
        const job::TrialRecord record = fleet.blocking_next_record();
        const std::string task = record.sample_id.value();
        const auto kind = kinds.find(task);
        if (kind == kinds.end()) {
            EXPECT_EQ(record.error_kind, results.at(task)) << task;
            EXPECT_TRUE(record.setbacks.empty()) << task;
        } else {
            EXPECT_EQ(record.error_kind, std::nullopt) << task;
            EXPECT_EQ(record.setbacks, (Setbacks{{kind->second, 1}})) << task;
        }
    }
    EXPECT_EQ(fleet.notes().size(), kinds.size());
}

TEST(WorkerSetback, ATimeOutIsTheModelsOwn) {
    Fleet fleet([](const SeenCall&) -> Action { return {.held = true}; },
                R"("limits": {"timeout_ms": 300, "give_up_after_ms": 600000})");
    const job::TrialRecord record = run_one(fleet);
    EXPECT_TRUE(record.timed_out);
    EXPECT_EQ(record.deliveries, 1);
    EXPECT_TRUE(fleet.notes().empty());
}

TEST(WorkerSetback, ATimeOutWithoutAConnectionIsNotTheModels) {
    const testing::FullListener nobody;
    Fleet fleet(never_called,
                R"("limits": {"timeout_ms": 300, "max_attempts": 1, "give_up_after_ms": 600000})");
    redirect(fleet, "openai", nobody.url(), false);
    const auto worker = fleet.start_worker();
    fleet.enqueue(0);
    const queue::RunResult note = fleet.blocking_next_result();
    ASSERT_EQ(note.kind, queue::RunResult::Kind::note) << note.value;
    EXPECT_EQ(job::parse_setback(note.value).value().kind, job::CallError::connect);
}

TEST(WorkerSetback, ASampleThatIsAlwaysRefusedIsRecordedWhileOthersAreAnswered) {
    const auto script = [](const SeenCall& call) -> Action {
        if (call.model == "m" && call.prompt.find("forbidden") != std::string::npos)
            return {.status = 403, .body = "{}"};
        return answer(call);
    };
    Fleet fleet(script, kPatient);
    const auto worker = fleet.start_worker();
    fleet.enqueue(0, R"({"id": "forbidden", "task": "forbidden"})");
    const queue::RunResult note = fleet.blocking_next_result();
    ASSERT_EQ(note.kind, queue::RunResult::Kind::note) << "once may be chance";
    fleet.enqueue(1, R"({"id": "allowed", "task": "allowed"})");
    EXPECT_EQ(fleet.blocking_next_record().sample_id, "allowed");
    const job::TrialRecord record = fleet.blocking_next_record();
    EXPECT_EQ(record.sample_id, "forbidden");
    EXPECT_EQ(record.error_kind, job::CallError::http_4xx);
    EXPECT_EQ(record.http_status, 403);
}

TEST(WorkerSetback, ATrialWhoseConnectionsAreRefusedWaitsUntilSomebodyListens) {
    const auto play = [](const std::string& body) { return answer_with(response("200 OK", body)); };
    HttpImposter provider({play(completion("Because.")), play(completion(verdict()))},
                          HttpImposter::Begin::later);
    Fleet fleet(never_called, kPatient);
    redirect(fleet, "openai", provider.url(""), false);
    const auto worker = fleet.start_worker();
    fleet.enqueue(0);
    const queue::RunResult note = fleet.blocking_next_result();
    ASSERT_EQ(note.kind, queue::RunResult::Kind::note);
    EXPECT_EQ(job::parse_setback(note.value).value().kind, job::CallError::connect);
    provider.open();
    const job::TrialRecord record = fleet.blocking_next_record();
    EXPECT_EQ(record.answer, "Because.") << record.error_message.value_or("");
    EXPECT_GE(record.setbacks.at("connect"), 1);
    EXPECT_EQ(record.deliveries, 1 + record.setbacks.at("connect"));
}

TEST(WorkerSetback, ATrialWhoseJudgeIsAwayKeepsItsAnswerAndWaits) {
    const auto script = [](const SeenCall& call) -> Action {
        if (call.model == "j" && call.number <= 2) return {.status = 503, .body = "{}"};
        return answer(call);
    };
    Fleet fleet(script, kPatient);
    const job::TrialRecord record = run_one(fleet);
    EXPECT_EQ(record.answer, "Because.");
    EXPECT_EQ(record.evaluator_error, std::nullopt);
    EXPECT_EQ(record.correctness_score, 2);
    EXPECT_EQ(record.setbacks, (Setbacks{{"http_5xx", 2}}));
    EXPECT_EQ(record.deliveries, 1);
    EXPECT_EQ(fleet.models().count_calls("m"), 1U) << "the answer is not asked for again";
    ASSERT_EQ(fleet.notes().size(), 2U);
    EXPECT_EQ(fleet.notes()[0].role, job::CallRole::judge);
    EXPECT_EQ(fleet.notes()[0].http_status, 503);
}

TEST(WorkerSetback, TrialsWhoseJudgeIsAwayAreHandedBackOnceTheirRunIsPaused) {
    const auto script = [](const SeenCall& call) -> Action {
        if (call.model == "j") return {.status = 401, .body = "{}"};
        return answer(call);
    };
    Fleet fleet(script, kPatient);
    const auto worker = fleet.start_worker();
    constexpr std::uint64_t kTrials = 4;
    for (std::uint64_t index = 0; index < kTrials; ++index)
        fleet.enqueue(index);
    ASSERT_TRUE(fleet.models().blocking_await_calls("j", kTrials));
    EXPECT_EQ(fleet.stats().leased, kTrials) << "while the run goes on they wait";
    fleet.pause_run();
    ASSERT_TRUE(blocking_eventually([&] { return fleet.stats().leased == 0; }));
    const std::size_t calls = fleet.models().count_calls("j");
    EXPECT_EQ(fleet.stats().runs.at(0).ready, kTrials);
    EXPECT_EQ(fleet.models().count_calls("m"), kTrials) << "nobody takes them";
    EXPECT_EQ(fleet.models().count_calls("j"), calls) << "no judge is asked any more";
}

TEST(WorkerSetback, OfATrialThatLastsForTooLongIsItsRecord) {
    // 500 says nothing about limits: a permit is there for each delivery.
    Fleet fleet([](const SeenCall&) -> Action { return {.status = 500, .body = "{}"}; },
                R"("limits": {"max_attempts": 1, "give_up_after_ms": 2500})");
    const job::TrialRecord record = run_one(fleet);
    EXPECT_EQ(record.error_kind, job::CallError::http_5xx);
    EXPECT_EQ(record.http_status, 500);
    EXPECT_EQ(record.answer, std::nullopt);
    ASSERT_THAT(record.setbacks, Contains(Key("http_5xx")));
    EXPECT_EQ(record.deliveries, 1 + record.setbacks.at("http_5xx"));
    EXPECT_EQ(fleet.models().count_calls("m"), static_cast<std::size_t>(*record.deliveries));
    EXPECT_EQ(fleet.notes().size(), static_cast<std::size_t>(*record.deliveries) - 1);
}

TEST(WorkerSetback, OfATrialThatGetsNoPermitAnyMoreIsItsRecord) {
    const auto script = [](const SeenCall& call) -> Action {
        if (call.prompt.find("broken") != std::string::npos) return {.status = 503, .body = "{}"};
        return {.body = completion("Because."), .held = true};
    };
    Fleet fleet(script, R"("limits": {"max_attempts": 1, "give_up_after_ms": 4000})");
    fleet.write_provider(R"("max_concurrent": 1)");
    const auto worker = fleet.start_worker();
    fleet.enqueue(0, R"({"id": "a", "task": "broken"})");
    ASSERT_TRUE(fleet.models().blocking_await_calls("m", 1));
    fleet.enqueue(1, R"({"id": "b", "task": "long"})");
    const job::TrialRecord record = fleet.blocking_next_record();
    EXPECT_EQ(record.sample_id, "a");
    EXPECT_EQ(record.error_kind, job::CallError::http_5xx);
    EXPECT_THAT(record.error_message.value_or(""), HasSubstr("got no permit"));
    EXPECT_EQ(record.attempts, 0);
    EXPECT_TRUE(job::is_unmeasured(job::TrialEnd::of(record))) << "it is not the model's";
}

TEST(WorkerSetback, OfAJudgeThatLastsForTooLongLeavesTheAnswerUnscored) {
    const auto script = [](const SeenCall& call) -> Action {
        if (call.model == "j") return {.status = 503, .body = "{}"};
        return answer(call);
    };
    Fleet fleet(script, R"("limits": {"max_attempts": 1, "give_up_after_ms": 1200})");
    const job::TrialRecord record = run_one(fleet);
    EXPECT_EQ(record.answer, "Because.");
    EXPECT_EQ(record.evaluator_error, job::EvaluatorError::call_error);
    EXPECT_GE(record.setbacks.at("http_5xx"), 1);
    EXPECT_EQ(fleet.models().count_calls("m"), 1U);
}

TEST(WorkerSetback, IsTriedAgainNoSoonerThanTheProviderAsks) {
    std::mutex mutex;
    std::vector<std::chrono::steady_clock::time_point> arrivals;
    const auto script = [&](const SeenCall& call) -> Action {
        if (call.model == "j") return answer(call);
        const std::lock_guard lock(mutex);
        arrivals.push_back(std::chrono::steady_clock::now());
        if (call.number > 1) return answer(call);
        return {.status = 503, .body = "{}", .headers = {{"retry-after", "2.25"}}};
    };
    Fleet fleet(script, kPatient);
    const job::TrialRecord record = run_one(fleet);
    EXPECT_EQ(record.answer, "Because.");
    EXPECT_EQ(record.deliveries, 2);
    ASSERT_EQ(arrivals.size(), 2U);
    EXPECT_GE(arrivals[1] - arrivals[0], std::chrono::milliseconds(2'250));
}

TEST(WorkerSetback, DoesNotStopAWorkerFromDoingOtherTrials) {
    // 500 says nothing about limits: only the trials' own places could be in the way.
    const auto script = [](const SeenCall& call) -> Action {
        if (call.prompt.find("broken") != std::string::npos) return {.status = 500, .body = "{}"};
        return answer(call);
    };
    Fleet fleet(script, kPatient);
    const auto worker = fleet.start_worker();
    constexpr std::uint64_t kSlots = 8;
    for (std::uint64_t i = 0; i < kSlots; ++i)
        fleet.enqueue(i, R"({"id": "a", "task": "broken"})");
    ASSERT_TRUE(fleet.models().blocking_await_calls("m", kSlots));
    fleet.enqueue(kSlots, R"({"id": "b", "task": "fine"})");
    EXPECT_EQ(fleet.blocking_next_record().sample_id, "b");
}

}  // namespace
}  // namespace evalfleet::worker
