#include "worker/auth/program.hpp"

#include "tests/support/run_coroutine.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

namespace evalfleet::worker {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;

Result<ProgramOutput> run(std::vector<std::string> argv, std::string input = "",
                          ProgramLimits limits = {}, std::vector<std::string> env = {}) {
    std::signal(SIGPIPE, SIG_IGN);
    async::SystemClock clock;
    return testing::run(
        run_program(clock, {std::move(argv), std::move(env)}, std::move(input), limits));
}

TEST(Program, GetsItsInputAndIsHeard) {
    const auto output = run({"cat"}, "hello");
    ASSERT_TRUE(output) << output.error().message;
    EXPECT_EQ(output->out, "hello");
    EXPECT_EQ(output->exit_code, 0);
    EXPECT_LE(output->timings.dispatched, output->timings.first_byte);
    const std::string much(1'000'000, 'x');
    EXPECT_EQ(run({"cat"}, much)->out, much);
}

TEST(Program, NeedNotReadItsInput) {
    const auto output =
        run({"sh", "-c", "echo out; echo err >&2; exit 3"}, std::string(1 << 20, 'x'));
    ASSERT_TRUE(output) << output.error().message;
    EXPECT_EQ(output->out, "out\n");
    EXPECT_EQ(output->err, "err\n");
    EXPECT_EQ(output->exit_code, 3);
    EXPECT_EQ(run({"sh", "-c", "kill -9 $$"})->exit_code, 137);
}

TEST(Program, SeesNoVariablesButItsOwn) {
    ::setenv("PROGRAM_TEST_SECRET", "hush", 1);
    ::setenv("PROGRAM_TEST_GIVEN", "given", 1);
    const auto output = run({"env"}, "", {}, {"PROGRAM_TEST_GIVEN", "PROGRAM_TEST_ABSENT"});
    EXPECT_THAT(output->out, HasSubstr("PROGRAM_TEST_GIVEN=given"));
    EXPECT_THAT(output->out, HasSubstr("PATH="));
    EXPECT_THAT(output->out, Not(HasSubstr("hush")));
}

TEST(Program, IsNotToldToAShell) {
    EXPECT_EQ(run({"echo", "$HOME; ls"})->out, "$HOME; ls\n");
}

TEST(Program, ThatIsNotThereIsSaidSo) {
    const auto output = run({"no-such-program-anywhere"});
    ASSERT_FALSE(output);
    EXPECT_EQ(output.error().kind, ErrorKind::not_found);
    EXPECT_THAT(output.error().message, HasSubstr("no-such-program-anywhere"));
}

TEST(Program, IsEndedWithAllItStartedWhenItsTimeIsUp) {
    async::SystemClock clock;
    const auto output = run({"sh", "-c", "sleep 600 & sleep 600"}, "",
                            {.deadline = clock.now() + milliseconds(100)});
    ASSERT_FALSE(output);
    EXPECT_EQ(output.error().kind, ErrorKind::timeout);
}

TEST(Program, MustNotPrintTooMuch) {
    const auto output = run({"yes"}, "", {.max_output_bytes = 100'000});
    ASSERT_FALSE(output);
    EXPECT_EQ(output.error().kind, ErrorKind::too_large);
    EXPECT_EQ(run({"sh", "-c", "yes | head -c 1000000 >&2; echo ok"})->out, "ok\n");
}

TEST(Program, IsNotWaitedForBeyondItsEndWhateverHoldsItsOutput) {
    // In its group, where it is ended too, and out of it.
    const auto inside = run({"sh", "-c", "sleep 600 & echo out; echo err >&2"}, "in");
    ASSERT_TRUE(inside) << inside.error().message;
    EXPECT_EQ(inside->out, "out\n");
    EXPECT_EQ(inside->err, "err\n");
    testing::TemporaryFolder folder;
    const std::string holds = "setsid sh -c 'while [ -d " + folder.path().string() +
                              " ]; do sleep 0.05; done' & echo out";
    async::SystemClock clock;
    const auto outside = run({"sh", "-c", holds}, std::string(1 << 20, 'x'),
                             {.deadline = clock.now() + std::chrono::minutes(1)});
    ASSERT_TRUE(outside) << outside.error().message;
    EXPECT_EQ(outside->out, "out\n");
}

TEST(Program, IsHeardToTheEndThoughItEndsAtOnce) {
    const auto output = run({"sh", "-c", "sleep 600 & head -c 60000 /dev/zero | tr '\\0' x"});
    ASSERT_TRUE(output) << output.error().message;
    EXPECT_EQ(output->out.size(), 60'000U);
}

TEST(Program, ThatPrintsTooMuchAndThenHangsIsEnded) {
    const auto output =
        run({"sh", "-c", "yes | head -c 1000000; sleep 600"}, "", {.max_output_bytes = 100'000});
    ASSERT_FALSE(output);
    EXPECT_EQ(output.error().kind, ErrorKind::too_large);
}

}  // namespace
}  // namespace evalfleet::worker
