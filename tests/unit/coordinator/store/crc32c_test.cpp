#include "coordinator/store/crc32c.hpp"

#include <gtest/gtest.h>

#include <string>

namespace evalfleet::store {
namespace {

TEST(Crc32c, IsThatOfTheStandard) {
    // RFC 3720, B.4.
    EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
    EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43U);
    EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
    EXPECT_EQ(crc32c(""), 0U);
}

TEST(Crc32c, IsTheSameWithAndWithoutTheInstruction) {
    std::string bytes;
    for (int length = 0; length < 300; ++length) {
        EXPECT_EQ(crc32c(bytes), portable_crc32c(bytes)) << length;
        bytes.push_back(static_cast<char>(length * 37 + 11));
    }
}

}  // namespace
}  // namespace evalfleet::store
