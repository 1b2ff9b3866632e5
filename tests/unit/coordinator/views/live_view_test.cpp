#include "coordinator/views/live_view.hpp"

#include "common/files/atomic_file.hpp"
#include "common/json/document.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

namespace evalfleet::views {
namespace {

records::TrialTable table_of(const std::string& records) {
    const testing::TemporaryFolder folder;
    files::blocking_write_atomically(folder / "r", records).value();
    return records::TrialTable::blocking_load(folder / "r").value();
}

// So many samples, of which `failures` fail.
std::string trials(int count, int failures) {
    std::string text;
    for (int i = 0; i < count; ++i) {
        const bool passed = i >= failures;
        text += R"({"sample_index":)" + std::to_string(i) + R"(,"repeat":1,"rubric_passed":)" +
                (passed ? "true" : "false") + R"(,"sample_score":)" + (passed ? "1" : "0") +
                R"(,"faithfulness_score":2,"latency_e2e_ms":)" + std::to_string(100 + i % 10) +
                R"(,"started_at_utc":"2026-11-18T10:00:)" + (i % 2 == 0 ? "00" : "07") + R"(Z"})" +
                "\n";
    }
    return text;
}

TEST(LiveGates, AreOpenWhileThereIsLittleToGoBy) {
    for (const LiveGate& gate : gates_so_far(table_of(""), {})) {
        EXPECT_EQ(gate.decided, "open") << gate.name;
        EXPECT_EQ(gate.observed, std::nullopt);
    }
    const auto few = gates_so_far(table_of(trials(10, 0)), {});
    EXPECT_EQ(few[1].observed, 1);
    EXPECT_EQ(few[1].decided, "open");
}

TEST(LiveGates, AreDecidedOnceTheIntervalIsClearOfTheThreshold) {
    const auto good = gates_so_far(table_of(trials(2000, 20)), {});
    EXPECT_EQ(good[0].decided, "pass");
    EXPECT_EQ(good[1].decided, "pass");
    EXPECT_EQ(good[2].decided, "pass");
    EXPECT_EQ(good[3].decided, "pass");
    EXPECT_LT(good[1].lower, 0.99);
    EXPECT_GT(good[1].upper, 0.99);
    const auto bad = gates_so_far(table_of(trials(2000, 1000)), {});
    EXPECT_EQ(bad[0].decided, "fail");
    EXPECT_EQ(bad[1].decided, "fail");
    const auto close = gates_so_far(table_of(trials(400, 60)), {});
    EXPECT_EQ(close[1].decided, "open") << "0.85 is the threshold";
}

TEST(LiveGates, AreThoseOfTheSummaryOnceThereIsOne) {
    std::string gates;
    std::string decided;
    for (const char* name :
         {"aggregate_score", "pass_rate", "faithfulness_failure_rate", "latency_e2e_p95_ms"}) {
        gates +=
            std::string(gates.empty() ? "" : ",") + "\"" + name +
            R"(":{"observed":0.9,"threshold":0.8,"ci95_lower":0.7,"ci95_upper":null,"passed":false})";
        decided += std::string(decided.empty() ? "" : ",") + "\"" + name + R"(":{"decided":true})";
    }
    const auto document = json::Document::parse(
        R"({"gates":{)" + gates + R"(},"extra":{"gates_decided":{)" + decided + "}}}");
    const auto live = gates_of_summary(document->root());
    ASSERT_TRUE(live);
    EXPECT_EQ((*live)[1].decided, "fail");
    EXPECT_EQ((*live)[1].lower, 0.7);
    EXPECT_EQ((*live)[1].upper, std::nullopt);
    EXPECT_FALSE(gates_of_summary(json::Document::parse("{}")->root()));
}

TEST(Timeline, PutsTrialsWhereTheyEnded) {
    const auto document = json::Document::parse(timeline_json(table_of(trials(100, 0))));
    ASSERT_TRUE(document);
    EXPECT_EQ(document->root().get<double>("bucket_s").value(), 1);
    const auto points = document->root().get<json::Array>("points").value();
    ASSERT_EQ(points.size(), 2U);
    std::vector<std::uint64_t> done;
    for (const json::Value point : points)
        done.push_back(point.get<std::uint64_t>("done").value());
    EXPECT_EQ(done, (std::vector<std::uint64_t>{50, 50}));
    EXPECT_TRUE(json::Document::parse(timeline_json(table_of(""))));
}

}  // namespace
}  // namespace evalfleet::views
