#include "tests/chaos/campaign.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>

namespace evalfleet::chaos {

namespace {

constexpr std::size_t kFewRounds = 2;
constexpr std::size_t kShortSequence = 4;
constexpr std::size_t kLongSequence = 8;
constexpr std::chrono::seconds kSettledWithin{30};

std::uint32_t number(const char* name, std::uint32_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise
                           : static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}

bool is_long() {
    return std::getenv("EVALFLEET_CHAOS_SEEDS") != nullptr;
}

/// Prints the table when the last test is over.
class TablePrinter : public ::testing::Environment {
  public:
    void TearDown() override {
        if (!tally.empty()) std::cout << "\n" << to_markdown(tally) << std::endl;
    }
    Tally tally;
};

TablePrinter& printer() {
    static auto* const printer = new TablePrinter;  // GoogleTest owns it
    return *printer;
}

[[maybe_unused]] ::testing::Environment* const registered =
    ::testing::AddGlobalTestEnvironment(&printer());

std::string class_of(const Round& round, const std::string& kind) {
    const std::string name =
        round.faults.size() == 1 ? round.faults.front()->name : "several in a row";
    return kind.empty() ? name : kind + ": " + name;
}

void enter(const std::string& name, const ClassTally& tally) {
    add(printer().tally, name, tally);
    if (const char* path = std::getenv("EVALFLEET_CHAOS_ROUNDS"))
        std::ofstream(path, std::ios::app) << to_line(name, tally) << std::flush;
}

// Programs may need a moment to let go.
Findings await_levels(TestBed& test_bed, const Levels& before) {
    Findings findings;
    (void)Fleet::await_true(
        [&] {
            findings = check_levels(before, test_bed.levels());
            return findings.empty();
        },
        std::chrono::steady_clock::now() + kSettledWithin);
    return findings;
}

}  // namespace

std::vector<std::uint32_t> seeds() {
    const std::uint32_t first = number("EVALFLEET_CHAOS_SEED", 1);
    std::vector<std::uint32_t> seeds;
    for (std::uint32_t i = 0; i < number("EVALFLEET_CHAOS_SEEDS", 1); ++i)
        seeds.push_back(first + i);
    return seeds;
}

std::size_t rounds_of_group() {
    return is_long() ? std::numeric_limits<std::size_t>::max() : kFewRounds;
}

std::size_t faults_in_sequence() {
    return is_long() ? kLongSequence : kShortSequence;
}

void play_all(const TestBedOptions& options, const std::vector<Round>& rounds,
              const std::string& kind) {
    TestBed test_bed(options);
    Levels level;
    for (const Round& round : rounds) {
        const std::string name = class_of(round, kind);
        const RoundReport report = play(test_bed, round);
        enter(name, report.tally);
        EXPECT_EQ(report.findings, Findings())
            << report.story << test_bed.fleet().coordinator_log();
        if (is_long()) std::cout << name << ", " << to_string(round.steering) << std::endl;
        if (level.empty()) level = test_bed.levels();  // the first round made everything warm
    }
    EXPECT_EQ(await_levels(test_bed, level), Findings());
}

}  // namespace evalfleet::chaos
