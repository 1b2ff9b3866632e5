#include "cli/exit_code.hpp"

#include <gtest/gtest.h>

namespace evalfleet::cli {
namespace {

TEST(ExitCode, TellsWrongInputFromAMachineThatFails) {
    const auto code = [](ErrorKind kind) { return static_cast<int>(exit_code_of({kind, ""})); };
    EXPECT_EQ(code(ErrorKind::invalid), 2);
    EXPECT_EQ(code(ErrorKind::not_found), 2);
    EXPECT_EQ(code(ErrorKind::too_large), 2);
    EXPECT_EQ(code(ErrorKind::denied), 2);
    EXPECT_EQ(code(ErrorKind::internal), 3);
    EXPECT_EQ(code(ErrorKind::transient), 3);
    EXPECT_EQ(code(ErrorKind::cancelled), 130);
}

}  // namespace
}  // namespace evalfleet::cli
