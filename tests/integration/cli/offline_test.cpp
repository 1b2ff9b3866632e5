#include "tests/integration/cli/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr const char* kTrial =
    R"({"sample_index":0,"repeat":1,"answer":"a","latency_e2e_ms":5,"input_tokens":1,)"
    R"("output_tokens":1,"accuracy_score":2,"faithfulness_score":2,"my_own":{"z":1.50}})"
    "\n";

TEST(Evalfleet, TellsItsVersionAndHelp) {
    EXPECT_THAT(evalfleet({"--version"}).out, StartsWith("evalfleet "));
    const Outcome help = evalfleet({"--help"});
    EXPECT_EQ(help.exit_code, 0);
    for (const char* const command :
         {"derive", "reduce", "judge-parse", "render", "verify", "compare"}) {
        EXPECT_THAT(help.out, HasSubstr(command));
    }
}

TEST(Evalfleet, EndsWithTwoWhenTheCommandLineIsWrong) {
    EXPECT_EQ(evalfleet({}).exit_code, 2);
    EXPECT_EQ(evalfleet({"derives"}).exit_code, 2);
    EXPECT_EQ(evalfleet({"derive"}).exit_code, 2);
    EXPECT_EQ(evalfleet({"reduce", "x", "--seed", "-1"}).exit_code, 2);
}

TEST(Rejudge, RefusesLabelsThatAreWrongWithTheirLine) {
    const ScratchFolder folder;
    const std::string labels =
        folder.put("labels.jsonl", "\n{\"sample_id\":\"a\",\"correctness_score\":7}\n");
    for (const std::string& run :
         {folder.path().string(), std::string("20261116-020000-3f9a2c-qa")}) {
        const Outcome refused = evalfleet({"rejudge", run, "--labels", labels});
        EXPECT_EQ(refused.exit_code, 2) << run;
        EXPECT_THAT(refused.err, HasSubstr("labels.jsonl:2")) << run;
    }
    const Outcome both =
        evalfleet({"rejudge", folder.path().string(), "--judge", "main/j@1", "--labels", labels});
    EXPECT_EQ(both.exit_code, 2);
}

TEST(Derive, ReadsStandardInputAndLetsUnknownMembersThrough) {
    const Outcome outcome = evalfleet({"derive", "-"}, kTrial);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_THAT(outcome.out, HasSubstr(R"("rubric_passed":true)"));
    EXPECT_THAT(outcome.out, HasSubstr(R"("my_own":{"z":1.5}})"));
}

TEST(Derive, ScoresTrialsAsPeopleDid) {
    const ScratchFolder folder;
    const std::string labels =
        folder.put("labels.jsonl", R"({"sample_id":1,"correctness_score":0,"faithfulness_score":2})"
                                   "\n");
    const Outcome outcome = evalfleet({"derive", "-", "--labels", labels}, kTrial);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr(R"("accuracy_score":0,"correctness_score":0)"));
    EXPECT_THAT(outcome.out, HasSubstr(R"("failure_label":"incorrect_answer")"));
    const std::string others = folder.put(
        "others.jsonl", R"({"sample_id":"x","correctness_score":0,"faithfulness_score":2})"
                        "\n");
    EXPECT_THAT(evalfleet({"derive", "-", "--labels", others}, kTrial).out,
                HasSubstr(R"("evaluator_error":"missing_label")"));
    const std::string wrong = folder.put("wrong.jsonl", "\n{\"sample_id\":\"x\"}\n");
    const Outcome refused = evalfleet({"derive", "-", "--labels", wrong}, kTrial);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr("wrong.jsonl:2: "));
}

TEST(Derive, ChangesNothingWhenItIsAppliedToItsOwnOutput) {
    const std::string once = evalfleet({"derive", "-"}, kTrial).out;
    EXPECT_EQ(evalfleet({"derive", "-"}, once).out, once);
}

TEST(Derive, SkipsBlankLinesAndNeedsNoLineFeedAtTheEnd) {
    const std::string line = std::string(kTrial).substr(0, std::string(kTrial).size() - 1);
    const Outcome outcome = evalfleet({"derive", "-"}, "\n \r\n" + line);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1);
}

TEST(Derive, NamesFileLineAndPathOfAWrongMemberAndLeavesNothingBehind) {
    const ScratchFolder folder;
    const std::string trials =
        folder.put("trials.jsonl", std::string(kTrial) + "\n" +
                                       R"({"sample_index":1,"repeat":1,"tags":{"a":1}})" + "\n");
    const Outcome outcome = evalfleet({"derive", trials, "--out", folder.file("out.jsonl")});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.err, trials + ":3: tags.a: expected a string, found 1\n");
    EXPECT_THAT(folder.names(), ElementsAre("trials.jsonl"));
}

TEST(Derive, NamesTheLineThatIsNotJson) {
    const Outcome outcome =
        evalfleet({"derive", "-"}, std::string(kTrial) + "{\"sample_index\" 0}\n");
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, StartsWith("<stdin>:2: column 17: "));
}

TEST(Derive, ReplacesItsOutputOnlyWhenItIsComplete) {
    const ScratchFolder folder;
    const std::string out = folder.put("out.jsonl", "old");
    const std::string bad = folder.put("bad.jsonl", "{}\n");
    EXPECT_EQ(evalfleet({"derive", bad, "--out", out}).exit_code, 2);
    EXPECT_EQ(evalfleet({"derive", bad, "--out", folder.file("no/such/folder")}).exit_code, 2);
    const std::string good = folder.put("good.jsonl", kTrial);
    EXPECT_EQ(evalfleet({"derive", good, "--out", out}).exit_code, 0);
    EXPECT_THAT(folder.names(), ElementsAre("bad.jsonl", "good.jsonl", "out.jsonl"));
}

TEST(Derive, RefusesAMisspeltPolicy) {
    const ScratchFolder folder;
    const std::string policy = folder.put("p.json", "{\n\"gates\": {\"min_passrate\": 1}}");
    const Outcome outcome = evalfleet({"derive", "-", "--policy", policy}, kTrial);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(outcome.err, HasSubstr("did you mean \"min_pass_rate\"?"));
    const std::string broken = folder.put("q.json", "{\n\"gates\": }");
    EXPECT_THAT(evalfleet({"derive", "-", "--policy", broken}, kTrial).err,
                StartsWith(broken + ":2: column 10: "));
}

TEST(Derive, RefusesWeightsThatDoNotAddUpToOneAsReduceDoes) {
    const ScratchFolder folder;
    const std::string policy =
        folder.put("p.json",
                   "{\n\"weights\": {\"accuracy\": 45, \"faithfulness\": 30,\n\"latency\": 15, "
                   "\"token_efficiency\": 10}, \"gates\": {\"min_aggregate_score\": 80}}");
    const std::string records = folder.put("records.jsonl", evalfleet({"derive", "-"}, kTrial).out);
    for (const Outcome& outcome : {evalfleet({"derive", "-", "--policy", policy}, kTrial),
                                   evalfleet({"reduce", records, "--policy", policy})}) {
        EXPECT_EQ(outcome.exit_code, 2);
        EXPECT_THAT(outcome.out, IsEmpty());
        EXPECT_THAT(outcome.err, HasSubstr(policy + ":2: weights: expected weights that add up to "
                                                    "1, found accuracy 45"));
        EXPECT_THAT(outcome.err, HasSubstr(policy + ":3: gates.min_aggregate_score: "));
    }
}

TEST(Derive, EndsWithTwoForAFileThatIsNotThere) {
    EXPECT_EQ(evalfleet({"derive", "/no/such/file"}).exit_code, 2);
    EXPECT_EQ(evalfleet({"derive", "/"}).exit_code, 2);
}

TEST(Derive, EndsWithThreeWhenTheDiskIsFull) {
    EXPECT_EQ(evalfleet({"derive", "-", "--out", "/dev/full"}, kTrial).exit_code, 3);
}

TEST(Reduce, TellsTheVerdictByItsExitCode) {
    const std::string record = evalfleet({"derive", "-"}, kTrial).out;
    const ScratchFolder folder;
    const std::string records = folder.put("records.jsonl", record);
    const std::string strict = folder.put("p.json", R"({"gates": {"max_latency_e2e_p95_ms": 1}})");
    EXPECT_EQ(evalfleet({"reduce", records}).exit_code, 0);
    EXPECT_EQ(evalfleet({"reduce", records, "--policy", strict}).exit_code, 1);
    EXPECT_EQ(evalfleet({"reduce", "-"}, record).out, evalfleet({"reduce", records}).out);
}

TEST(Reduce, TakesBootstrapAndSeedFromItsFlags) {
    const std::string record = evalfleet({"derive", "-"}, kTrial).out;
    const Outcome outcome =
        evalfleet({"reduce", "-", "--bootstrap", "7", "--seed", "18446744073709551615"}, record);
    EXPECT_THAT(outcome.out, HasSubstr("\"replicates\": 7"));
    EXPECT_THAT(outcome.out, HasSubstr("\"seed\": 18446744073709551615"));
}

TEST(Reduce, NamesFileAndLineOfAMalformedRecord) {
    const std::string record = evalfleet({"derive", "-"}, kTrial).out;
    const ScratchFolder folder;
    const std::string records = folder.put("records.jsonl", record + "{\"sample_index\": tru}\n");
    const Outcome outcome = evalfleet({"reduce", records, "--out", folder.file("summary.json")});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, StartsWith(records + ":2: "));
    EXPECT_THAT(folder.names(), ElementsAre("records.jsonl"));
    EXPECT_THAT(evalfleet({"reduce", "-"}, "[]\n").err, StartsWith("<stdin>:1: "));
}

TEST(Reduce, RefusesARecordThatIsGivenTwice) {
    const std::string record = evalfleet({"derive", "-"}, kTrial).out;
    const Outcome outcome = evalfleet({"reduce", "-"}, record + record);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.out, IsEmpty());
}

TEST(JudgeParse, SaysWhyAReplyIsRejected) {
    const Outcome outcome = evalfleet({"judge-parse", "-"}, "{\"reply\": \"no\"}\n");
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_THAT(outcome.out, StartsWith(R"({"ok":false,"reason":"malformed_json",)"));
}

TEST(JudgeParse, RefusesAnUnknownProfile) {
    const Outcome outcome =
        evalfleet({"judge-parse", "-"}, R"({"reply": "", "profile": "rubric-v2"})");
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("<stdin>:1: profile: expected one of rubric-v1, spec-v1"));
}

TEST(Render, RefusesAValueThatIsNotText) {
    const Outcome outcome =
        evalfleet({"render", "-"}, R"({"template": "{{a}}", "vars": {"a": 1}})");
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("<stdin>:1: vars.a: expected a string or null, found 1"));
}

TEST(Evalfleet, NeverPrintsASecretThatStandsInItsInput) {
    const std::string secret = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH";
    const Outcome outcome = evalfleet({"derive", "-"}, R"({"sample_index":")" + secret + "\"}\n");
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, testing::Not(HasSubstr(secret)));
}

}  // namespace
}  // namespace evalfleet::test
