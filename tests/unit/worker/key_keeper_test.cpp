#include "worker/providers/key_keeper.hpp"

#include "common/files/atomic_file.hpp"
#include "common/redaction/redactor.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

using std::chrono::seconds;
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
        return KeyKeeper::blocking_create(provider, nothing, secrets_).value();
    }
    std::string redacted(const std::string& text) {
        return redaction::Redactor::sharing(secrets_).redact(text).text;
    }

    testing::TemporaryFolder folder_;
    std::shared_ptr<redaction::Secrets> secrets_ = std::make_shared<redaction::Secrets>();
};

TEST_F(KeyKeeperTest, ReadsAFileAgainThatChanged) {
    write("first\n");
    const auto keeper = make();
    EXPECT_EQ(keeper->blocking_current(after(seconds(0))), "first");
    write("second-key\n");
    EXPECT_EQ(keeper->blocking_current(after(seconds(4))), "first");  // not yet time to look
    EXPECT_EQ(keeper->blocking_current(after(seconds(5))), "second-key");
}

TEST_F(KeyKeeperTest, TellsTheRedactorsOfEveryKey) {
    write("first-key");
    const auto keeper = make();
    EXPECT_EQ(redacted("first-key second-key"), "[REDACTED:secret] second-key");
    write("second-key\n");
    EXPECT_EQ(keeper->blocking_current(after(seconds(5))), "second-key");
    EXPECT_EQ(redacted("first-key second-key"), "[REDACTED:secret] [REDACTED:secret]");
}

TEST_F(KeyKeeperTest, LetsTheRedactorsForgetWhatIsLongGone) {
    write("key-number-0");
    const auto keeper = make();
    constexpr int kKeys = 17;
    for (int i = 1; i < kKeys; ++i) {
        write("key-number-" + std::string(static_cast<std::size_t>(i), 'x'));
        EXPECT_NE(keeper->blocking_current(after(seconds(10 * i))), "key-number-0");
    }
    EXPECT_EQ(redacted("key-number-0"), "key-number-0");
    EXPECT_EQ(redacted("key-number-x"), "[REDACTED:secret]");
}

TEST_F(KeyKeeperTest, KeepsTheKeyWhereTheFileHasNone) {
    write("first");
    const auto keeper = make();
    write("");
    EXPECT_EQ(keeper->blocking_current(after(seconds(10))), "first");
    std::filesystem::remove(folder_ / "key");
    EXPECT_EQ(keeper->blocking_current(after(seconds(20))), "first");
}

TEST_F(KeyKeeperTest, LooksAgainAtOnceWhenTheKeyIsRefused) {
    write("first");
    const auto keeper = make();
    EXPECT_EQ(keeper->blocking_current(after(seconds(0))), "first");
    EXPECT_FALSE(keeper->blocking_is_other("first"));
    write("second");
    EXPECT_TRUE(keeper->blocking_is_other("first"));
    EXPECT_EQ(keeper->blocking_current(after(seconds(1))), "second");
}

TEST(KeyKeeper, NamesTheKeyThatIsMissingByItsLabel) {
    providers::ProviderConfig provider;
    provider.name = "main";
    provider.api_key_env = "NO_SUCH_KEY";
    provider.api_key_id = "openai-prod";
    const auto keeper =
        KeyKeeper::blocking_create(provider, nothing, std::make_shared<redaction::Secrets>());
    ASSERT_FALSE(keeper);
    EXPECT_THAT(keeper.error().message, HasSubstr("openai-prod"));
    EXPECT_THAT(keeper.error().message, HasSubstr("NO_SUCH_KEY"));
}

}  // namespace
}  // namespace evalfleet::worker
