#include "common/job/manifest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace evalfleet::job {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ManifestTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string name = (std::filesystem::temp_directory_path() / "evalfleet-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder_ = name;
        put("a.txt", "abc");
        put("b.txt", "");
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    void put(const std::string& name, const std::string& text) {
        std::ofstream(folder_ / name) << text;
    }

    std::filesystem::path folder_;
};

TEST(Sha256, IsTheStandardsOwn) {
    EXPECT_EQ(sha256_hex("abc"),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_F(ManifestTest, HashesEveryFileButItself) {
    put("manifest.json", "{}");
    const Manifest manifest = blocking_make_manifest(folder_).value();
    EXPECT_EQ(manifest.sha256.size(), 2U);
    EXPECT_EQ(manifest.sha256.at("a.txt"), sha256_hex("abc"));
    EXPECT_EQ(manifest.sha256.at("b.txt"), sha256_hex(""));
    EXPECT_EQ(parse_manifest(to_json(manifest)).value(), manifest);
}

TEST_F(ManifestTest, FindsEveryDifference) {
    const Manifest manifest = blocking_make_manifest(folder_).value();
    EXPECT_THAT(blocking_check_manifest(folder_, manifest).value(), IsEmpty());
    put("a.txt", "abd");
    put("c.txt", "new");
    std::filesystem::remove(folder_ / "b.txt");
    EXPECT_THAT(
        blocking_check_manifest(folder_, manifest).value(),
        ElementsAre(HasSubstr("a.txt: sha256 is "), HasSubstr("b.txt: in the manifest, but"),
                    HasSubstr("c.txt: in the folder, but")));
}

TEST_F(ManifestTest, DoesNotSpeakOfReviewsWhichGrowAfterTheRun) {
    const Manifest manifest = blocking_make_manifest(folder_).value();
    put("reviews.jsonl", "{}\n");
    EXPECT_THAT(blocking_check_manifest(folder_, manifest).value(), IsEmpty());
    EXPECT_EQ(blocking_make_manifest(folder_).value(), manifest);
}

TEST_F(ManifestTest, ReadsLargeFilesInPieces) {
    const std::string large(1'000'000, 'x');
    put("large", large);
    EXPECT_EQ(blocking_sha256_file(folder_ / "large").value(), sha256_hex(large));
}

TEST_F(ManifestTest, SaysWhatCannotBeRead) {
    EXPECT_EQ(blocking_sha256_file(folder_ / "gone").error().kind, ErrorKind::not_found);
    EXPECT_EQ(blocking_make_manifest(folder_ / "gone").error().kind, ErrorKind::not_found);
}

TEST(Manifest, RefusesNamesOutsideItsFolderAndBadHashes) {
    EXPECT_FALSE(parse_manifest(R"({"sha256": {"../x": ")" + std::string(64, 'a') + "\"}}"));
    EXPECT_FALSE(parse_manifest(R"({"sha256": {"x": "abc"}})"));
    EXPECT_FALSE(parse_manifest("{}"));
}

}  // namespace
}  // namespace evalfleet::job
