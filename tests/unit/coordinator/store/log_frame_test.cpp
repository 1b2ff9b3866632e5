#include "coordinator/store/log_frame.hpp"

#include <gtest/gtest.h>

#include <random>

namespace evalfleet::store {
namespace {

TEST(LogFrame, ReadsBackWhatWasWritten) {
    std::string bytes;
    append_frame(bytes, {EntryKind::record, 12345678901ULL, R"({"a":1})"});
    append_frame(bytes, {EntryKind::epoch, 7, {}});
    const auto first = read_frame(bytes);
    ASSERT_TRUE(first);
    EXPECT_EQ(first->entry.kind, EntryKind::record);
    EXPECT_EQ(first->entry.number, 12345678901ULL);
    EXPECT_EQ(first->entry.bytes, R"({"a":1})");
    const auto second = read_frame(std::string_view(bytes).substr(first->size));
    ASSERT_TRUE(second);
    EXPECT_EQ(second->entry.kind, EntryKind::epoch);
    EXPECT_EQ(second->entry.number, 7U);
    EXPECT_EQ(first->size + second->size, bytes.size());
}

TEST(LogFrame, IsNoFrameWhenAnyPartIsMissing) {
    std::string bytes;
    append_frame(bytes, {EntryKind::record, 1, "some record"});
    for (std::size_t size = 0; size < bytes.size(); ++size)
        EXPECT_FALSE(read_frame(std::string_view(bytes).substr(0, size))) << size;
}

TEST(LogFrame, IsNoFrameWhenAnyBitIsChanged) {
    std::string bytes;
    append_frame(bytes, {EntryKind::record, 1, "some record"});
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
        std::string changed = bytes;
        changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
        EXPECT_FALSE(read_frame(changed)) << "bit " << bit;
    }
}

TEST(LogFrame, RandomBytesAreNoFrame) {
    std::mt19937 random(1);
    for (int round = 0; round < 2000; ++round) {
        std::string bytes(random() % 64, '\0');
        for (char& byte : bytes)
            byte = static_cast<char>(random());
        EXPECT_FALSE(read_frame(bytes));
    }
}

}  // namespace
}  // namespace evalfleet::store
