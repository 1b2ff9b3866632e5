#include "cli/terminal/table.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>

namespace evalfleet::terminal {
namespace {

Table example() {
    Table table({{"RUN"}, {"DONE", Align::right, 1}, {"NOTE", Align::left, 2, true}});
    table.add({"run-1", "7", "a very long note about nothing"});
    table.add({"run-22", "1234", ""});
    return table;
}

TEST(Table, PutsColumnsBelowEachOther) {
    EXPECT_EQ(example().text(std::nullopt),
              "RUN     DONE  NOTE\n"
              "run-1      7  a very long note about nothing\n"
              "run-22  1234\n");
}

TEST(Table, PutsWhatMattersLeastBelowItsRowWithItsTitle) {
    EXPECT_EQ(example().text(36),
              "RUN     DONE\n"
              "run-1      7\n"
              "    note a very long note about\n"
              "    nothing\n"
              "run-22  1234\n");
    EXPECT_EQ(example().text(15),
              "RUN     DONE\n"
              "run-1      7\n"
              "    note a very\n"
              "    long note\n"
              "    about\n"
              "    nothing\n"
              "run-22  1234\n");
}

TEST(Table, WrapsCellsOfColumnsThatStay) {
    Table table({{"RUN"}, {"WHY", Align::left, 0, true}});
    table.add({"run-1", "its provider is away"});
    EXPECT_EQ(table.text(20),
              "RUN    WHY\n"
              "run-1  its provider\n"
              "       is away\n");
}

TEST(Table, NeverBreaksWhatStays) {
    EXPECT_EQ(example().text(1).substr(0, 10), "RUN\nrun-1\n");
}

TEST(Table, FitsEveryWidthAndLosesNothing) {
    for (std::size_t width = 12; width < 60; ++width) {
        const std::string text = example().text(width);
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);)
            EXPECT_LE(line.size(), width) << line;
        for (const char* word : {"very", "long", "note", "about", "nothing", "1234", "7"})
            EXPECT_NE(text.find(word), std::string::npos) << width << ": " << word;
    }
}

TEST(Table, RefusesARowOfAnotherLength) {
    Table table({{"A"}, {"B"}});
    EXPECT_THROW(table.add({"only one"}), std::logic_error);
}

TEST(AlignedPairs, HaveTheirValuesBelowEachOther) {
    EXPECT_EQ(aligned_pairs({{"run", "r\n1"}, {"verdict", "ready"}}),
              "run      r?1\nverdict  ready\n");
}

TEST(AlignedPairs, WrapValuesThatDoNotFit) {
    EXPECT_EQ(aligned_pairs({{"note", "the provider is away since noon"}}, 26),
              "note  the provider is away\n"
              "      since noon\n");
}

}  // namespace
}  // namespace evalfleet::terminal
