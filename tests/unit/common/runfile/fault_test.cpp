#include "common/runfile/fault.hpp"

#include <gtest/gtest.h>

namespace evalfleet::runfile {
namespace {

TEST(Fault, NamesFileLineColumnAndField) {
    EXPECT_EQ((Fault{"run.yaml", 3, 7, "model.name", "is wrong"}).text(),
              "run.yaml:3:7: model.name: is wrong");
    EXPECT_EQ((Fault{"run.yaml", 3, 0, "", "is wrong"}).text(), "run.yaml:3: is wrong");
    EXPECT_EQ((Fault{"run.yaml", 0, 0, "", "is wrong"}).text(), "run.yaml: is wrong");
}

TEST(FaultList, KeepsTheFirstAndCountsTheRest) {
    FaultList faults(2);
    for (int i = 1; i <= 5; ++i)
        faults.add({"f", static_cast<std::size_t>(i), 0, "", "bad"});
    EXPECT_EQ(faults.total(), 5U);
    EXPECT_EQ(faults.text(), "f:1: bad\nf:2: bad\nand 3 more");
    FaultList all(10);
    all.add(faults);
    EXPECT_EQ(all.total(), 5U);
    EXPECT_EQ(all.kept().size(), 2U);
}

TEST(FaultList, IsAnErrorUnlessEmpty) {
    FaultList faults;
    EXPECT_TRUE(faults.status());
    faults.add({"f", 1, 0, "", "bad"});
    ASSERT_FALSE(faults.status());
    EXPECT_EQ(faults.status().error().kind, ErrorKind::invalid);
    EXPECT_EQ(faults.status().error().message, "f:1: bad");
}

}  // namespace
}  // namespace evalfleet::runfile
