#include "cli/text_file.hpp"

#include "tests/integration/cli/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::cli {
namespace {

using testing::StartsWith;

TEST(PolicyFile, IsTheRubricWhenThereIsNone) {
    EXPECT_EQ(read_policy_file(std::nullopt).value(), job::Policy{});
}

TEST(PolicyFile, NamesFileAndLineOfWhatIsNotJson) {
    const test::ScratchFolder folder;
    const std::string file = folder.put("p.json", "{\n  \"gates\": }");
    EXPECT_THAT(read_policy_file(file).error().message, StartsWith(file + ":2: column "));
}

TEST(PolicyFile, NamesFileLineAndPathOfAWrongValue) {
    const test::ScratchFolder folder;
    const std::string file = folder.put("p.json", "{\"gates\":\n {\"min_pass_rate\": 2}}");
    EXPECT_THAT(read_policy_file(file).error().message,
                StartsWith(file + ":2: gates.min_pass_rate: "));
}

TEST(TextFile, RefusesAFolder) {
    EXPECT_FALSE(read_text_file("/"));
    EXPECT_EQ(read_text_file("/no/such/file").error().kind, ErrorKind::not_found);
}

}  // namespace
}  // namespace evalfleet::cli
