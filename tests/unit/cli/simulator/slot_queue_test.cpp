#include "cli/simulator/slot_queue.hpp"

#include <gtest/gtest.h>

namespace evalfleet::simulator {
namespace {

using namespace std::chrono_literals;

constexpr async::TimePoint kStart{1h};

TEST(SlotQueue, WithoutSlotsMakesNobodyWait) {
    SlotQueue queue(0);
    for (int i = 0; i < 100; ++i)
        EXPECT_EQ(queue.enter(kStart, 1h), kStart);
}

TEST(SlotQueue, WorksOnOneRequestAfterTheOther) {
    SlotQueue queue(1);
    EXPECT_EQ(queue.enter(kStart, 2s), kStart);
    EXPECT_EQ(queue.enter(kStart + 1s, 3s), kStart + 2s);
    EXPECT_EQ(queue.enter(kStart + 1s, 1s), kStart + 5s);
    EXPECT_EQ(queue.enter(kStart + 30s, 1s), kStart + 30s);
}

TEST(SlotQueue, GivesTheSlotThatIsFreeFirstToTheNextInLine) {
    SlotQueue queue(2);
    EXPECT_EQ(queue.enter(kStart, 10s), kStart);
    EXPECT_EQ(queue.enter(kStart, 1s), kStart);
    EXPECT_EQ(queue.enter(kStart, 2s), kStart + 1s);
    EXPECT_EQ(queue.enter(kStart, 20s), kStart + 3s);
    EXPECT_EQ(queue.enter(kStart, 1s), kStart + 10s);
}

TEST(SlotQueue, NeverHasMoreThanItsSlotsBusy) {
    constexpr std::size_t kSlots = 3;
    SlotQueue queue(kSlots);
    std::vector<std::pair<async::TimePoint, async::TimePoint>> served;
    for (int i = 0; i < 200; ++i) {
        const auto service = std::chrono::milliseconds((i * 37) % 91 + 1);
        const async::TimePoint begin = queue.enter(kStart + std::chrono::milliseconds(i), service);
        served.emplace_back(begin, begin + service);
    }
    for (const auto& [begin, end] : served) {
        std::size_t busy = 0;
        for (const auto& [from, until] : served)
            busy += from <= begin && begin < until ? 1 : 0;
        EXPECT_LE(busy, kSlots);
    }
}

}  // namespace
}  // namespace evalfleet::simulator
