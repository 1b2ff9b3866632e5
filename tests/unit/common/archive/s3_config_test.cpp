#include "common/archive/s3_config.hpp"

#include "common/archive/s3_store.hpp"
#include "common/files/atomic_file.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace evalfleet::archive {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Variables = std::map<std::string, std::string>;

config::Environment environment(Variables variables) {
    return [variables](const std::string& name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
}

const Variables kKeys{{"AWS_ACCESS_KEY_ID", "AKID"}, {"AWS_SECRET_ACCESS_KEY", "geheim"}};

TEST(S3Config, TakesKeysAndRegionFromVariables) {
    Variables all = kKeys;
    all["AWS_DEFAULT_REGION"] = "eu-west-1";
    all["AWS_SESSION_TOKEN"] = "token";
    const auto access = blocking_find_access({}, environment(all));
    ASSERT_TRUE(access) << access.error().message;
    EXPECT_EQ(access->region, "eu-west-1");
    EXPECT_EQ(access->credentials.session_token, "token");
    EXPECT_FALSE(access->endpoint);
    EXPECT_EQ(blocking_find_access({.region = "us-west-2"}, environment(all))->region, "us-west-2");
    EXPECT_EQ(blocking_find_access({}, environment(kKeys))->region, "us-east-1");
}

TEST(S3Config, TakesKeysFromAProfile) {
    const testing::TemporaryFolder folder;
    const std::string file = (folder.path() / "credentials").string();
    ASSERT_TRUE(files::blocking_write_atomically(
        file,
        "[default]\naws_access_key_id = A\naws_secret_access_key = B\n"
        "[ops]\naws_access_key_id = C\naws_secret_access_key = D\n"));
    Variables all{{"AWS_SHARED_CREDENTIALS_FILE", file}};
    EXPECT_EQ(blocking_find_access({}, environment(all))->credentials.access_key_id, "A");
    all["AWS_PROFILE"] = "ops";
    EXPECT_EQ(blocking_find_access({}, environment(all))->credentials.secret_access_key, "D");
    all["AWS_PROFILE"] = "none";
    EXPECT_THAT(blocking_find_access({}, environment(all)).error().message,
                HasSubstr("profile 'none'"));
}

TEST(S3Config, SaysWhatIsMissingAndNoSecret) {
    const auto none = blocking_find_access({}, environment({{"HOME", "/nonexistent"}}));
    ASSERT_FALSE(none);
    EXPECT_THAT(none.error().message, HasSubstr("AWS_ACCESS_KEY_ID"));
    const auto half = blocking_find_access({}, environment({{"AWS_SECRET_ACCESS_KEY", "geheim"}}));
    ASSERT_FALSE(half);
    EXPECT_THAT(half.error().message, AllOf(HasSubstr("both"), Not(HasSubstr("geheim"))));
    const auto url = blocking_find_access({.endpoint = "http://me:geheim@x"}, environment(kKeys));
    ASSERT_FALSE(url);
    EXPECT_THAT(url.error().message, Not(HasSubstr("geheim")));
    EXPECT_FALSE(blocking_find_access({.region = "x.evil.com/"}, environment(kKeys)));
}

TEST(S3Config, FindsObjectsAtAwsAndElsewhere) {
    const auto place = [](const S3Config& config, const char* target, const char* key) {
        const auto access = blocking_find_access(config, environment(kKeys)).value();
        const auto url = object_url(access, parse_target(target).value(), key, "");
        return url->redacted();
    };
    const S3Config aws{.region = "eu-west-1"};
    EXPECT_EQ(place(aws, "s3://evals", "r 1/a+b.json"),
              "https://evals.s3.eu-west-1.amazonaws.com/r%201/a%2Bb.json");
    EXPECT_EQ(place(aws, "s3://evals.eu", "k"), "https://s3.eu-west-1.amazonaws.com/evals.eu/k");
    const S3Config minio{.endpoint = "http://minio:9000/base/"};
    EXPECT_EQ(place(minio, "s3://evals", "k"), "http://minio:9000/base/evals/k");
    EXPECT_EQ(place(minio, "s3://evals", ""), "http://minio:9000/base/evals");
}

TEST(S3Store, HasNoMorePartsThanABucketTakes) {
    EXPECT_EQ(part_bytes_of(1), kPartBytes);
    EXPECT_EQ(part_bytes_of(kPartBytes * 10'000), kPartBytes);
    const std::uint64_t huge = kPartBytes * 10'000 * 7 + 1;
    EXPECT_LE((huge + part_bytes_of(huge) - 1) / part_bytes_of(huge), 10'000U);
}

}  // namespace
}  // namespace evalfleet::archive
