#include "tests/chaos/plan.hpp"

#include "tests/chaos/table.hpp"

#include <gmock/gmock.h>

#include <set>

namespace evalfleet::chaos {
namespace {

using ::testing::HasSubstr;

std::string to_text(const std::vector<Round>& rounds) {
    std::string text;
    for (const Round& round : rounds) {
        for (const Fault* fault : round.faults)
            text += fault->name + ",";
        text += std::string(to_string(round.steering)) + std::to_string(round.seed) + "\n";
    }
    return text;
}

std::vector<const Fault*> pointers() {
    std::vector<const Fault*> all;
    for (const Fault& fault : all_faults())
        all.push_back(&fault);
    return all;
}

TEST(ChaosPlan, IsTheSameForTheSameSeedAndAnotherForAnother) {
    EXPECT_EQ(to_text(draw_rounds(pointers(), 99, 7)), to_text(draw_rounds(pointers(), 99, 7)));
    EXPECT_NE(to_text(draw_rounds(pointers(), 99, 7)), to_text(draw_rounds(pointers(), 99, 8)));
    EXPECT_EQ(to_text({draw_sequence(pointers(), 9, 7)}),
              to_text({draw_sequence(pointers(), 9, 7)}));
}

TEST(ChaosPlan, InjectsEveryFaultOnceAndSteersInEveryWay) {
    std::set<const Fault*> injected;
    std::set<Steering> steerings;
    for (const Round& round : draw_rounds(pointers(), 999, 1)) {
        injected.insert(round.faults.begin(), round.faults.end());
        steerings.insert(round.steering);
    }
    EXPECT_EQ(injected.size(), all_faults().size());
    EXPECT_EQ(steerings.size(), kSteerings.size());
    EXPECT_EQ(draw_rounds(pointers(), 2, 1).size(), 2U);
}

TEST(ChaosPlan, NoTwoClassesOfFaultsHaveOneName) {
    std::set<std::string> names;
    for (const Fault& fault : all_faults())
        EXPECT_TRUE(names.insert(fault.name).second) << fault.name;
}

TEST(ChaosTable, SumsByClassAndShowsMedianAndLongestRecovery) {
    Tally tally;
    for (const double recovery : {0.1, 5.0, 0.3})
        add(tally, "x", {.injected = 1, .trials = 100, .repeated = 2, .recovery_s = {recovery}});
    add(tally, "y", {.injected = 1, .trials = 50, .lost = 1, .doubled = 3});
    const std::string text = to_markdown(tally);
    EXPECT_THAT(text, HasSubstr("| x | 3 | 300 | 0 | 0 | 6 | 0.3 | 5.0 |\n"));
    EXPECT_THAT(text, HasSubstr("| y | 1 | 50 | 1 | 3 | 0 | 0.0 | 0.0 |\n"));
    EXPECT_THAT(text, HasSubstr("| all | 4 | 350 | 1 | 3 | 6 | 0.3 | 5.0 |\n"));
}

TEST(ChaosTable, IsPutTogetherFromTheLinesOfSeveralPrograms) {
    Tally tally;
    const ClassTally one{.injected = 1, .trials = 100, .lost = 1, .doubled = 2, .repeated = 3};
    add_line(tally, to_line("a fault", one));
    ClassTally other = one;
    other.recovery_s = {0.5, 2};
    add_line(tally, to_line("a fault", other));
    EXPECT_THAT(to_markdown(tally), HasSubstr("| a fault | 2 | 200 | 2 | 4 | 6 | 2.0 | 2.0 |\n"));
    EXPECT_THROW(add_line(tally, "a fault without numbers"), std::runtime_error);
    EXPECT_THROW(add_line(tally, "a fault\t1 2"), std::runtime_error);
}

}  // namespace
}  // namespace evalfleet::chaos
