#include "worker/providers/key_keeper.hpp"

#include "common/files/atomic_file.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

async::TimePoint after(seconds time) {
    return async::TimePoint(std::chrono::hours(1)) + time;
}

std::optional<std::string> nothing(const std::string&) {
    return std::nullopt;
}

class KeyKeeperTest : public ::testing::Test {
  protected:
    void write(const std::string& text) {
        files::blocking_write_atomically(folder_ / "key", text).value();
    }
    std::shared_ptr<KeyKeeper> make() {
        providers::ProviderConfig provider;
        provider.name = "main";
        provider.api_key_file = folder_ / "key";
        return KeyKeeper::blocking_create(provider, nothing).value();
    }

    testing::TemporaryFolder folder_;
};

TEST_F(KeyKeeperTest, ReadsAFileAgainThatChanged) {
    write("first\n");
    const auto keeper = make();
    EXPECT_EQ(keeper->blocking_current(after(seconds(0))), "first");
    write("second-key\n");
    EXPECT_EQ(keeper->blocking_current(after(seconds(4))), "first");  // not yet time to look
    EXPECT_EQ(keeper->blocking_current(after(seconds(5))), "second-key");
    EXPECT_EQ(keeper->count_changes(), 1U);
    EXPECT_THAT(keeper->all(), ElementsAre("first", "second-key"));
}

TEST_F(KeyKeeperTest, KeepsTheKeyWhereTheFileHasNone) {
    write("first");
    const auto keeper = make();
    write("");
    EXPECT_EQ(keeper->blocking_current(after(seconds(10))), "first");
    std::filesystem::remove(folder_ / "key");
    EXPECT_EQ(keeper->blocking_current(after(seconds(20))), "first");
    EXPECT_EQ(keeper->count_changes(), 0U);
}

TEST(KeyKeeper, NamesTheKeyThatIsMissingByItsLabel) {
    providers::ProviderConfig provider;
    provider.name = "main";
    provider.api_key_env = "NO_SUCH_KEY";
    provider.api_key_id = "openai-prod";
    const auto keeper = KeyKeeper::blocking_create(provider, nothing);
    ASSERT_FALSE(keeper);
    EXPECT_THAT(keeper.error().message, HasSubstr("openai-prod"));
    EXPECT_THAT(keeper.error().message, HasSubstr("NO_SUCH_KEY"));
}

}  // namespace
}  // namespace evalfleet::worker
