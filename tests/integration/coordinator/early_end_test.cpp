#include "common/files/file.hpp"
#include "common/json/document.hpp"
#include "tests/support/fleet.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <vector>

namespace evalfleet {
namespace {

using testing::Fleet;

std::vector<std::int64_t> sample_indexes(const std::filesystem::path& records) {
    std::vector<std::int64_t> indexes;
    std::ifstream file(records);
    json::Parser parser;
    for (std::string line; std::getline(file, line);)
        indexes.push_back(parser.parse(line).value().get<std::int64_t>("sample_index").value());
    return indexes;
}

// One failure decides the gate on the pass rate; then calls of a few trials are under way.
TEST(EarlyEnd, SavesOnlyCallsThatWereNotMadeAndKeepsTheRecordsInOrder) {
    constexpr int kRepeats = 4;
    Fleet fleet({.latency_ms = "60"});
    fleet.submit(kRepeats, R"(,"early_stop":"gates","limits":{"max_in_flight":12},)"
                           R"("policy":{"gates":{"min_aggregate_score":0,"min_pass_rate":1,)"
                           R"("max_faithfulness_failure_rate":1}})");
    ASSERT_TRUE(fleet.await_end(60)) << fleet.coordinator_log();
    ASSERT_EQ(fleet.progress()->state, "done");
    const auto text = files::blocking_read_file(fleet.run_folder() / "run.json", 1 << 24);
    const auto run = json::Document::parse(text.value());
    const auto saved = run->root().get<std::int64_t>("saved_calls").value();
    const auto made = static_cast<std::int64_t>(fleet.read_calls().size());
    constexpr std::int64_t kTrials = Fleet::kSamples * kRepeats;
    EXPECT_GT(saved, 0);
    EXPECT_LE(made + saved / 2, kTrials);
    const auto indexes = sample_indexes(fleet.run_folder() / "records.jsonl");
    EXPECT_TRUE(std::is_sorted(indexes.begin(), indexes.end()));
    EXPECT_EQ(fleet.verify(), 0);
}

// Slow calls are the last to come back: without them the figures would be those of the fast ones.
TEST(EarlyEnd, WaitsForTheCallsThatAreUnderWay) {
    constexpr int kRepeats = 4;
    Fleet fleet({.latency_ms = "60"});
    fleet.submit(kRepeats, R"(,"early_stop":"gates","limits":{"max_in_flight":12},)"
                           R"("policy":{"gates":{"min_aggregate_score":0,"min_pass_rate":1,)"
                           R"("max_faithfulness_failure_rate":1}})");
    ASSERT_TRUE(fleet.await_end(60)) << fleet.coordinator_log();
    const auto indexes = sample_indexes(fleet.run_folder() / "records.jsonl");
    EXPECT_LT(indexes.size(), std::size_t{Fleet::kSamples} * kRepeats) << "it ended early";
    EXPECT_EQ(indexes.size(), fleet.read_calls().size()) << fleet.coordinator_log();
}

}  // namespace
}  // namespace evalfleet
