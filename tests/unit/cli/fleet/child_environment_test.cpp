#include "cli/fleet/child_environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::fleet {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const std::vector<std::string> kOurs{"PATH=/bin",
                                     "OPENAI_API_KEY=sk-1",
                                     "AWS_SECRET_ACCESS_KEY=x",
                                     "https_proxy=http://user:pw@proxy",
                                     "LC_ALL=C",
                                     "ASAN_OPTIONS=a=1",
                                     "EVALFLEET_KEY=mine",
                                     "EVALFLEET_AUDIT_INTERVAL=1s",
                                     "EVALFLEET_TOKEN=t",
                                     "EVALFLEET_METRICS_PORT=9"};
const std::vector<std::string> kKeys{"OPENAI_API_KEY", "EVALFLEET_KEY"};

TEST(ChildEnvironment, HasNoKeyAndNoSecretOfOursUnlessKeysAreWanted) {
    EXPECT_THAT(child_environment(Inherit::plain, kOurs, kKeys),
                UnorderedElementsAre("PATH=/bin", "LC_ALL=C", "ASAN_OPTIONS=a=1",
                                     "EVALFLEET_AUDIT_INTERVAL=1s"));
}

TEST(ChildEnvironment, HasEverythingButTheDoorsForWhoCallsProviders) {
    EXPECT_THAT(
        child_environment(Inherit::keys, kOurs, kKeys),
        UnorderedElementsAre("PATH=/bin", "OPENAI_API_KEY=sk-1", "AWS_SECRET_ACCESS_KEY=x",
                             "https_proxy=http://user:pw@proxy", "LC_ALL=C", "ASAN_OPTIONS=a=1",
                             "EVALFLEET_KEY=mine", "EVALFLEET_AUDIT_INTERVAL=1s"));
}

TEST(ChildEnvironment, LeavesOutWhomAFleetOfOthersTellsAndItsPassword) {
    const std::vector<std::string> ours{"EVALFLEET_WEBHOOKS=/etc/hooks.yaml",
                                        "EVALFLEET_REDIS_PASSWORD=p",
                                        "EVALFLEET_REDIS_PASSWORD_FILE=/p", "PATH=/bin"};
    EXPECT_THAT(child_environment(Inherit::keys, ours, {}), UnorderedElementsAre("PATH=/bin"));
}

TEST(ChildEnvironment, PrefersWhatIsGiven) {
    const std::vector<std::string> ours{"PATH=/bin", "EVALFLEET_REDIS=theirs"};
    EXPECT_THAT(child_environment(Inherit::plain, ours, {}, {"EVALFLEET_REDIS=ours", "PATH=/x"}),
                ElementsAre("EVALFLEET_REDIS=ours", "PATH=/x"));
    EXPECT_THAT(child_environment(Inherit::plain, {}, {}), IsEmpty());
}

}  // namespace
}  // namespace evalfleet::fleet
