#include "coordinator/datasets/dataset_root.hpp"

#include "common/files/atomic_file.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

namespace evalfleet::datasets {
namespace {

namespace fs = std::filesystem;

class DatasetRootTest : public ::testing::Test {
  protected:
    DatasetRootTest() {
        fs::create_directories(folder_ / "root" / "sub");
        fs::create_directories(folder_ / "root-of-another");
        for (const char* name :
             {"root/a.jsonl", "root/sub/b.jsonl", "outside.jsonl", "root-of-another/c.jsonl"})
            files::blocking_write_atomically(folder_ / name, "{}\n").value();
        fs::create_symlink(folder_ / "outside.jsonl", folder_ / "root" / "out.jsonl");
        fs::create_symlink(folder_.path(), folder_ / "root" / "up");
        fs::create_symlink("a.jsonl", folder_ / "root" / "in.jsonl");
    }
    bool finds(const std::string& path) {
        return blocking_find_under({folder_ / "root"}, path).has_value();
    }
    testing::TemporaryFolder folder_;
};

TEST_F(DatasetRootTest, FindsFilesWithinTheRoot) {
    EXPECT_TRUE(finds("a.jsonl"));
    EXPECT_TRUE(finds("sub/b.jsonl"));
    EXPECT_TRUE(finds("sub/../a.jsonl"));
    EXPECT_TRUE(finds("in.jsonl")) << "a link that stays inside";
    EXPECT_TRUE(finds((folder_ / "root" / "a.jsonl").string()));
}

TEST_F(DatasetRootTest, RefusesEverythingThatLeadsOut) {
    EXPECT_FALSE(finds("../outside.jsonl"));
    EXPECT_FALSE(finds("out.jsonl"));
    EXPECT_FALSE(finds("up/outside.jsonl"));
    EXPECT_FALSE(finds("/etc/passwd"));
    EXPECT_FALSE(finds((folder_ / "outside.jsonl").string()));
    EXPECT_FALSE(finds("../root-of-another/c.jsonl")) << "its name begins like the root's";
    EXPECT_FALSE(finds("sub")) << "a folder";
    EXPECT_FALSE(finds(""));
    EXPECT_FALSE(finds(std::string("a.jsonl\0x", 9)));
}

TEST_F(DatasetRootTest, TellsTheSameOfWhatIsNotThereAndOfWhatIsOutside) {
    const auto missing = blocking_find_under({folder_ / "root"}, "nothing.jsonl");
    const auto outside = blocking_find_under({folder_ / "root"}, "../outside.jsonl");
    EXPECT_EQ(missing.error().message, outside.error().message);
    EXPECT_FALSE(blocking_find_under({}, "a.jsonl"));
}

}  // namespace
}  // namespace evalfleet::datasets
