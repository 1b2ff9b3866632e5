#include "common/archive/run_files.hpp"

#include "common/files/atomic_file.hpp"
#include "common/job/manifest.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace evalfleet::archive {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RunFiles : public ::testing::Test {
  protected:
    RunFiles() {
        std::filesystem::create_directories(folder_.path() / "work");
        put("records.jsonl", "{}\n");
        put("run.json", "{}");
        seal();
    }
    void put(const std::string& name, const std::string& text) {
        ASSERT_TRUE(files::blocking_write_atomically(folder_.path() / name, text));
    }
    void seal() {
        const auto manifest = job::blocking_make_manifest(folder_.path());
        ASSERT_TRUE(manifest);
        put("manifest.json", job::to_json(*manifest));
    }
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> names;
        for (const RunFile& file : blocking_list_run_files(folder_.path()).value())
            names.push_back(file.name);
        return names;
    }
    [[nodiscard]] std::string refusal() const {
        const auto files = blocking_list_run_files(folder_.path());
        return files ? "accepted" : files.error().message;
    }

    testing::TemporaryFolder folder_;
};

TEST_F(RunFiles, AreThoseOfTheRunWithTheManifestLast) {
    put("reviews.jsonl", "{}\n");
    put("work/dataset.jsonl", "{}\n");
    put("work/spec.json", "{}");
    put("work/trials.table", "x");
    put("work/exported", "x");
    put(".hidden", "x");
    EXPECT_THAT(names(), ElementsAre("records.jsonl", "reviews.jsonl", "run.json", "work/spec.json",
                                     "work/dataset.jsonl", "manifest.json"));
    const auto files = blocking_list_run_files(folder_.path()).value();
    EXPECT_EQ(files[0].bytes, 3U);
    EXPECT_EQ(files[0].sha256, job::sha256_hex("{}\n"));
}

TEST_F(RunFiles, AreRefusedWhenTheyAreNotWhatTheManifestSays) {
    put("records.jsonl", "{ }\n");
    EXPECT_THAT(refusal(), HasSubstr("records.jsonl: is not what manifest.json says"));
    std::filesystem::remove(folder_.path() / "records.jsonl");
    EXPECT_THAT(refusal(), HasSubstr("records.jsonl is in manifest.json and not there"));
}

TEST_F(RunFiles, AreRefusedOfARunThatIsNotOver) {
    std::filesystem::remove(folder_.path() / "manifest.json");
    EXPECT_THAT(refusal(), HasSubstr("has no manifest.json"));
}

}  // namespace
}  // namespace evalfleet::archive
