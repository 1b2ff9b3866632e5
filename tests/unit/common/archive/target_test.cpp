#include "common/archive/target.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::archive {
namespace {

using ::testing::HasSubstr;

TEST(ArchiveTarget, IsABucketWithAPrefixOrAFolder) {
    const auto bucket = parse_target("s3://evals-1.eu/nightly/main/");
    ASSERT_TRUE(bucket) << bucket.error().message;
    EXPECT_TRUE(bucket->is_bucket());
    EXPECT_EQ(bucket->bucket, "evals-1.eu");
    EXPECT_EQ(bucket->prefix, "nightly/main");
    EXPECT_EQ(bucket->name("r-1"), "s3://evals-1.eu/nightly/main/r-1");
    EXPECT_EQ(parse_target("s3://evals")->name(), "s3://evals");
    const auto folder = parse_target("/mnt/archive");
    ASSERT_TRUE(folder);
    EXPECT_FALSE(folder->is_bucket());
    EXPECT_EQ(folder->name("r-1"), "/mnt/archive/r-1");
}

TEST(ArchiveTarget, RefusesWhatIsNeither) {
    for (const char* text :
         {"", "s3://", "s3:///x", "s3://ab", "s3://UPPER/x", "s3://evals//x", "s3://evals/../x",
          "s3://evals/a/./b", "gs://evals/x", "https://s3.example.com/evals", "s3://evals/a\nb"}) {
        const auto target = parse_target(text);
        ASSERT_FALSE(target) << text;
        EXPECT_THAT(target.error().message, HasSubstr("allowed: s3://BUCKET")) << text;
    }
}

}  // namespace
}  // namespace evalfleet::archive
