#include "tests/integration/cli/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

namespace evalfleet::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// What bash offers behind these words.
std::string complete(const std::string& words) {
    const test::ScratchFolder folder;
    const std::string script = folder.put(
        "completion", test::evalfleet({"completion", "bash"}).out + "\nCOMP_WORDS=(" + words +
                          ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_evalfleet\n"
                          "printf '%s\\n' \"${COMPREPLY[@]}\"\n");
    std::string output;
    std::FILE* bash = ::popen(("bash " + script).c_str(), "r");
    for (int c = std::fgetc(bash); c != EOF; c = std::fgetc(bash))
        output += static_cast<char>(c);
    EXPECT_EQ(::pclose(bash), 0) << output;
    return output;
}

TEST(Completion, OffersCommands) {
    EXPECT_EQ(complete("evalfleet rej"), "rejudge\n");
    EXPECT_THAT(complete("evalfleet ''"), HasSubstr("submit\n"));
}

TEST(Completion, OffersTheFlagsOfACommandAndOfTheProgram) {
    const std::string flags = complete("evalfleet submit --");
    EXPECT_THAT(flags, HasSubstr("--wait\n"));
    EXPECT_THAT(flags, HasSubstr("--coordinator-url\n"));
    EXPECT_THAT(flags, HasSubstr("--log-level\n"));
    EXPECT_THAT(flags, Not(HasSubstr("--latency-ms\n")));
}

TEST(Completion, OffersTheWordsOfAChoice) {
    EXPECT_EQ(complete("evalfleet report --format j"), "json\njunit\n");
    EXPECT_EQ(complete("evalfleet token --role s"), "submitter\n");
}

TEST(Completion, IsThereForZshToo) {
    const auto script = test::evalfleet({"completion", "zsh"});
    EXPECT_EQ(script.exit_code, 0);
    EXPECT_THAT(script.out, HasSubstr("#compdef evalfleet"));
    EXPECT_THAT(script.out, HasSubstr("'--format=[how it is written"));
}

TEST(Completion, IsThereForFishToo) {
    const auto script = test::evalfleet({"completion", "fish"});
    EXPECT_EQ(script.exit_code, 0);
    EXPECT_THAT(script.out, HasSubstr("-n __fish_use_subcommand -a submit -d 'hand a run"));
    EXPECT_THAT(script.out, HasSubstr("-n '__fish_seen_subcommand_from report' -l format -r "));
    EXPECT_THAT(script.out, HasSubstr("-f -a 'text json md html junit csv"));
    EXPECT_THAT(script.out, HasSubstr("the run\\'s id")) << "a quote in a text does not end it";
}

TEST(Completion, RefusesOtherShells) {
    const auto refused = test::evalfleet({"completion", "tcsh"});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr("allowed: bash, zsh, fish"));
}

}  // namespace
}  // namespace evalfleet::cli
