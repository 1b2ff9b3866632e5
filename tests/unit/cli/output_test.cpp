#include "cli/output.hpp"

#include "cli/text_file.hpp"
#include "tests/integration/cli/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::cli {
namespace {

using test::ScratchFolder;
using testing::ElementsAre;

TEST(Output, AppearsWhenItIsFinished) {
    const ScratchFolder folder;
    const std::string file = folder.put("out", "old");
    auto output = Output::open(file).value();
    const std::string large(200'000, 'x');
    EXPECT_TRUE(output.write("new "));
    EXPECT_TRUE(output.write(large));
    EXPECT_EQ(read_text_file(file).value(), "old");
    EXPECT_TRUE(output.finish());
    EXPECT_EQ(read_text_file(file).value(), "new " + large);
    EXPECT_THAT(folder.names(), ElementsAre("out"));
}

TEST(Output, LeavesNothingBehindWhenItIsNotFinished) {
    const ScratchFolder folder;
    const std::string file = folder.put("out", "old");
    {
        auto output = Output::open(file).value();
        EXPECT_TRUE(output.write(std::string(200'000, 'x')));
    }
    EXPECT_EQ(read_text_file(file).value(), "old");
    EXPECT_THAT(folder.names(), ElementsAre("out"));
}

TEST(Output, WritesToADeviceInsteadOfReplacingIt) {
    auto output = Output::open("/dev/null").value();
    EXPECT_TRUE(output.write("x"));
    EXPECT_TRUE(output.finish());
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(Output, RefusesAPlaceItCannotWriteTo) {
    EXPECT_EQ(Output::open("/no/such/folder/out").error().kind, ErrorKind::invalid);
    EXPECT_FALSE(Output::open("/"));
}

}  // namespace
}  // namespace evalfleet::cli
