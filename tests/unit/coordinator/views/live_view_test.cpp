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
