#include "common/job/policy_json.hpp"
#include "common/job/summary.hpp"
#include "common/json/document.hpp"

#include <gtest/gtest.h>

namespace evalfleet::job {
namespace {

TEST(Gates, ArePassedTogetherOnlyIfEachOneIs) {
    Gates gates;
    for (const GateInfo& info : kGates)
        (gates.*info.gate).passed = true;
    EXPECT_TRUE(gates.all_passed());
    for (const GateInfo& info : kGates) {
        Gates but_one = gates;
        (but_one.*info.gate).passed = false;
        EXPECT_FALSE(but_one.all_passed()) << info.name;
    }
}

TEST(Gates, HaveThresholdsThatAPolicySets) {
    for (const GateInfo& info : kGates) {
        Policy policy;
        policy.gates.*info.threshold /= 2;
        std::string text;
        json::Writer writer(text);
        write(writer, policy);
        const auto document = json::Document::parse(text).value();
        EXPECT_EQ(document.root().required("gates").value().as_object()->size(), kGates.size());
        const auto read = read_policy(document.root());
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_EQ(read->gates.*info.threshold, policy.gates.*info.threshold) << info.name;
    }
}

TEST(Gates, AreAllInTheSummary) {
    const std::string text = to_json(Summary{});
    const auto document = json::Document::parse(text).value();
    const auto gates = document.root().required("gates").value();
    for (const GateInfo& info : kGates)
        EXPECT_TRUE(gates.find(info.name)) << info.name;
}

}  // namespace
}  // namespace evalfleet::job
