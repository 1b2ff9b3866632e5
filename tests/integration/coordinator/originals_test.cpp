#include "common/files/atomic_file.hpp"
#include "common/files/file.hpp"
#include "common/job/trial_record_json.hpp"
#include "common/json/document.hpp"
#include "tests/support/fleet.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

/// Rejudging answers that are stored redacted: with the sealed originals, and without them.
namespace evalfleet {
namespace {

using ::testing::AllOf;
using testing::Fleet;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kAddress = "bob@example.org";

/// A model that answers as the reference does, with an address in it. The judge counts words, so
/// that it tells by the score whether it saw the address.
constexpr const char* kSample = R"({"task":"Whom do I ask? [[simulate answer=\"Write to )"
                                R"(bob@example.org.\"]]","reference_answer":)"
                                R"("Write to bob@example.org."})";

class Originals : public ::testing::Test {
  protected:
    Originals() {
        files::blocking_write_atomically(folder_ / "d.jsonl", std::string(kSample) + "\n").value();
        for (const char* name : {"one", "two"}) {
            const auto path = folder_ / (std::string(name) + ".key");
            const std::string key(32, name[0]);
            files::blocking_write_atomically(path, key).value();
            std::filesystem::permissions(path, std::filesystem::perms::owner_read);
        }
    }

    [[nodiscard]] std::vector<std::string> with_key(const std::string& name) const {
        return {"--keep-originals", (folder_ / (name + ".key")).string()};
    }

    [[nodiscard]] Fleet::Options options(std::vector<std::string> worker) const {
        Fleet::Options options;
        options.workers = 1;
        options.worker = std::move(worker);
        options.coordinator = {"--dataset-root", folder_.path().string()};
        return options;
    }

    static std::string member(const std::string& json, const std::string& name) {
        return json::Document::parse(json).value().root().get<std::string>(name).value();
    }

    /// Runs it to its end and gives its id.
    std::string submit(Fleet& fleet) const {
        const auto made = fleet.ask("POST", "/api/v1/runs",
                                    R"({"version":1,"name":"n","repeats":1,"dataset":{"path":")" +
                                        (folder_ / "d.jsonl").string() +
                                        R"("},"model":{"provider":"sim","name":"m","version":"1"},)"
                                        R"("judge":{"provider":"sim","name":"j","version":"1"}})");
        EXPECT_EQ(made.status, 201) << made.body;
        return watch(fleet, made);
    }

    static std::string watch(Fleet& fleet, const Fleet::Answer& made) {
        const auto document = json::Document::parse(made.body).value();
        const auto ids = document.root().find("run_ids");
        const std::string id =
            ids ? ids->as<std::vector<std::string>>().value().front() : member(made.body, "run_id");
        fleet.watch(id);
        EXPECT_TRUE(fleet.await_end(60)) << fleet.coordinator_log() << fleet.worker_log();
        return id;
    }

    static Fleet::Answer rejudge(Fleet& fleet, const std::string& id, const std::string& more) {
        return fleet.ask(
            "POST", "/api/v1/runs/" + id + "/rejudge",
            R"({"judge":{"provider":"sim","name":"other","version":"2"})" + more + "}");
    }

    static std::string record_text(Fleet& fleet) {
        return files::blocking_read_file(fleet.run_folder() / "records.jsonl", 1 << 20).value();
    }
    static job::TrialRecord record(Fleet& fleet) {
        const std::string text = record_text(fleet);
        return job::read_trial_record(json::Document::parse(text).value().root()).value();
    }
    static std::string metadata(Fleet& fleet) {
        return files::blocking_read_file(fleet.run_folder() / "run.json", 1 << 20).value();
    }

    testing::TemporaryFolder folder_;
};

TEST_F(Originals, AreWhatANewJudgeSeesAndTheRunSaysSo) {
    Fleet fleet(options(with_key("one")));
    const std::string source = submit(fleet);
    ASSERT_EQ(record(fleet).answer, "Write to [REDACTED:email].");
    ASSERT_TRUE(record(fleet).answer_original);
    ASSERT_EQ(record(fleet).correctness_score, 2);

    const auto made = rejudge(fleet, source, "");
    ASSERT_EQ(made.status, 201) << made.body;
    watch(fleet, made);
    EXPECT_EQ(fleet.progress()->state, "done");
    EXPECT_EQ(record(fleet).correctness_score, 2) << "the judge saw the address";
    EXPECT_EQ(record(fleet).judged_answer, job::JudgedAnswer::original);
    EXPECT_EQ(record(fleet).answer, "Write to [REDACTED:email].");
    EXPECT_THAT(metadata(fleet), HasSubstr(R"("judged_answers": "original")"));
    EXPECT_THAT(record_text(fleet), Not(HasSubstr(kAddress)));
    EXPECT_THAT(fleet.worker_log() + fleet.coordinator_log(), Not(HasSubstr(kAddress)));
    EXPECT_EQ(fleet.verify(), 0);

    // A rejudged run can be judged again: its original is sealed for its own trial.
    const auto again = rejudge(fleet, fleet.run_id(), "");
    ASSERT_EQ(again.status, 201) << again.body;
    watch(fleet, again);
    EXPECT_EQ(record(fleet).correctness_score, 2);
    EXPECT_EQ(record(fleet).judged_answer, job::JudgedAnswer::original);
}

TEST_F(Originals, AreLeftAloneWhereTheRedactedAnswerIsAskedFor) {
    Fleet fleet(options(with_key("one")));
    const std::string source = submit(fleet);
    const auto made = rejudge(fleet, source, R"(,"redacted":true)");
    ASSERT_EQ(made.status, 201) << made.body;
    watch(fleet, made);
    EXPECT_EQ(record(fleet).correctness_score, 1) << "the judge did not see the address";
    EXPECT_EQ(record(fleet).judged_answer, job::JudgedAnswer::redacted);
    EXPECT_THAT(metadata(fleet), HasSubstr(R"("judged_answers": "redacted")"));
}

TEST_F(Originals, ThatWereNotKeptAreRefusedUnlessTheRedactedAnswerWillDo) {
    Fleet fleet(options({}));
    const std::string source = submit(fleet);
    const auto refused = rejudge(fleet, source, "");
    EXPECT_EQ(refused.status, 422);
    EXPECT_THAT(refused.body, AllOf(HasSubstr("1 of 1 answers are stored redacted"),
                                    HasSubstr("--redacted"), HasSubstr("--keep-originals")));
    EXPECT_EQ(rejudge(fleet, source, R"(,"redacted":true)").status, 201);
}

TEST_F(Originals, CannotBeJudgedByWorkersThatHaveAnotherKeyOrNone) {
    Fleet fleet(options(with_key("one")));
    const std::string source = submit(fleet);
    for (const auto& worker : {std::vector<std::string>(), with_key("two")}) {
        fleet.restart_workers(worker);
        const auto made = rejudge(fleet, source, "");
        ASSERT_EQ(made.status, 201) << made.body;
        fleet.watch(member(made.body, "run_id"));
        ASSERT_TRUE(
            fleet.await([](const auto& now) { return now.note.has_value() || now.is_over(); }, 60))
            << fleet.coordinator_log() << fleet.worker_log();
        EXPECT_THAT(fleet.progress()->note.value_or(""), HasSubstr("sealed with the key"));
        EXPECT_EQ(fleet.progress()->done, 0U);
        EXPECT_TRUE(fleet.steer("cancel"));
        ASSERT_TRUE(fleet.await_end(60));
    }
}

}  // namespace
}  // namespace evalfleet
