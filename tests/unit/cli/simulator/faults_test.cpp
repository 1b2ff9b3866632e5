#include "cli/simulator/faults.hpp"

#include "cli/simulator/config.hpp"

#include <gtest/gtest.h>

#include <map>

namespace evalfleet::simulator {
namespace {

using namespace std::chrono_literals;

const FaultKind& kind_of(std::string_view name) {
    for (const FaultKind& kind : all_faults()) {
        if (kind.name == name) return kind;
    }
    throw std::logic_error("no such fault");
}

/// What happens to request `i` when it comes for the nth time.
std::string_view drawn(const FaultRates& rates, const FaultTimes& times, std::uint64_t i,
                       std::uint64_t nth) {
    const std::uint64_t key = combine(7, i);
    const FaultKind* hit = draw_fault(rates, times, Draw(key), Draw(combine(key, nth)), nth);
    return hit == nullptr ? "none" : hit->name;
}

TEST(FaultTimes, AreOneNumberOrOneForEachFault) {
    const FaultTimes all = FaultTimes::parse("2").value();
    EXPECT_EQ(all.of(kind_of("429")), 2U);
    const FaultTimes some = FaultTimes::parse("429=1,mid-error=0").value();
    EXPECT_EQ(some.of(kind_of("429")), 1U);
    EXPECT_EQ(some.of(kind_of("mid-error")), 0U);
    EXPECT_FALSE(some.of(kind_of("500")));
    EXPECT_EQ(FaultTimes::parse("3,hang=0").value().of(kind_of("500")), 3U);
    for (const char* bad : {"", "x", "429=", "429=-1", "418=1", "429=1,", "=1"})
        EXPECT_FALSE(FaultTimes::parse(bad)) << bad;
}

TEST(DrawFault, HitsARequestItsFirstTimesAndThenNoMore) {
    const FaultRates rates{.too_many = 0.2, .internal = 0.2, .hang = 0.2};
    const FaultTimes times = FaultTimes::parse("429=1,500=2,hang=0").value();
    std::map<std::string_view, int> seen;
    for (std::uint64_t i = 0; i < 2000; ++i) {
        const std::string_view first = drawn(rates, times, i, 1);
        ++seen[first];
        EXPECT_EQ(drawn(rates, times, i, 2), first == "429" ? "none" : first);
        const bool goes_on = first == "hang";
        EXPECT_EQ(drawn(rates, times, i, 3), goes_on ? "hang" : "none");
        EXPECT_EQ(drawn(rates, times, i, 99), goes_on ? "hang" : "none");
    }
    EXPECT_NEAR(seen["429"], 400, 80);
    EXPECT_NEAR(seen["500"], 400, 80);
    EXPECT_NEAR(seen["hang"], 400, 80);
}

TEST(DrawFault, KeepsTheSharesOfFaultsThatAreDrawnEachTime) {
    const FaultRates rates{.too_many = 0.5, .internal = 0.4};
    const FaultTimes times = FaultTimes::parse("429=0").value();
    std::map<std::string_view, int> seen;
    int changed = 0;
    for (std::uint64_t i = 0; i < 2000; ++i) {
        const std::string_view first = drawn(rates, times, i, 1);
        ++seen[first];
        changed += drawn(rates, times, i, 2) != first ? 1 : 0;
    }
    EXPECT_NEAR(seen["429"], 1000, 120);
    EXPECT_NEAR(seen["500"], 800, 120);
    EXPECT_GT(changed, 100);
}

TEST(FaultRates, AddUp) {
    EXPECT_DOUBLE_EQ((FaultRates{.too_many = 0.5, .unavailable = 0.25, .filter = 0.125}.sum()),
                     0.875);
}

TEST(RetryAfter, IsToldByA429UnlessItSaysOtherwise) {
    const RetryAfter usual;
    EXPECT_EQ(usual.told_with(429), 1s);
    EXPECT_FALSE(usual.told_with(503));
    EXPECT_EQ(usual.to_string(), "1s");
    const RetryAfter given = RetryAfter::parse("0.5").value();
    for (const int status : {429, 503, 529})
        EXPECT_EQ(given.told_with(status), 500ms) << status;
    EXPECT_FALSE(given.told_with(500));
    const RetryAfter none = RetryAfter::parse("none").value();
    for (const int status : {429, 503, 529})
        EXPECT_FALSE(none.told_with(status)) << status;
    EXPECT_FALSE(RetryAfter::parse("soon"));
}

TEST(TokenRange, IsTwoNumbersInOrder) {
    EXPECT_EQ(TokenRange::parse("5:100").value().max, 100U);
    EXPECT_EQ(TokenRange::parse("7:7").value().min, 7U);
    for (const char* bad : {"", "5", "5:", ":5", "0:5", "6:5", "1:1000001", "a:b"})
        EXPECT_FALSE(TokenRange::parse(bad)) << bad;
}

}  // namespace
}  // namespace evalfleet::simulator
