#include "coordinator/runs/derived_run.hpp"

#include "common/files/atomic_file.hpp"
#include "common/job/run_metadata.hpp"
#include "common/job/sha256.hpp"
#include "common/job/trial_record_json.hpp"
#include "common/json/writer.hpp"
#include "common/scoring/derive.hpp"
#include "coordinator/runs/open_run.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::runs {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kLines =
    "{\"id\":\"a\",\"task\":\"?\"}\n{\"id\":\"b\",\"task\":\"?\"}\n{\"id\":\"c\",\"task\":\"?\"}\n";

std::string sha256(std::string_view text) {
    job::Sha256 hash;
    hash.add(text);
    return hash.hex();
}

// A run that is over: one good trial, one that timed out, one whose worker was lost.
class DerivedRun : public ::testing::Test {
  protected:
    DerivedRun() {
        EXPECT_TRUE(files::blocking_write_atomically(home / "qa.jsonl", kLines));
        spec_.name = "nightly";
        spec_.dataset.path = (home / "qa.jsonl").string();
        spec_.models = {{"p", "m", "1"}};
        spec_.judge = job::JudgeSpec{{"p", "old", "1"}};
        metadata_.run_id = "source";
        metadata_.timestamp_utc = "t";
        metadata_.dataset_hash = sha256(kLines);
        metadata_.sample_count = 3;
        metadata_.model = spec_.models.front();
        std::string spec_json;
        json::Writer writer(spec_json);
        job::write(writer, spec_);
        auto made = store::RunFolder::blocking_create(
            home.path(), "source", job::to_json(metadata_), spec_json, home / "qa.jsonl");
        EXPECT_TRUE(made);
        finish("done");
        write_records({answered(0), failed(1, job::CallError::timeout),
                       failed(2, job::CallError::worker_lost)});
    }

    static job::TrialRecord answered(std::int64_t sample) {
        job::TrialRecord record;
        record.run_id = "source";
        record.sample_index = sample;
        record.answer = "yes";
        record.latency_e2e_ms = 100;
        record.input_tokens = 10;
        record.output_tokens = 5;
        record.cost_usd = 0.25;
        record.evaluator_cost_usd = 0.5;
        record.correctness_score = 2;
        record.faithfulness_score = 2;
        scoring::derive(record, {});
        return record;
    }
    static job::TrialRecord failed(std::int64_t sample, job::CallError error) {
        job::TrialRecord record;
        record.run_id = "source";
        record.sample_index = sample;
        record.error_kind = error;
        record.timed_out = error == job::CallError::timeout;
        scoring::derive(record, {});
        return record;
    }
    void write_records(const std::vector<job::TrialRecord>& records) {
        std::string text;
        for (const job::TrialRecord& record : records)
            text += job::to_json(record) + "\n";
        ASSERT_TRUE(files::blocking_write_atomically(source().file("records.jsonl"), text));
    }
    void finish(std::string_view phase) { ASSERT_TRUE(source().blocking_write_phase(phase)); }
    [[nodiscard]] store::RunFolder source() const {
        return store::RunFolder(home.path() / "runs" / "source");
    }
    static SubmissionFacts facts() {
        return {"2026-11-16T00:00:00.000Z", "20261116-1", "sha", {{"runtime", "v"}}};
    }

    struct Opened {
        RunFiles files;
        std::unique_ptr<OpenRun> run;
    };
    Opened open(const std::string& id) {
        const auto folder = store::RunFolder::blocking_publish(home.path(), id).value();
        RunFiles files = RunFiles::blocking_read(folder).value();
        auto run = OpenRun::blocking_open(folder, files, {}).value();
        return {std::move(files), std::move(run)};
    }
    static job::TrialRecord record_at(const OpenRun& run, std::uint64_t index) {
        const auto text = run.log.blocking_read(run.book.ledger.offset(index).value()).value();
        const auto document = json::Document::parse(text).value();
        return job::read_trial_record(document.root()).value();
    }

    testing::TemporaryFolder home;
    job::RunSpec spec_;
    job::RunMetadata metadata_;
};

TEST_F(DerivedRun, RetryTakesOverWhatWasMeasuredAndRunsTheRestAgain) {
    const auto id = blocking_stage_retry(home.path(), source(), facts());
    ASSERT_TRUE(id) << id.error().message;
    const Opened opened = open(*id);
    EXPECT_EQ(opened.files.metadata.retried_from, "source");
    EXPECT_EQ(opened.files.metadata.run_id, *id);
    EXPECT_EQ(opened.files.phase, RunPhase::queued);
    const Ledger& ledger = opened.run->book.ledger;
    EXPECT_TRUE(ledger.is_done(0));
    EXPECT_TRUE(ledger.is_done(1)) << "a time-out is a result";
    EXPECT_TRUE(ledger.is_open(2));
    EXPECT_EQ(record_at(*opened.run, 0).run_id, *id);
    EXPECT_EQ(record_at(*opened.run, 0).cost_usd, 0.0) << "its source paid for it";
    EXPECT_EQ(record_at(*opened.run, 0).evaluator_cost_usd, 0.0);
    EXPECT_EQ(record_at(*opened.run, 0).input_tokens, 10);
    EXPECT_EQ(opened.run->blocking_read_payload(2).value(), "{\"id\":\"c\",\"task\":\"?\"}");
}

TEST_F(DerivedRun, WhatWasTakenOverCountsAgainstNoBudgetOfTheRetry) {
    const auto id = blocking_stage_retry(home.path(), source(), facts());
    ASSERT_TRUE(id) << id.error().message;
    const Opened opened = open(*id);
    const auto text = opened.run->log.blocking_read(opened.run->book.ledger.offset(0).value());
    EXPECT_THAT(text.value(), HasSubstr(R"("taken_over_from":"source")"));
    EXPECT_EQ(opened.run->book.tally.spent(), scoring::Spending{});
    EXPECT_EQ(opened.run->book.tally.count(), 2U);
}

TEST_F(DerivedRun, RetryAlsoRunsWhatNeverRan) {
    finish("cancelled");
    write_records({answered(0)});
    const auto id = blocking_stage_retry(home.path(), source(), facts());
    ASSERT_TRUE(id) << id.error().message;
    EXPECT_EQ(open(*id).run->book.ledger.next_open(0), 1U);
}

TEST_F(DerivedRun, LabelsOfPeopleTakeTheJudgesPlace) {
    auto other = answered(1);
    other.sample_id = "b";
    auto first = answered(0);
    first.sample_id = "a";
    write_records({first, other, failed(2, job::CallError::timeout)});
    const std::string text =
        "\n{\"sample_id\":\"a\",\"correctness_score\":0,\"faithfulness_score\":2}\n";
    Rejudgement rejudgement;
    rejudgement.labels = GivenLabels{text, "hand-v3"};
    const auto id = blocking_stage_rejudgement(home.path(), source(), rejudgement, facts());
    ASSERT_TRUE(id) << id.error().message;
    const Opened opened = open(*id);
    EXPECT_TRUE(opened.run->book.ledger.is_complete()) << "nobody is asked";
    const job::RunMetadata& metadata = opened.files.metadata;
    EXPECT_EQ(metadata.rejudged_from, "source");
    EXPECT_EQ(metadata.evaluator_version, "hand-v3");
    EXPECT_EQ(metadata.evaluator_labels_hash, sha256(text));
    EXPECT_FALSE(metadata.evaluator_model);
    EXPECT_FALSE(metadata.evaluator_profile);
    EXPECT_FALSE(opened.files.spec.judge);
    EXPECT_EQ(record_at(*opened.run, 0).correctness_score, 0);
    EXPECT_FALSE(record_at(*opened.run, 0).rubric_passed);
    EXPECT_EQ(record_at(*opened.run, 0).evaluator_cost_usd.value_or(0), 0.0);
    EXPECT_FALSE(record_at(*opened.run, 1).correctness_score);
    EXPECT_EQ(record_at(*opened.run, 1).evaluator_error, job::EvaluatorError::missing_label);
    EXPECT_TRUE(record_at(*opened.run, 2).timed_out);
    const auto payload = opened.run->blocking_read_payload(0);
    ASSERT_TRUE(payload) << payload.error().message;
    EXPECT_THAT(*payload, HasSubstr("manual_labels")) << "a retry has them, too";
}

TEST_F(DerivedRun, LabelsAreReadAgainForARunThatPeopleHadScored) {
    Rejudgement rejudgement;
    rejudgement.labels =
        GivenLabels{"{\"sample_id\":\"a\",\"correctness_score\":0,\"faithfulness_score\":2}\n", ""};
    const auto first = blocking_stage_rejudgement(home.path(), source(), rejudgement, facts());
    ASSERT_TRUE(first) << first.error().message;
    const Opened opened = open(*first);
    EXPECT_THAT(opened.files.metadata.evaluator_version.value(), HasSubstr("sha256:"));
    const store::RunFolder again(home.path() / "runs" / *first);
    ASSERT_TRUE(again.blocking_write_phase("done"));
    auto answer = answered(0);
    answer.sample_id = "a";
    ASSERT_TRUE(
        files::blocking_write_atomically(again.file("records.jsonl"), job::to_json(answer) + "\n"));
    rejudgement.labels->text =
        "{\"sample_id\":\"a\",\"correctness_score\":1,\"faithfulness_score\":1}\n";
    auto later = facts();
    later.stamp = "20261116-2";
    const auto second = blocking_stage_rejudgement(home.path(), again, rejudgement, later);
    ASSERT_TRUE(second) << second.error().message;
    EXPECT_EQ(record_at(*open(*second).run, 0).correctness_score, 1);
}

TEST_F(DerivedRun, LabelsThatAreWrongOrFitNothingAreRefused) {
    const auto refusal = [&](const std::string& text, bool has_judge = false) {
        Rejudgement rejudgement;
        rejudgement.labels = GivenLabels{text, "v"};
        if (has_judge) rejudgement.judge = job::JudgeSpec{{"p", "new", "1"}};
        const auto id = blocking_stage_rejudgement(home.path(), source(), rejudgement, facts());
        return id ? "accepted" : id.error().message;
    };
    const std::string good =
        "{\"sample_id\":\"a\",\"correctness_score\":1,\"faithfulness_score\":1}\n";
    EXPECT_THAT(refusal(good + "{\"sample_id\":\"a\",\"correctness_score\":3}\n"),
                HasSubstr("labels:2"));
    EXPECT_THAT(refusal("{\"sample_id\":\"z\",\"correctness_score\":1,"
                        "\"faithfulness_score\":1}\n"),
                HasSubstr("none of them is of a sample"));
    EXPECT_THAT(refusal(good, true), HasSubstr("allowed: one of the two"));
    for (const auto& entry : std::filesystem::directory_iterator(home.path()))
        EXPECT_EQ(entry.path().filename().string().find("labels"), std::string::npos) << entry;
}

TEST_F(DerivedRun, RetryIsRefusedWhereNothingFailedOrTheRunGoesOn) {
    write_records({answered(0), answered(1), answered(2)});
    const auto none = blocking_stage_retry(home.path(), source(), facts());
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().kind, ErrorKind::invalid);
    finish("running");
    EXPECT_EQ(blocking_stage_retry(home.path(), source(), facts()).error().kind, ErrorKind::denied);
}

TEST_F(DerivedRun, ALimitOfCostNeedsPricesAgain) {
    spec_.limits.max_cost_usd = 5;
    std::string spec_json;
    json::Writer writer(spec_json);
    job::write(writer, spec_);
    ASSERT_TRUE(files::blocking_write_atomically(source().spec(), spec_json));
    Rejudgement other;
    other.judge = job::JudgeSpec{{"p", "new", "2"}};
    SubmissionFacts priced = facts();
    priced.providers["p"].prices.emplace();
    for (const auto& refused :
         {blocking_stage_retry(home.path(), source(), facts()),
          blocking_stage_rejudgement(home.path(), source(), other, facts())}) {
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().kind, ErrorKind::invalid);
        EXPECT_THAT(refused.error().message, HasSubstr("needs the prices of provider 'p'"));
    }
    EXPECT_TRUE(blocking_stage_retry(home.path(), source(), priced));
}

TEST_F(DerivedRun, ANewJudgeGetsTheAnswersAndNothingElse) {
    Rejudgement other;
    other.judge = job::JudgeSpec{{"p", "new", "2"}};
    other.name = "again";
    const auto id = blocking_stage_rejudgement(home.path(), source(), other, facts());
    ASSERT_TRUE(id) << id.error().message;
    const Opened opened = open(*id);
    EXPECT_EQ(opened.files.spec.judge->model.name, "new");
    EXPECT_EQ(opened.files.spec.rejudged_from, "source");
    EXPECT_EQ(opened.files.metadata.rejudged_from, "source");
    EXPECT_EQ(opened.files.metadata.evaluator_model->name, "new");
    EXPECT_EQ(opened.files.metadata.name, "again");
    const Ledger& ledger = opened.run->book.ledger;
    EXPECT_TRUE(ledger.is_open(0));
    EXPECT_TRUE(ledger.is_done(1)) << "there is no answer to judge";
    EXPECT_EQ(record_at(*opened.run, 1).rejudged_from, "source");
    const auto payload = opened.run->blocking_read_payload(0).value();
    EXPECT_THAT(payload, HasSubstr(R"("sample":{"id":"a","task":"?"})"));
    EXPECT_THAT(payload, HasSubstr(R"("answer":"yes")"));
}

TEST_F(DerivedRun, RedactedAnswersAreJudgedOnlyIfThatIsSaid) {
    job::TrialRecord redacted = answered(0);
    redacted.answer = "Write to [REDACTED:email].";
    redacted.redactions["email"] = 1;
    write_records({redacted, answered(1), answered(2)});
    Rejudgement other;
    other.judge = job::JudgeSpec{{"p", "new", "2"}};
    const auto refused = blocking_stage_rejudgement(home.path(), source(), other, facts());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::invalid);
    EXPECT_THAT(refused.error().message, HasSubstr("1 of 3 answers are stored redacted"));
    EXPECT_THAT(refused.error().message, HasSubstr("--redacted"));
    other.redacted = true;
    const auto id = blocking_stage_rejudgement(home.path(), source(), other, facts());
    ASSERT_TRUE(id) << id.error().message;
    EXPECT_EQ(open(*id).files.metadata.judged_answers, job::JudgedAnswer::redacted);
    Rejudgement policy;
    policy.policy.emplace();
    EXPECT_TRUE(blocking_stage_rejudgement(home.path(), source(), policy, facts()))
        << "nobody looks at the answers";
}

TEST_F(DerivedRun, AnswersThatWereKeptAreJudgedAsTheModelGaveThem) {
    job::TrialRecord kept = answered(0);
    kept.answer = "Write to [REDACTED:email].";
    kept.redactions["email"] = 1;
    kept.answer_original = "v1.0123456789abcdef.AAAA";
    write_records({kept, answered(1), answered(2)});
    Rejudgement other;
    other.judge = job::JudgeSpec{{"p", "new", "2"}};
    const auto id = blocking_stage_rejudgement(home.path(), source(), other, facts());
    ASSERT_TRUE(id) << id.error().message;
    const Opened opened = open(*id);
    EXPECT_EQ(opened.files.metadata.judged_answers, job::JudgedAnswer::original);
    EXPECT_EQ(opened.files.spec.judged_answers, job::JudgedAnswer::original);
    EXPECT_EQ(opened.files.spec.originals_key_id, "0123456789abcdef");
    job::TrialRecord other_key = kept;
    other_key.sample_index = 1;
    other_key.answer_original = "v1.ffffffffffffffff.AAAA";
    write_records({kept, other_key, answered(2)});
    EXPECT_THAT(blocking_stage_rejudgement(home.path(), source(), other, facts()).error().message,
                HasSubstr("several keys"));
}

TEST_F(DerivedRun, NothingIsSaidOfAnswersThatAreStoredAsTheyWere) {
    Rejudgement other;
    other.judge = job::JudgeSpec{{"p", "new", "2"}};
    const auto id = blocking_stage_rejudgement(home.path(), source(), other, facts());
    ASSERT_TRUE(id) << id.error().message;
    EXPECT_FALSE(open(*id).files.metadata.judged_answers);
}

TEST_F(DerivedRun, ANewPolicyNeedsNoCallAtAll) {
    Rejudgement other;
    other.policy.emplace();
    other.policy->pass.max_latency_e2e_ms = 50;
    const auto id = blocking_stage_rejudgement(home.path(), source(), other, facts());
    ASSERT_TRUE(id) << id.error().message;
    const Opened opened = open(*id);
    EXPECT_TRUE(opened.run->book.ledger.is_complete());
    const job::TrialRecord record = record_at(*opened.run, 0);
    EXPECT_EQ(record.correctness_score, 2);
    EXPECT_EQ(record.cost_usd, 0.0) << "its source paid for it";
    EXPECT_EQ(record.evaluator_cost_usd, 0.0);
    EXPECT_FALSE(record.rubric_passed) << "100 ms are more than the new policy allows";
    EXPECT_TRUE(answered(0).rubric_passed);
}

TEST_F(DerivedRun, WhatTheSourceNeverAnsweredIsNotWaitedFor) {
    finish("cancelled");
    write_records({answered(1)});
    Rejudgement other;
    other.judge = job::JudgeSpec{{"p", "new", "2"}};
    const auto id = blocking_stage_rejudgement(home.path(), source(), other, facts());
    ASSERT_TRUE(id) << id.error().message;
    const Opened opened = open(*id);
    EXPECT_EQ(opened.run->book.ledger.next_open(0), 1U);
    EXPECT_EQ(opened.run->book.ledger.count_excluded(), 2U);
}

TEST_F(DerivedRun, RejudgingWithNothingNewIsRefused) {
    const auto refused = blocking_stage_rejudgement(home.path(), source(), {}, facts());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::invalid);
}

TEST_F(DerivedRun, ARetryDoesNotInheritWhyItsSourceWasIncomplete) {
    metadata_.incomplete_reason = "the budget is used up";
    ASSERT_TRUE(
        files::blocking_write_atomically(source().file("run.json"), job::to_json(metadata_)));
    const auto id = blocking_stage_retry(home.path(), source(), facts());
    ASSERT_TRUE(id) << id.error().message;
    EXPECT_EQ(open(*id).files.metadata.incomplete_reason, std::nullopt);
}

TEST_F(DerivedRun, RefusesASourceWhoseDatasetWasChanged) {
    std::filesystem::remove(source().dataset());
    ASSERT_TRUE(files::blocking_write_atomically(source().dataset(), "{\"task\":\"other\"}\n"));
    const auto id = blocking_stage_retry(home.path(), source(), facts());
    ASSERT_FALSE(id);
    EXPECT_THAT(id.error().message, HasSubstr("was changed"));
}

}  // namespace
}  // namespace evalfleet::runs
