#include "worker/trial/rejudgement.hpp"

#include "common/job/json_copy.hpp"
#include "common/job/trial_index.hpp"
#include "common/job/trial_record_json.hpp"
#include "common/json/document.hpp"
#include "tests/support/full_record.hpp"
#include "tests/unit/worker/fixtures.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace evalfleet::worker {
namespace {

job::TrialRecord stored() {
    job::TrialRecord record;
    record.run_id = "old";
    record.sample_id = "a";
    record.sample_index = 1;
    record.repeat = 2;
    record.answer = "yes";
    record.latency_e2e_ms = 123.5;
    record.input_tokens = 7;
    record.cost_usd = 0.25;
    record.evaluator_cost_usd = 0.5;
    record.provider_request_id = "req";
    record.correctness_score = 0;
    record.faithfulness_score = 1;
    record.rationale = "because";
    record.evaluator_attempts = 2;
    record.evaluator_error = job::EvaluatorError::call_error;
    record.evaluator_http_status = 401;
    record.judge_failure_label = "other";
    return record;
}

std::string payload(const job::TrialRecord& record) {
    return R"({"sample":{"id":"a","task":"?"},"record":)" + job::to_json(record) + "}";
}

const TestRun& rejudging() {
    static const TestRun run(R"("rejudged_from": "old")");
    return run;
}

TEST(Rejudgement, KeepsWhatWasMeasuredAndForgetsTheVerdict) {
    const auto trial = prepare_rejudgement(rejudging().context, 4, payload(stored()));
    ASSERT_TRUE(trial) << trial.error().message;
    const job::TrialRecord& record = trial->record;
    EXPECT_EQ(trial->sample.task, "?");
    EXPECT_EQ(record.run_id, "r1");
    EXPECT_EQ(record.rejudged_from, "old");
    EXPECT_EQ(record.answer, "yes");
    EXPECT_EQ(record.latency_e2e_ms, 123.5);
    EXPECT_EQ(record.input_tokens, 7);
    EXPECT_EQ(record.provider_request_id, "req");
    EXPECT_FALSE(record.correctness_score);
    EXPECT_FALSE(record.faithfulness_score);
    EXPECT_FALSE(record.rationale);
    EXPECT_FALSE(record.evaluator_attempts);
    EXPECT_FALSE(record.evaluator_error);
    EXPECT_FALSE(record.evaluator_http_status);
    EXPECT_FALSE(record.judge_failure_label);
}

std::map<std::string, std::string> members_of(const job::TrialRecord& record) {
    const auto document = json::Document::parse(job::to_json(record)).value();
    std::map<std::string, std::string> members;
    for (const auto [name, value] : document.root().as_object().value())
        members.emplace(name, job::json_text(value));
    return members;
}

TEST(Rejudgement, ForgetsAllThatTheJudgeOfBeforeSaid) {
    job::TrialRecord full = ::evalfleet::testing::full_record();
    full.error_kind.reset();
    full.timed_out = false;
    const auto repeats = static_cast<std::uint64_t>(rejudging().context.spec.repeats);
    const std::uint64_t index = job::TrialIndex::of(full).within(repeats);
    const auto trial = prepare_rejudgement(rejudging().context, index, payload(full));
    ASSERT_TRUE(trial) << trial.error().message;
    const std::set<std::string> verdict{
        "accuracy_score",       "correctness_score", "faithfulness_score", "hallucination_score",
        "hallucination_source", "rationale",         "judge_failure_label"};
    const auto blank = members_of(job::TrialRecord{});
    for (const auto& [name, value] : members_of(trial->record)) {
        const bool is_verdict = name.starts_with("evaluator_") || verdict.contains(name);
        EXPECT_TRUE(!is_verdict || value == blank.at(name)) << name << ": " << value;
    }
}

TEST(Rejudgement, CostsTheJudgesCallAlone) {
    const auto trial = prepare_rejudgement(rejudging().context, 4, payload(stored()));
    ASSERT_TRUE(trial) << trial.error().message;
    EXPECT_EQ(trial->record.cost_usd, 0.0) << "the first run paid for the answer";
    EXPECT_FALSE(trial->record.evaluator_cost_usd);
    job::TrialRecord unpriced = stored();
    unpriced.cost_usd.reset();
    const auto other = prepare_rejudgement(rejudging().context, 4, payload(unpriced));
    ASSERT_TRUE(other) << other.error().message;
    EXPECT_FALSE(other->record.cost_usd) << "what is unknown stays unknown";
}

TEST(Rejudgement, RefusesWhatIsAnotherTrialsOrHasNoAnswer) {
    EXPECT_FALSE(prepare_rejudgement(rejudging().context, 3, payload(stored())));
    job::TrialRecord silent = stored();
    silent.answer.reset();
    EXPECT_FALSE(prepare_rejudgement(rejudging().context, 4, payload(silent)));
    for (const char* wrong : {"", "{}", R"({"sample":{"task":"?"}})", R"({"task":"?"})"})
        EXPECT_FALSE(prepare_rejudgement(rejudging().context, 4, wrong)) << wrong;
}

std::shared_ptr<const sealing::SealingKey> key_of(unsigned char first) {
    std::array<unsigned char, sealing::SealingKey::kBytes> bytes{};
    bytes[0] = first;
    return std::make_shared<const sealing::SealingKey>(bytes);
}

/// Runs of a worker with a key, or without one.
struct KeptRuns {
    explicit KeptRuns(std::shared_ptr<const sealing::SealingKey> key)
        : providers(make_providers()) {
        providers.keep_originals(std::move(key));
    }
    [[nodiscard]] Result<RunContext> run(const std::string& more) const {
        return RunContext::create("r1", make_spec(more), providers, Redactors(providers.secrets()));
    }
    ProviderSet providers;
};

constexpr const char* kSaid = "Write to bob@example.org, please.";

/// A record whose answer was redacted, with what the model said beside it if there is a key.
job::TrialRecord redacted(const KeptRuns& runs) {
    const RunContext run = runs.run("").value();
    job::TrialRecord record = stored();
    record.answer = kSaid;
    const std::string text = finish_record(run, record);
    EXPECT_EQ(text.find("bob@"), std::string::npos);
    return record;
}

std::string judging(const std::string& answers, const std::string& key_id = "") {
    return R"("rejudged_from": "old", "judged_answers": ")" + answers + "\"" +
           (key_id.empty() ? "" : R"(, "originals_key_id": ")" + key_id + "\"");
}

TEST(Originals, AreKeptSealedWhereAnAnswerIsRedacted) {
    const KeptRuns runs(key_of(1));
    const job::TrialRecord record = redacted(runs);
    EXPECT_EQ(record.answer, "Write to [REDACTED:email], please.");
    ASSERT_TRUE(record.answer_original);
    EXPECT_EQ(sealing::key_id_of(*record.answer_original), key_of(1)->id());
    job::TrialRecord harmless = stored();
    static_cast<void>(finish_record(runs.run("").value(), harmless));
    EXPECT_FALSE(harmless.answer_original);
    EXPECT_FALSE(redacted(KeptRuns(nullptr)).answer_original);
}

TEST(Originals, AreWhatTheJudgeSees) {
    const KeptRuns runs(key_of(1));
    const RunContext run = runs.run(judging("original", key_of(1)->id())).value();
    auto trial = prepare_rejudgement(run, 4, payload(redacted(runs)));
    ASSERT_TRUE(trial) << trial.error().message;
    EXPECT_EQ(trial->record.answer, kSaid);
    EXPECT_EQ(trial->record.judged_answer, job::JudgedAnswer::original);
    const std::string again = finish_record(run, trial->record);
    EXPECT_EQ(again.find("bob@"), std::string::npos);
    EXPECT_TRUE(trial->record.answer_original) << "the new run can be judged anew as well";
    EXPECT_EQ(trial->record.redactions.at("email"), 1) << "once, not once for each run";
}

TEST(Originals, StayClosedWhereTheStoredAnswersAreJudged) {
    const KeptRuns runs(key_of(1));
    const auto trial =
        prepare_rejudgement(runs.run(judging("redacted")).value(), 4, payload(redacted(runs)));
    ASSERT_TRUE(trial) << trial.error().message;
    EXPECT_EQ(trial->record.answer, "Write to [REDACTED:email], please.");
    EXPECT_EQ(trial->record.judged_answer, job::JudgedAnswer::redacted);
}

TEST(Originals, NeedTheKeyTheyWereSealedWith) {
    const std::string spec = judging("original", key_of(1)->id());
    const auto none = KeptRuns(nullptr).run(spec);
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().message.find("--keep-originals"), std::string::npos);
    const auto other = KeptRuns(key_of(2)).run(spec);
    ASSERT_FALSE(other);
    EXPECT_NE(other.error().message.find(key_of(2)->id()), std::string::npos);
}

TEST(Originals, ThatWereChangedAreNotJudged) {
    const KeptRuns runs(key_of(1));
    const RunContext run = runs.run(judging("original", key_of(1)->id())).value();
    job::TrialRecord cut = redacted(runs);
    cut.answer_original->resize(cut.answer_original->size() - 8);
    EXPECT_FALSE(prepare_rejudgement(run, 4, payload(cut)));
    job::TrialRecord moved = redacted(runs);
    moved.answer = "Ask [REDACTED:email] instead.";
    EXPECT_FALSE(prepare_rejudgement(run, 4, payload(moved))) << "of another answer";
    job::TrialRecord missing = redacted(runs);
    missing.answer_original.reset();
    EXPECT_FALSE(prepare_rejudgement(run, 4, payload(missing)));
}

}  // namespace
}  // namespace evalfleet::worker
