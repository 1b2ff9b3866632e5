#include "cli/terminal/live_line.hpp"

#include "tests/support/manual_clock.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace evalfleet::terminal {
namespace {

// A file is no terminal, so these are the plain lines.
class PlainLine : public ::testing::Test {
  protected:
    ~PlainLine() override { std::fclose(file_); }

    std::string written() {
        std::fflush(file_);
        std::rewind(file_);
        std::string text(4096, '\0');
        text.resize(std::fread(text.data(), 1, text.size(), file_));
        return text;
    }

    testing::ManualClock clock_;
    std::FILE* file_ = std::tmpfile();
    LiveLine line_{file_, clock_};
};

TEST_F(PlainLine, ComesEveryTenSeconds) {
    line_.show({"1/9"});
    line_.show({"2/9"});
    clock_.advance(std::chrono::seconds(9));
    line_.show({"3/9"});
    clock_.advance(std::chrono::seconds(1));
    line_.show({"4/9"});
    EXPECT_EQ(written(), "1/9\n4/9\n");
}

TEST_F(PlainLine, ComesAtOnceWithANewNoteAndAtTheEnd) {
    line_.show({"1/9"});
    line_.show({"1/9 (no worker)", "no worker"});
    line_.show({"1/9 (no worker)", "no worker"});
    line_.show({"9/9", "no worker", true});
    EXPECT_EQ(written(), "1/9\n1/9 (no worker)\n9/9\n");
}

TEST_F(PlainLine, CannotBeSteeredByWhatItShows) {
    line_.show({"a\033[2Jb"});
    EXPECT_EQ(written(), "a?[2Jb\n");
}

}  // namespace
}  // namespace evalfleet::terminal
