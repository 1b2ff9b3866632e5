#include "coordinator/records/trial_query.hpp"

#include "common/files/atomic_file.hpp"
#include "coordinator/records/folded_search.hpp"
#include "coordinator/records/record_text.hpp"
#include "coordinator/records/utc_time.hpp"
#include "coordinator/store/log_frame.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::records {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

std::string line(int sample, int repeat, bool passed, const std::string& more) {
    return R"({"sample_index":)" + std::to_string(sample) + R"(,"repeat":)" +
           std::to_string(repeat) + R"(,"rubric_passed":)" + (passed ? "true" : "false") +
           R"(,"spec_passed":true)" + (more.empty() ? "" : "," + more) + "}\n";
}

// Six trials of three samples, out of order.
std::string records() {
    return line(
               1, 1, false,
               R"("failure_label":"incorrect_answer","latency_e2e_ms":300,"sample_score":0.25,"correctness_score":0,"task_type":"qa","tags":{"lang":"de"},"cost_usd":0.5,"evaluator_cost_usd":0.25)") +
           line(
               0, 1, true,
               R"("latency_e2e_ms":100,"sample_score":1,"correctness_score":2,"task_type":"qa","tags":{"lang":"en"})") +
           line(
               0, 2, true,
               R"("latency_e2e_ms":200.5,"sample_score":0.75,"correctness_score":2,"task_type":"qa","tags":{"lang":"en"},"evaluator_attempts":2)") +
           line(
               1, 2, true,
               R"("latency_e2e_ms":50,"sample_score":0.75,"correctness_score":1,"task_type":"qa","tags":{"lang":"de"})") +
           line(
               2, 1, false,
               R"("error_kind":"timeout","timed_out":true,"failure_label":"timeout_or_latency_exceeded","task_type":"code")") +
           line(2, 2, false,
                R"("error_kind":"http_429","failure_label":"other","task_type":"code")");
}

class TrialQueryTest : public ::testing::Test {
  protected:
    TrialQueryTest() {
        files::blocking_write_atomically(folder_ / "records.jsonl", records()).value();
        table_ = TrialTable::blocking_load(folder_ / "records.jsonl").value();
    }
    // "sample.repeat" of each match.
    std::vector<std::string> found(const TrialQuery& query, std::size_t ordered = 100) const {
        std::vector<std::string> names;
        for (const std::uint32_t match : select(table_, query, ordered).matches) {
            const TrialEntry& trial = table_.trials()[match];
            names.push_back(std::to_string(trial.sample_index) + "." +
                            std::to_string(trial.repeat));
        }
        return names;
    }

    testing::TemporaryFolder folder_;
    TrialTable table_;
};

TEST_F(TrialQueryTest, ListsTrialsBySampleAndRepeat) {
    EXPECT_THAT(found({}), ElementsAre("0.1", "0.2", "1.1", "1.2", "2.1", "2.2"));
    EXPECT_THAT(found({.descending = true}), ElementsAre("2.2", "2.1", "1.2", "1.1", "0.2", "0.1"));
    EXPECT_EQ(table_.of_sample(1).size(), 2U);
    EXPECT_TRUE(table_.of_sample(7).empty());
}

TEST_F(TrialQueryTest, FiltersByEachNameAlone) {
    EXPECT_THAT(found({.filter = {.passed = true}}), ElementsAre("0.1", "0.2", "1.2"));
    EXPECT_THAT(found({.filter = {.spec_passed = false}}), ElementsAre());
    EXPECT_THAT(found({.filter = {.repeats_disagree = true}}), ElementsAre("1.1", "1.2"));
    EXPECT_THAT(found({.filter = {.judge_retried = true}}), ElementsAre("0.2"));
    EXPECT_THAT(found({.filter = {.labels = {0}}}), ElementsAre("1.1"));
    EXPECT_THAT(found({.filter = {.labels = {TrialEntry::kNone}}}),
                ElementsAre("0.1", "0.2", "1.2"));
    EXPECT_THAT(found({.filter = {.error_kinds = {0, 4}}}), ElementsAre("2.1", "2.2"));
    EXPECT_THAT(found({.filter = {.scores = {1, TrialEntry::kNone}}}),
                ElementsAre("1.2", "2.1", "2.2"));
    EXPECT_THAT(found({.filter = {.task_types = {"code"}}}), ElementsAre("2.1", "2.2"));
    EXPECT_THAT(found({.filter = {.tags = {{"lang", "de"}}}}), ElementsAre("1.1", "1.2"));
    EXPECT_THAT(found({.filter = {.latency_min_ms = 200, .latency_max_ms = 300}}),
                ElementsAre("0.2", "1.1"));
    EXPECT_THAT(found({.filter = {.cost_min_usd = 0.7}}), ElementsAre("1.1"))
        << "model and judge together";
}

TEST_F(TrialQueryTest, SortsWithWhatIsNotKnownLastWhicheverWay) {
    EXPECT_THAT(found({.sort = TrialSort::latency}),
                ElementsAre("1.2", "0.1", "0.2", "1.1", "2.1", "2.2"));
    EXPECT_THAT(found({.sort = TrialSort::latency, .descending = true}),
                ElementsAre("1.1", "0.2", "0.1", "1.2", "2.1", "2.2"));
    EXPECT_THAT(found({.sort = TrialSort::score}),
                ElementsAre("1.1", "0.2", "1.2", "0.1", "2.1", "2.2"))
        << "equal ones by sample and repeat";
    const auto first = found({.sort = TrialSort::latency}, 2);
    EXPECT_EQ(first.size(), 6U);
    EXPECT_EQ(first[0], "1.2");
    EXPECT_EQ(first[1], "0.1");
}

TEST_F(TrialQueryTest, CountsAFacetAsIfItsOwnFilterWereNotThere) {
    const auto all = select(table_, {.wants_facets = true}, 0).facets;
    EXPECT_THAT(all.at("passed"), UnorderedElementsAre(Pair("true", 3), Pair("false", 3)));
    EXPECT_THAT(all.at("score"),
                UnorderedElementsAre(Pair("0", 1), Pair("1", 1), Pair("2", 2), Pair("none", 2)));
    EXPECT_THAT(all.at("tag"), UnorderedElementsAre(Pair("lang:de", 2), Pair("lang:en", 2)));
    const auto failed =
        select(table_, {.filter = {.passed = false}, .wants_facets = true}, 0).facets;
    EXPECT_THAT(failed.at("passed"), UnorderedElementsAre(Pair("true", 3), Pair("false", 3)));
    EXPECT_THAT(failed.at("task_type"), UnorderedElementsAre(Pair("qa", 1), Pair("code", 2)));
    EXPECT_THAT(failed.at("error_kind"),
                UnorderedElementsAre(Pair("none", 1), Pair("timeout", 1), Pair("http_429", 1)));
}

TEST(TrialQuery, KeepsOnlyTheMostFrequentValuesOfAFacet) {
    const testing::TemporaryFolder folder;
    std::string many;
    for (int i = 0; i < 300; ++i)
        many += line(i, 1, true, R"("task_type":"t)" + std::to_string(i % 250) + "\"");
    files::blocking_write_atomically(folder / "r", many).value();
    const auto table = TrialTable::blocking_load(folder / "r").value();
    const auto types = select(table, {.wants_facets = true}, 0).facets.at("task_type");
    EXPECT_EQ(types.size(), kMostFacetValues);
    EXPECT_EQ(types.at("t7"), 2U);
}

TEST(TrialTable, FollowsALogAndTakesTheLastRecordOfATrial) {
    const testing::TemporaryFolder folder;
    const auto write = [&](const std::vector<std::string>& entries, std::string_view tail) {
        std::string bytes;
        for (const std::string& entry : entries)
            store::append_frame(bytes, {store::EntryKind::record, 0, entry});
        files::blocking_write_atomically(folder / "log", bytes + std::string(tail)).value();
    };
    auto table = TrialTable::of_log(folder / "log");
    write({line(0, 1, false, "")}, "half a fra");
    ASSERT_TRUE(table.blocking_follow());
    ASSERT_EQ(table.trials().size(), 1U);
    EXPECT_FALSE(table.trials()[0].passed);
    write({line(0, 1, false, ""), line(1, 1, true, ""), line(0, 1, true, "")}, "");
    ASSERT_TRUE(table.blocking_follow());
    ASSERT_EQ(table.trials().size(), 2U);
    EXPECT_TRUE(table.trials()[0].passed) << "it was tried again";
    auto text = RecordText::blocking_open(table).value();
    EXPECT_EQ(std::string(text.blocking_read(table.trials()[1]).value()) + "\n",
              line(1, 1, true, ""));
}

TEST(FoldedSearch, FindsWhateverTheCase) {
    EXPECT_TRUE(FoldedSearch("Berlin").is_in("ist BERLIN die"));
    EXPECT_TRUE(FoldedSearch("").is_in("anything"));
    EXPECT_TRUE(FoldedSearch("aab").is_in("aaaaab"));
    EXPECT_TRUE(FoldedSearch("\xC3\xA9t").is_in("un \xC3\xA9T\xC3\xA9"));
    EXPECT_FALSE(FoldedSearch("berlin").is_in("berli"));
    EXPECT_FALSE(FoldedSearch("x").is_in(""));
}

TEST(UtcTime, ReadsWhatRecordsHave) {
    EXPECT_EQ(parse_utc_ms("1970-01-02T00:00:01.250Z"), 86'401'250);
    EXPECT_EQ(parse_utc_ms("1970-01-01T01:00:00Z"), 3'600'000);
    EXPECT_EQ(parse_utc_ms("1970-13-01T01:00:00Z"), std::nullopt);
    EXPECT_EQ(parse_utc_ms("yesterday"), std::nullopt);
}

TEST(Excerpt, IsCutBetweenCharacters) {
    EXPECT_EQ(excerpt("short", 10), "short");
    EXPECT_EQ(excerpt("ab\xC3\xA9", 3), "ab\xE2\x80\xA6");
}

}  // namespace
}  // namespace evalfleet::records
