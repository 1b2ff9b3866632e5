#include "common/job/manifest.hpp"
#include "common/job/run_metadata.hpp"
#include "common/scoring/json_schema.hpp"
#include "tests/integration/cli/program.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace evalfleet::test {
namespace {

using testing::HasSubstr;

constexpr int kSamples = 40;

/// A finished run's folder: made with the product's own code and commands.
class RunFolder {
  public:
    /// Every `failing`th trial is wrong; 0: none.
    explicit RunFolder(int failing = 0, const std::string& dataset_hash = "d") {
        std::string trials;
        for (int i = 0; i < kSamples; ++i) {
            const bool wrong = failing != 0 && i % failing == 0;
            trials += fmt::format(
                R"({{"sample_index":{},"repeat":1,"answer":"a","latency_e2e_ms":{},)"
                R"("input_tokens":9,"output_tokens":3,"accuracy_score":{},"faithfulness_score":2}})"
                "\n",
                i, 100 + i, wrong ? 0 : 2);
        }
        job::RunMetadata metadata;
        metadata.run_id = "r";
        metadata.timestamp_utc = "2026-01-02T03:04:05Z";
        metadata.dataset_hash = dataset_hash;
        metadata.model = {"p", "m", "1"};
        metadata.evaluator_model = job::ModelRef{"p", "j", "1"};
        metadata.policy.bootstrap.replicates = 100;
        folder_.put("run.json", job::to_json(metadata));
        const std::string records = evalfleet({"derive", "-"}, trials).out;
        folder_.put("records.jsonl", records);
        folder_.put("summary.json", evalfleet({"reduce", path()}).out);
        seal();
    }

    void seal() const {
        std::filesystem::remove(folder_.path() / job::kManifestName);
        folder_.put("manifest.json",
                    job::to_json(job::blocking_make_manifest(folder_.path()).value()));
    }

    void replace(const std::string& name, const std::string& from, const std::string& to) const {
        std::ifstream in(folder_.path() / name);
        std::string text((std::istreambuf_iterator<char>(in)), {});
        const std::size_t at = text.find(from);
        ASSERT_NE(at, std::string::npos);
        text.replace(at, from.size(), to);
        folder_.put(name, text);
    }

    [[nodiscard]] const ScratchFolder& scratch() const { return folder_; }
    [[nodiscard]] std::string path() const { return folder_.path().string(); }

  private:
    ScratchFolder folder_;
};

TEST(Verify, AcceptsAFolderThatNobodyTouched) {
    const RunFolder run;
    const Outcome outcome = evalfleet({"verify", run.path()});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
}

TEST(Verify, FindsAChangedByte) {
    const RunFolder run;
    run.replace("run.json", "\"r\"", "\"R\"");
    const Outcome outcome = evalfleet({"verify", run.path()});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.out, HasSubstr("run.json: sha256 is "));
}

void expect_that_a_false_pass_count_is_found(const RunFolder& run) {
    run.replace("summary.json", "\"pass_count\": 30", "\"pass_count\": 31");
    run.seal();
    const Outcome outcome = evalfleet({"verify", run.path()});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.out,
                HasSubstr("summary.json: rubric.pass_count: stored 31, recomputed 30"));
}

TEST(Verify, FindsASummaryThatDoesNotFollowFromTheRecordsEvenUnderAFreshManifest) {
    const RunFolder run(4);
    expect_that_a_false_pass_count_is_found(run);
}

TEST(Verify, FindsAPolicyThatWasChangedAfterwards) {
    const RunFolder run;
    run.replace("run.json", "\"seed\": 42\n    }\n  },\n  \"redaction_pii\"",
                "\"seed\": 43\n    }\n  },\n  \"redaction_pii\"");
    run.seal();
    const Outcome outcome = evalfleet({"verify", run.path()});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.out, HasSubstr("summary.json: bootstrap.seed: stored 42, recomputed 43"));
}

TEST(Verify, NamesEveryDifference) {
    const RunFolder run;
    run.replace("records.jsonl", "\"latency_e2e_ms\":100.0", "\"latency_e2e_ms\":10000.0");
    run.scratch().put("extra.txt", "x");
    const Outcome outcome = evalfleet({"verify", run.path()});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.out, HasSubstr("records.jsonl: sha256 is "));
    EXPECT_THAT(outcome.out, HasSubstr("extra.txt: in the folder, but not in the manifest"));
    EXPECT_THAT(outcome.out, HasSubstr("summary.json: rubric.latency_e2e_mean_ms: "));
}

TEST(Verify, FailsOnRecordsThatCannotBeRead) {
    const RunFolder run;
    run.replace("records.jsonl", "{", "");
    const Outcome outcome = evalfleet({"verify", run.path()});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.out, HasSubstr("records.jsonl:1: "));
}

TEST(Verify, ComparesWhatBothVersionsHaveWithASummaryOfAnOlderOne) {
    const RunFolder run(4);
    run.replace("summary.json", "\"1.1\"", "\"1.0\"");
    run.replace("summary.json", "\"certainty\"", "\"sureness\"");
    run.seal();
    EXPECT_EQ(evalfleet({"verify", run.path()}).exit_code, 0);
    expect_that_a_false_pass_count_is_found(run);
}

TEST(Reduce, OfAFolderTakesItsPolicyAndSaysWhichRunItIsOf) {
    const RunFolder run;
    const std::string of_folder = evalfleet({"reduce", run.path()}).out;
    EXPECT_THAT(of_folder, HasSubstr("\"run_id\": \"r\""));
    EXPECT_THAT(of_folder, HasSubstr("\"dataset_hash\": \"d\""));
    EXPECT_THAT(of_folder, HasSubstr("\"replicates\": 100"));
    const std::string records = run.scratch().file("records.jsonl");
    EXPECT_EQ(evalfleet({"reduce", records, "--bootstrap", "100"}).out, of_folder)
        << "run.json lies beside it";
    const ScratchFolder elsewhere;
    std::ifstream in(records);
    const std::string copy =
        elsewhere.put("records.jsonl", std::string((std::istreambuf_iterator<char>(in)), {}));
    EXPECT_THAT(evalfleet({"reduce", copy}).out, HasSubstr("\"run_id\": null"));
    EXPECT_EQ(evalfleet({"reduce", elsewhere.path().string()}).exit_code, 2) << "no run.json";
}

TEST(Verify, EndsWithTwoWhereThereIsNoFolder) {
    EXPECT_EQ(evalfleet({"verify", "/no/such/folder"}).exit_code, 2);
}

std::string violation(const std::string& schema_name, const std::string& json) {
    const auto docs = std::filesystem::path(EVALFLEET_TEST_DATA_DIR).parent_path() / "docs";
    std::ifstream in(docs / "schemas" / (schema_name + ".schema.json"));
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    const auto schema = scoring::JsonSchema::compile(text);
    if (!schema) return schema.error().message;
    return schema->violation(scoring::parse_json_tree(json).value()).value_or("");
}

TEST(ReduceGroup, RanksRunsAndEndsWithOneIfOneIsWorseThanTheFirst) {
    const RunFolder good;
    const RunFolder bad(2);
    bad.replace("run.json", "\"run_id\": \"r\"", "\"run_id\": \"s\"");
    bad.replace("run.json", "\"model_id\": \"p/m\"", "\"model_id\": \"p/n\"");
    const Outcome outcome = evalfleet({"reduce", "--group", good.path(), bad.path()});
    EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
    EXPECT_EQ(violation("group", outcome.out), "");
    EXPECT_THAT(outcome.out, HasSubstr("\"baseline\": \"r\""));
    EXPECT_THAT(outcome.out, HasSubstr("\"p/n@1\": {"));
    EXPECT_EQ(evalfleet({"reduce", "--group", bad.path(), good.path()}).exit_code, 0);
    EXPECT_THAT(evalfleet({"reduce", "--group", "--text", good.path(), bad.path()}).out,
                HasSubstr("worse than the baseline"));
}

TEST(ReduceGroup, RefusesWhatIsNoGroup) {
    const RunFolder one;
    const RunFolder other(0, "e");
    other.replace("run.json", "\"run_id\": \"r\"", "\"run_id\": \"s\"");
    const Outcome refused = evalfleet({"reduce", "--group", one.path(), other.path()});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr("s: dataset_hash differs"));
    EXPECT_EQ(evalfleet({"reduce", "--group", "--force", one.path(), other.path()}).exit_code, 0);
    EXPECT_EQ(evalfleet({"reduce", "--group"}).exit_code, 2);
    EXPECT_EQ(evalfleet({"reduce", "--group", one.path(), one.path()}).exit_code, 2);
    EXPECT_EQ(evalfleet({"reduce", one.path() + "/records.jsonl", one.path()}).exit_code, 2);
}

TEST(Compare, EndsWithOneOnASignificantRegressionOnly) {
    const RunFolder good;
    const RunFolder bad(2);
    EXPECT_EQ(evalfleet({"compare", good.path(), good.path()}).exit_code, 0);
    EXPECT_EQ(evalfleet({"compare", good.path(), bad.path()}).exit_code, 1);
    EXPECT_EQ(evalfleet({"compare", bad.path(), good.path()}).exit_code, 0);
}

TEST(Compare, RefusesRunsOfDifferentDatasetsUnlessForced) {
    const RunFolder one;
    const RunFolder other(0, "e");
    const Outcome refused = evalfleet({"compare", one.path(), other.path()});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr("dataset"));
    const Outcome forced = evalfleet({"compare", one.path(), other.path(), "--force", "--json"});
    EXPECT_EQ(forced.exit_code, 0) << forced.err;
    EXPECT_EQ(forced.out.front(), '{');
}

}  // namespace
}  // namespace evalfleet::test
