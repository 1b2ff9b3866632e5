#include "common/disclosure/metadata.hpp"
#include "common/disclosure/record.hpp"
#include "common/job/json_copy.hpp"
#include "common/job/trial_record_json.hpp"
#include "common/json/document.hpp"
#include "tests/support/full_record.hpp"
#include "tests/support/redaction/planted.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace evalfleet::disclosure {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

job::TrialRecord record_with(const std::string& text) {
    job::TrialRecord record;
    for (auto* member :
         {&record.sample_id, &record.answer, &record.finish_reason, &record.model_reported,
          &record.system_fingerprint, &record.provider_request_id, &record.error_message,
          &record.rationale, &record.evaluator_raw_output, &record.evaluator_error_message,
          &record.evaluator_finish_reason, &record.evaluator_model_reported,
          &record.judge_failure_label, &record.worker_environment}) {
        *member = text;
    }
    record.task_type = text;
    record.tags = {{text, text}};
    record.evaluator_reply_faults = {text};
    return record;
}

TEST(DiscloseRecord, LeavesNothingPlantedInAnyText) {
    const redaction::Redactor redactor;
    for (const auto& planted : ::evalfleet::testing::planted_corpus()) {
        job::TrialRecord record = record_with(planted.text);
        redact(redactor, record);
        EXPECT_THAT(job::to_json(record), Not(HasSubstr(planted.secret))) << planted.kind;
        EXPECT_FALSE(record.redactions.empty()) << planted.kind;
    }
}

constexpr std::string_view kPerson = "jane@example.org";

using Members = std::vector<std::pair<std::string, std::string>>;  // name, JSON

Members members_of(const job::TrialRecord& record) {
    const auto document = json::Document::parse(job::to_json(record)).value();
    Members members;
    for (const auto [name, value] : document.root().as_object().value())
        members.emplace_back(name, job::json_text(value));
    return members;
}

/// With a person's address wherever this member has a text; nothing if it can have none.
std::optional<job::TrialRecord> with_person(const std::string& changed) {
    Members members = members_of(::evalfleet::testing::full_record());
    std::string json;
    for (auto& [name, value] : members) {
        if (name == changed) {
            value = '"' + std::string(kPerson) + '"';
            if (name == "tags") value = "{" + value + ":" + value + "}";
            if (name.ends_with("_parameters") || name.ends_with("_faults"))
                value = "[" + value + "]";
        }
        // Both documents' names are read; the first would hide the second.
        if (name != "rationale" || changed != "evaluator_notes")
            json += (json.empty() ? "{\"" : ",\"") + name + "\":" + value;
    }
    const auto document = json::Document::parse(json + "}").value();
    const auto record = job::read_trial_record(document.root());
    return record ? std::optional(*record) : std::nullopt;
}

TEST(DiscloseRecord, LeavesNothingInAnyTextOfTheFullRecord) {
    // What evalfleet makes itself, or seals.
    const std::set<std::string> own{
        "run_id",          "rejudged_from",      "started_at_utc",
        "answer_original", "refused_parameters", "evaluator_refused_parameters"};
    int texts = 0;
    for (const auto& [name, value] : members_of(::evalfleet::testing::full_record())) {
        auto record = with_person(name);
        if (!record || own.contains(name)) continue;
        ASSERT_THAT(job::to_json(*record), HasSubstr(std::string(kPerson))) << name;
        redact(redaction::Redactor(), *record);
        EXPECT_THAT(job::to_json(*record), Not(HasSubstr(std::string(kPerson)))) << name;
        ++texts;
    }
    EXPECT_GE(texts, 18);
}

TEST(DiscloseRecord, KeepsTheIdentityOfNamesOnly) {
    job::TrialRecord record = record_with("jane@example.org");
    redact(redaction::Redactor(), record);
    EXPECT_EQ(record.answer, "[REDACTED:email]");
    const std::string name = *record.sample_id;
    EXPECT_THAT(name, StartsWith("[REDACTED:email:"));
    EXPECT_EQ(record.task_type, name);
    for (const auto& given :
         {record.model_reported, record.system_fingerprint, record.finish_reason,
          record.provider_request_id, record.evaluator_finish_reason})
        EXPECT_EQ(given, name);
    EXPECT_EQ(record.tags, (job::Tags{{name, name}}));
    EXPECT_EQ(record.redactions.at("email"), 18);
    EXPECT_EQ(as_in_records(redaction::Redactor(), "jane@example.org"), name);
}

TEST(DiscloseRecord, FindsNumbersOfPeopleInWhatAProviderCallsARequest) {
    job::TrialRecord record;
    record.provider_request_id = "r-1-617-617-5838";
    redact(redaction::Redactor(), record);
    EXPECT_THAT(*record.provider_request_id, HasSubstr("[REDACTED:phone:"));
    record.provider_request_id = "req_011CUYLkTmpqPZF8QHw2d6xS";
    redact(redaction::Redactor(), record);
    EXPECT_EQ(record.provider_request_id, "req_011CUYLkTmpqPZF8QHw2d6xS");
}

TEST(DiscloseRecord, LetsATagsKeyCountForItsValue) {
    job::TrialRecord record;
    record.tags = {{"db_password", "hunter2x"}, {"phone", "4155552671"}, {"lang", "en"}};
    redact(redaction::Redactor(), record);
    EXPECT_THAT(record.tags.at("db_password"), StartsWith("[REDACTED:credential:"));
    EXPECT_THAT(record.tags.at("phone"), StartsWith("[REDACTED:phone:"));
    EXPECT_EQ(record.tags.at("lang"), "en");
    const job::TrialRecord once = record;
    redact(redaction::Redactor(), record);
    EXPECT_EQ(record, once);
}

TEST(DiscloseRecord, ChangesNothingTheSecondTime) {
    job::TrialRecord record = record_with("jane@example.org, password=hunter2secret");
    redact(redaction::Redactor(), record);
    const job::TrialRecord once = record;
    redact(redaction::Redactor(), record);
    EXPECT_EQ(record, once);
}

TEST(DiscloseMetadata, LeavesNothingPlantedInAnyText) {
    const redaction::Redactor redactor;
    for (const auto& planted : ::evalfleet::testing::planted_corpus()) {
        job::RunMetadata metadata;
        for (auto* member :
             {&metadata.name, &metadata.dataset_id, &metadata.dataset_version,
              &metadata.evaluator_version, &metadata.api_key_id, &metadata.incomplete_reason,
              &metadata.prompt_template.system, &metadata.model.version})
            *member = planted.text;
        metadata.prompt_template.text = planted.text;
        metadata.prompt_template.id = planted.text;
        metadata.prompt_template.version = planted.text;
        metadata.prompt_template.sha256 = "stays";
        metadata.model.name = planted.text;
        metadata.evaluator_model = metadata.model;
        metadata.environment = {{"region", planted.text}};
        metadata.model_versions_reported = {{planted.text, 1}};
        metadata.system_fingerprints_reported = {{planted.text, 1}};
        metadata.worker_environments = {{planted.text, 1}};
        redact(redactor, metadata);
        EXPECT_THAT(job::to_json(metadata), Not(HasSubstr(planted.secret))) << planted.kind;
        EXPECT_EQ(metadata.prompt_template.sha256, "stays");
    }
}

TEST(DiscloseMetadata, LeavesACommitInALabelAndTakesSecretsOut) {
    job::RunMetadata run;
    const std::string commit = "41ed5802c0de41ed5802c0de41ed5802c0de41ed";
    run.description = "asked by jane@example.org";
    run.run_labels = {{"commit", commit}, {"branch", "fix/tail"}, {"db_password", "hunter2x"}};
    redact(redaction::Redactor(), run);
    EXPECT_EQ(run.description, "asked by [REDACTED:email]");
    EXPECT_EQ(run.run_labels.at("commit"), commit);
    EXPECT_EQ(run.run_labels.at("branch"), "fix/tail");
    EXPECT_THAT(run.run_labels.at("db_password"), StartsWith("[REDACTED:credential:"));
}

}  // namespace
}  // namespace evalfleet::disclosure
