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

TEST(Table, CutsLongCellsBeforeItLeavesOutColumns) {
    EXPECT_EQ(example().text(26),
              "RUN     DONE  NOTE\n"
              "run-1      7  a very long…\n"
              "run-22  1234\n");
}

TEST(Table, LeavesOutWhatMattersLeast) {
    EXPECT_EQ(example().text(15), "RUN     DONE\nrun-1      7\nrun-22  1234\n");
    EXPECT_EQ(example().text(8), "RUN\nrun-1\nrun-22\n");
}

TEST(Table, NeverCutsWhatStays) {
    EXPECT_EQ(example().text(1), "RUN\nrun-1\nrun-22\n");
}

TEST(Table, FitsEveryWidth) {
    for (std::size_t width = 6; width < 60; ++width) {
        std::istringstream lines(example().text(width));
        for (std::string line; std::getline(lines, line);) {
            const bool is_cut = line.find("…") != std::string::npos;
            EXPECT_LE(line.size() - (is_cut ? 2 : 0), width) << line;
        }
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

}  // namespace
}  // namespace evalfleet::terminal
