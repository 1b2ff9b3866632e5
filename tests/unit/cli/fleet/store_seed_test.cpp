#include "cli/fleet/store_seed.hpp"

#include "common/files/atomic_file.hpp"
#include "common/files/file.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace evalfleet::fleet {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

void put(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    ASSERT_TRUE(files::blocking_write_atomically(file, text));
}

std::string text_of(const fs::path& file) {
    const auto text = files::blocking_read_file(file, 1 << 20);
    return text ? *text : "(none)";
}

void put_run(const fs::path& folder, const std::string& id, const std::string& name) {
    job::RunMetadata metadata;
    metadata.run_id = id;
    metadata.name = name;
    metadata.timestamp_utc = "2026-11-16T02:00:00Z";
    metadata.dataset_hash = std::string(64, 'a');
    metadata.model = {"main", "m", "1"};
    put(folder / "run.json", job::to_json(metadata));
    put(folder / "records.jsonl", "{}\n");
    put(folder / "summary.json", "{}\n");
    put(folder / "work" / "dataset.jsonl", "{\"task\":\"a\"}\n");
}

TEST(StoreSeed, PlantsARunAsOneThatIsOver) {
    const testing::TemporaryFolder home;
    put_run(home / "main", "20261116-020000-3f9a2c-nightly", "nightly");
    StoreSeed seed;
    seed.runs.push_back(blocking_read_seed(home / "main").value());
    seed.baselines.emplace(seed.runs[0].baseline_name, seed.runs[0].run_id);
    ASSERT_TRUE(blocking_plant(seed, home / "store"));
    const fs::path run = home / "store" / "runs" / "20261116-020000-3f9a2c-nightly";
    EXPECT_EQ(text_of(run / "work" / "phase"), "done\n");
    EXPECT_EQ(text_of(run / "work" / "dataset.jsonl"), "{\"task\":\"a\"}\n");
    EXPECT_EQ(text_of(run / "records.jsonl"), "{}\n");
    EXPECT_EQ(text_of(home / "store" / "baselines.json"),
              "{\"nightly\":\"20261116-020000-3f9a2c-nightly\"}\n");
}

TEST(StoreSeed, TakesANameThatCanNameABaselineOnly) {
    const testing::TemporaryFolder home;
    put_run(home / "a", "20261116-020000-3f9a2c-x", "by hand");
    EXPECT_EQ(blocking_read_seed(home / "a").value().baseline_name, "baseline");
}

TEST(StoreSeed, RefusesAFolderWithoutARunThatIsOver) {
    const testing::TemporaryFolder home;
    EXPECT_FALSE(blocking_read_seed(home / "nothing"));
    put_run(home / "a", "20261116-020000-3f9a2c-x", "x");
    fs::remove(home / "a" / "summary.json");
    const auto refused = blocking_read_seed(home / "a");
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("has no summary.json; allowed"));
    put_run(home / "b", "../../etc", "x");
    EXPECT_THAT(blocking_read_seed(home / "b").error().message, HasSubstr("no id of a run"));
}

}  // namespace
}  // namespace evalfleet::fleet
