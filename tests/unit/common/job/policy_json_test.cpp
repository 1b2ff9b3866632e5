#include "common/job/policy_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::job {
namespace {

using testing::HasSubstr;

std::string refusal(std::string_view json) {
    const auto policy = parse_policy(json);
    return policy ? "accepted" : policy.error().message;
}

std::string written(const Policy& policy) {
    std::string out;
    json::Writer writer(out);
    write(writer, policy);
    return out;
}

TEST(Policy, IsTheRubricWhereNothingIsSaid) {
    EXPECT_EQ(parse_policy("{}").value(), Policy{});
    EXPECT_EQ(parse_policy(R"({"pass": {}, "gates": {}})").value(), Policy{});
}

TEST(Policy, OverridesSingleValues) {
    const Policy policy =
        parse_policy(R"({"pass": {"min_accuracy": 2}, "norms": {"tokens_ref": 500.5},
                         "weights": {"latency": 0, "accuracy": 0.6}, "gates": {"min_pass_rate": 1},
                         "bootstrap": {"seed": 18446744073709551615}})")
            .value();
    Policy expected;
    expected.pass.min_accuracy = 2;
    expected.norms.tokens_ref = 500.5;
    expected.weights.latency = 0;
    expected.weights.accuracy = 0.6;
    expected.gates.min_pass_rate = 1;
    expected.bootstrap.seed = 18446744073709551615U;
    EXPECT_EQ(policy, expected);
}

TEST(Policy, RefusesAMisspeltKeyAndNamesTheNearest) {
    EXPECT_EQ(refusal(R"({"gates": {"min_passrate": 0.9}})"),
              "gates: unknown key \"min_passrate\"; did you mean \"min_pass_rate\"? allowed: "
              "min_aggregate_score, min_pass_rate, max_faithfulness_failure_rate, "
              "max_latency_e2e_p95_ms");
    EXPECT_THAT(refusal(R"({"gate": {}})"), HasSubstr("did you mean \"gates\"?"));
}

TEST(Policy, RefusesWrongTypesAndRangesWithTheirPath) {
    EXPECT_EQ(refusal(R"({"gates": {"min_pass_rate": "0.9"}})"),
              "gates.min_pass_rate: expected a number, found string \"0.9\"");
    EXPECT_EQ(refusal(R"({"gates": {"min_pass_rate": 1.5}})"),
              "gates.min_pass_rate: expected a number from 0 to 1, found 1.5");
    EXPECT_EQ(refusal(R"({"norms": {"tokens_ref": 0}})"),
              "norms.tokens_ref: expected a number above 0, found 0");
    EXPECT_THAT(refusal(R"({"weights": {"latency": -0.1}})"), HasSubstr("weights.latency: "));
    EXPECT_THAT(refusal(R"({"bootstrap": {"replicates": 2.5}})"),
                HasSubstr("bootstrap.replicates"));
    EXPECT_THAT(refusal(R"({"bootstrap": {"seed": -1}})"), HasSubstr("bootstrap.seed"));
    EXPECT_THAT(refusal(R"({"pass": null})"), HasSubstr("pass: expected an object, found null"));
    EXPECT_THAT(refusal("[]"), HasSubstr("expected an object"));
    EXPECT_THAT(refusal(R"({"pass": {}, "pass": {}})"), HasSubstr("pass"));
}

TEST(Policy, RefusesWeightsThatDoNotAddUpToOne) {
    EXPECT_EQ(refusal(R"({"weights": {"accuracy": 45, "faithfulness": 30, "latency": 15,
                                      "token_efficiency": 10}})"),
              "weights: expected weights that add up to 1, found accuracy 45 + faithfulness 30 + "
              "latency 15 + token_efficiency 10 = 100 (one that is left out keeps the Rubric's "
              "value)");
    EXPECT_THAT(refusal(R"({"weights": {"accuracy": 0.5}})"), HasSubstr("0.1 = 1.05"));
    EXPECT_THAT(refusal(R"({"weights": {"accuracy": 0.449}})"), HasSubstr("= 0.999 "));
    EXPECT_THAT(refusal(R"({"weights": {"accuracy": 1e308, "latency": 1e308}})"),
                HasSubstr("add up to 1"));
    EXPECT_EQ(refusal(R"({"weights": {}})"), "accepted");
    EXPECT_EQ(refusal(R"({"weights": {"accuracy": 0.7, "faithfulness": 0.1, "latency": 0.1,
                                      "token_efficiency": 0.1}})"),
              "accepted")
        << "0.7 + 0.1 + 0.1 + 0.1 is 0.9999999999999999";
}

TEST(Policy, RefusesAThresholdThatNoScoreCanReach) {
    EXPECT_EQ(refusal(R"({"gates": {"min_aggregate_score": 80}})"),
              "gates.min_aggregate_score: expected a number from 0 to 1, found 80");
}

TEST(Policy, WritesEveryValueInAFixedOrderAndReadsItBack) {
    EXPECT_EQ(written(Policy{}),
              R"({"pass":{"min_accuracy":1.0,"min_faithfulness":1.0,"max_latency_e2e_ms":8000.0,)"
              R"("max_total_tokens":6000.0},"weights":{"accuracy":0.45,"faithfulness":0.3,)"
              R"("latency":0.15,"token_efficiency":0.1},"norms":{"latency_ref_ms":3000.0,)"
              R"("tokens_ref":2000.0},"gates":{"min_aggregate_score":0.8,"min_pass_rate":0.85,)"
              R"("max_faithfulness_failure_rate":0.05,"max_latency_e2e_p95_ms":10000.0},)"
              R"("bootstrap":{"replicates":2000,"seed":42}})");
    Policy policy;
    policy.bootstrap = {1, 0xFFFFFFFFFFFFFFFFU};
    policy.weights = {0.1 + 0.2, 0.3, 0.3, 0.1};
    EXPECT_EQ(parse_policy(written(policy)).value(), policy);
}

}  // namespace
}  // namespace evalfleet::job
