#include "common/job/environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::job {
namespace {

TEST(Environment, IsReadFromNamesAndValuesBetweenCommas) {
    EXPECT_EQ(parse_environment("region=eu-west-1,deployment=prod").value(),
              (Environment{{"region", "eu-west-1"}, {"deployment", "prod"}}));
    EXPECT_EQ(parse_environment(" region = eu west , runtime = k8s 1.31 ").value(),
              (Environment{{"region", "eu west"}, {"runtime", "k8s 1.31"}}));
    EXPECT_EQ(parse_environment("").value(), Environment{});
    EXPECT_EQ(parse_environment("  ").value(), Environment{});
}

TEST(Environment, RefusesOtherNamesEmptyValuesAndRepetition) {
    for (const std::string& wrong :
         {std::string("regoin=eu"), std::string("region"), std::string("region="),
          std::string("region=eu,"), std::string("=eu"), std::string("region=eu,region=us"),
          std::string("region=a=b"), std::string("region=a\nb"),
          "region=" + std::string(101, 'x')}) {
        const auto parsed = parse_environment(wrong);
        ASSERT_FALSE(parsed) << wrong;
        EXPECT_THAT(parsed.error().message, testing::HasSubstr("region, deployment, runtime"));
    }
}

TEST(Environment, SaysUnknownWhereNobodySaid) {
    EXPECT_EQ(complete({{"region", "eu"}}),
              (Environment{{"region", "eu"}, {"deployment", "unknown"}, {"runtime", "unknown"}}));
    EXPECT_EQ(to_text({{"runtime", "r 1"}}), "region=unknown,deployment=unknown,runtime=r 1");
    EXPECT_EQ(parse_environment(to_text({{"runtime", "r 1"}})).value(),
              complete({{"runtime", "r 1"}}));
}

}  // namespace
}  // namespace evalfleet::job
