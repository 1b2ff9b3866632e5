#include "coordinator/datasets/dataset_library.hpp"

#include "common/files/file.hpp"
#include "common/runfile/run_file.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::datasets {
namespace {

using ::testing::HasSubstr;

constexpr const char* kOne = "{\"task\":\"one\"}\n";
constexpr const char* kTwo = "{\"task\":\"two\"}\n{\"task\":\"three\"}\n";

class DatasetLibraryTest : public ::testing::Test {
  protected:
    auto add(DatasetLibrary& library, std::string_view content, DatasetLibrary::Label label) {
        auto upload = library.blocking_begin_upload().value();
        for (const char byte : content)
            EXPECT_TRUE(upload.blocking_append(std::string_view(&byte, 1)));
        return library.blocking_add(std::move(upload), label);
    }
    std::size_t count_files(const char* name) const {
        const std::filesystem::directory_iterator folder(folder_.path() / "datasets" / name);
        return static_cast<std::size_t>(std::distance(begin(folder), end(folder)));
    }

    testing::TemporaryFolder folder_;
    DatasetLibrary library_{folder_.path()};
};

TEST_F(DatasetLibraryTest, KeepsAnUploadAndKnowsItAfterARestart) {
    const auto added = add(library_, kTwo, {"qa", "v1", {}, "now", "me"}).value().value();
    EXPECT_TRUE(added.is_new);
    EXPECT_EQ(added.entry.samples, 2U);
    EXPECT_EQ(added.entry.bytes, std::string_view(kTwo).size());
    DatasetLibrary again(folder_.path());
    const DatasetEntry found = again.blocking_find("qa", {}, {}).value();
    EXPECT_EQ(found, added.entry);
    EXPECT_EQ(files::blocking_read_file(again.content(found.hash), 1000).value(), kTwo);
    EXPECT_EQ(count_files("incoming"), 0U);
}

TEST_F(DatasetLibraryTest, StoresTheSameContentOnce) {
    EXPECT_TRUE(add(library_, kOne, {"a", {}, {}, "", ""}).value().value().is_new);
    EXPECT_FALSE(add(library_, kOne, {"a", {}, {}, "", ""}).value().value().is_new);
    EXPECT_TRUE(add(library_, kOne, {"a", "v1", {}, "", ""}).value().value().is_new);
    EXPECT_TRUE(add(library_, kOne, {"b", {}, {}, "", ""}).value().value().is_new);
    EXPECT_EQ(count_files("content"), 1U);
}

TEST_F(DatasetLibraryTest, FindsTheNewestThatFits) {
    const auto first = add(library_, kOne, {"a", "v1", {}, "", ""}).value().value().entry;
    const auto second = add(library_, kTwo, {"a", "v2", {}, "", ""}).value().value().entry;
    EXPECT_EQ(library_.blocking_find("a", {}, {}).value(), second);
    EXPECT_EQ(library_.blocking_find("a", "v1", {}).value(), first);
    EXPECT_EQ(library_.blocking_find("a", {}, first.hash).value(), first);
    EXPECT_EQ(library_.blocking_find("a", "v3", {}).error().kind, ErrorKind::not_found);
    EXPECT_THAT(library_.blocking_find("b", {}, {}).error().message, HasSubstr("\"b\""));
    EXPECT_EQ(library_.blocking_versions("a").value().front(), second);
}

TEST_F(DatasetLibraryTest, DoesNotLetAVersionChange) {
    ASSERT_TRUE(add(library_, kOne, {"a", "v1", {}, "", ""}).value());
    const auto refused = add(library_, kTwo, {"a", "v1", {}, "", ""});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::denied);
    EXPECT_EQ(library_.blocking_find("a", {}, {}).value().samples, 1U);
}

TEST_F(DatasetLibraryTest, TakesNothingInThatIsWrong) {
    const auto bad = add(library_, "{\"task\":\"x\"}\nnot json\n", {"a", {}, {}, "", ""}).value();
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error().kept().front().line, 2U);
    const auto empty = add(library_, "", {"a", {}, {}, "", ""}).value();
    EXPECT_FALSE(empty);
    const auto other = add(library_, kOne, {"a", {}, std::string(64, '0'), "", ""}).value();
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().kept().front().field, "hash");
    EXPECT_FALSE(library_.blocking_find("a", {}, {}));
    EXPECT_EQ(count_files("content"), 0U);
    EXPECT_EQ(count_files("incoming"), 0U);
}

TEST_F(DatasetLibraryTest, ListsTheNewestOfEachPageByPage) {
    for (const char* id : {"c", "a", "b"})
        ASSERT_TRUE(add(library_, kOne, {id, {}, {}, "", ""}).value());
    const auto first = library_.blocking_list("", 2).value();
    ASSERT_EQ(first.size(), 2U);
    EXPECT_EQ(first[1].id, "b");
    EXPECT_EQ(library_.blocking_list("b", 2).value().front().id, "c");
}

}  // namespace
}  // namespace evalfleet::datasets
