#include "cli/fleet/child.hpp"

#include "tests/support/run_coroutine.hpp"
#include "tests/support/temporary_folder.hpp"

#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <string>

namespace evalfleet::fleet {
namespace {

using ::testing::HasSubstr;

class ChildTest : public ::testing::Test {
  protected:
    Program shell(std::string script) const {
        return {"shell", {"/bin/sh", "-c", std::move(script)}, folder_ / "log"};
    }
    Result<Child> start(const Program& program) {
        return Child::start(context_.get_executor(), program);
    }
    std::string run_to_end(const Program& program) {
        auto child = start(program);
        return ::evalfleet::testing::run(context_, child.value().ended());
    }
    std::string log() const {
        std::ifstream stream(folder_ / "log");
        return {std::istreambuf_iterator<char>(stream), {}};
    }

    ::evalfleet::testing::TemporaryFolder folder_;
    boost::asio::io_context context_{1};
};

TEST_F(ChildTest, TellsTheExitCode) {
    EXPECT_EQ(run_to_end(shell("exit 3")), "exit code 3");
    EXPECT_EQ(run_to_end(shell("exit 0")), "exit code 0");
}

TEST_F(ChildTest, TellsTheSignalThatEndedIt) {
    auto child = start(shell("exec sleep 600"));
    ASSERT_TRUE(child);
    EXPECT_GT(child->pid(), 0);
    child->signal(SIGTERM);
    EXPECT_EQ(::evalfleet::testing::run(context_, child->ended()), "signal 15");
    EXPECT_EQ(child->pid(), 0);
}

TEST_F(ChildTest, WritesBothOutputsToItsLogAndAppends) {
    run_to_end(shell("echo out; echo err >&2"));
    run_to_end(shell("echo again"));
    EXPECT_EQ(log(), "out\nerr\nagain\n");
}

TEST_F(ChildTest, GetsTheVariablesThatItIsGivenAndNoOthers) {
    Program program{"env", {"/usr/bin/env"}, folder_ / "log"};
    program.environment = {"EVALFLEET_TEST_SECRET=a b=c", "PATH=/of/the/child"};
    run_to_end(program);
    EXPECT_EQ(log(), "EVALFLEET_TEST_SECRET=a b=c\nPATH=/of/the/child\n");
}

TEST_F(ChildTest, HasALogForItsOwnerOnly) {
    run_to_end(shell("echo out"));
    using std::filesystem::perms;
    EXPECT_EQ(std::filesystem::status(folder_ / "log").permissions(),
              perms::owner_read | perms::owner_write);
}

TEST_F(ChildTest, ReadsNothing) {
    EXPECT_EQ(run_to_end(shell("read line")), "exit code 1");
}

TEST_F(ChildTest, StandsInAProcessGroupOfItsOwn) {
    auto child = start(shell("exec sleep 600"));
    ASSERT_TRUE(child);
    EXPECT_EQ(::getpgid(child->pid()), child->pid());
}

TEST_F(ChildTest, DiesWithItsOwner) {
    pid_t pid = 0;
    {
        auto child = start(shell("exec sleep 600"));
        ASSERT_TRUE(child);
        pid = child->pid();
        ASSERT_EQ(::kill(pid, 0), 0);
    }
    EXPECT_EQ(::kill(pid, 0), -1);
}

TEST_F(ChildTest, NamesAProgramThatIsNotThere) {
    const auto child = start({"worker 2", {"/no/such/evalfleet-worker"}, folder_ / "log"});
    ASSERT_FALSE(child);
    EXPECT_EQ(child.error().kind, ErrorKind::not_found);
    EXPECT_THAT(child.error().message, HasSubstr("/no/such/evalfleet-worker"));
}

TEST_F(ChildTest, NamesALogThatCannotBeOpened) {
    const auto child = start({"worker", {"/bin/sh"}, folder_ / "no/such/log"});
    ASSERT_FALSE(child);
    EXPECT_THAT(child.error().message, HasSubstr("no/such/log"));
}

TEST(FindProgram, LooksInPath) {
    const auto shell = find_program("sh");
    EXPECT_EQ(shell.filename(), "sh");
    EXPECT_EQ(::access(shell.c_str(), X_OK), 0);
    EXPECT_TRUE(find_program("no-such-program-of-evalfleet").empty());
}

}  // namespace
}  // namespace evalfleet::fleet
