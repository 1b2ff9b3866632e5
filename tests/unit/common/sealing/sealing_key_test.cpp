#include "common/sealing/sealing_key.hpp"

#include "common/files/atomic_file.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace evalfleet::sealing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

SealingKey key_of(unsigned char first) {
    std::array<unsigned char, SealingKey::kBytes> bytes{};
    bytes[0] = first;
    return SealingKey(bytes);
}

class KeyFile : public ::testing::Test {
  protected:
    Result<SealingKey> read(std::string_view content, fs::perms mode = fs::perms::owner_read) {
        const auto path = folder_ / "key";
        fs::remove(path);
        EXPECT_TRUE(files::blocking_write_atomically(path, content));
        fs::permissions(path, mode);
        return SealingKey::blocking_read(path);
    }
    testing::TemporaryFolder folder_;
};

TEST(Sealing, GivesBackWhatWasSealed) {
    const SealingKey key = key_of(1);
    for (const std::string& text : {std::string(), std::string("mail bob@example.org"),
                                    std::string(100'000, 'x'), std::string("\0\xFF", 2)}) {
        const std::string sealed = key.seal(text, "trial 1");
        EXPECT_EQ(key.open(sealed, "trial 1").value(), text);
        EXPECT_EQ(key_id_of(sealed), key.id());
        if (text.size() > 8) {
            EXPECT_THAT(sealed, Not(HasSubstr(text)));
        }
    }
    EXPECT_NE(key.seal("same", "p"), key.seal("same", "p")) << "each has a nonce of its own";
}

TEST(Sealing, IsOpenedByItsKeyOnly) {
    const std::string sealed = key_of(1).seal("text", "p");
    const auto opened = key_of(2).open(sealed, "p");
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().kind, ErrorKind::denied);
    EXPECT_THAT(opened.error().message, HasSubstr(key_of(1).id()));
    EXPECT_THAT(opened.error().message, HasSubstr(key_of(2).id()));
}

TEST(Sealing, NoticesEveryChange) {
    const SealingKey key = key_of(1);
    const std::string sealed = key.seal("what the model said", "p");
    EXPECT_FALSE(key.open(sealed, "q")) << "of another trial";
    for (std::size_t i = 0; i < sealed.size(); ++i) {
        std::string changed = sealed;
        changed[i] = changed[i] == 'A' ? 'B' : 'A';
        EXPECT_FALSE(key.open(changed, "p")) << i;
        EXPECT_FALSE(key.open(sealed.substr(0, i), "p")) << i;
    }
    EXPECT_FALSE(key.open(sealed + "AAAA", "p"));
    EXPECT_FALSE(key.open("v2" + sealed.substr(2), "p"));
    EXPECT_EQ(key_id_of("what?"), "");
}

TEST_F(KeyFile, HoldsBytesOrHexDigits) {
    const std::string bytes(32, 'k');
    const auto raw = read(bytes);
    ASSERT_TRUE(raw) << raw.error().message;
    std::string hex;
    for (int i = 0; i < 32; ++i)
        hex += "6B";
    const auto digits = read(hex + "\n");
    ASSERT_TRUE(digits) << digits.error().message;
    EXPECT_EQ(raw->id(), digits->id());
    for (const std::string& other : {std::string(), std::string(31, 'k'), std::string(64, 'g')})
        EXPECT_THAT(read(other).error().message, HasSubstr("is no key")) << other.size();
}

TEST_F(KeyFile, IsClosedToOthers) {
    using fs::perms;
    const std::string bytes(32, 'k');
    EXPECT_TRUE(read(bytes, perms::owner_read | perms::group_read));
    for (const perms open : {perms::others_read, perms::others_exec, perms::group_write}) {
        const auto key = read(bytes, perms::owner_read | open);
        ASSERT_FALSE(key);
        EXPECT_THAT(key.error().message, HasSubstr("no access for others"));
        EXPECT_THAT(key.error().message, HasSubstr("key: found mode"));
    }
    EXPECT_EQ(SealingKey::blocking_read(folder_ / "none").error().kind, ErrorKind::not_found);
    EXPECT_FALSE(SealingKey::blocking_read(folder_.path()));
}

}  // namespace
}  // namespace evalfleet::sealing
