#include "coordinator/runs/operator_providers.hpp"

#include "common/files/atomic_file.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

namespace evalfleet::runs {
namespace {

constexpr std::string_view kFile =
    "providers:\n"
    "  main: {type: openai, base_url: \"http://127.0.0.1:1/v1\", api_key_env: K, api_key_id: "
    "prod,\n"
    "         prices: {input_usd_per_mtok: 2, output_usd_per_mtok: 8}}\n"
    "  free: {type: ollama, base_url: \"http://127.0.0.1:1\"}\n";

TEST(OperatorProviders, AreNoneWithoutAFile) {
    EXPECT_TRUE(blocking_read_operator_providers("").value().empty());
}

TEST(OperatorProviders, AreReadAnewEachTime) {
    const ::evalfleet::testing::TemporaryFolder folder;
    const auto file = folder / "providers.yaml";
    EXPECT_EQ(blocking_read_operator_providers(file).error().kind, ErrorKind::internal);
    ASSERT_TRUE(files::blocking_write_atomically(file, kFile));
    const auto known = blocking_read_operator_providers(file).value();
    EXPECT_EQ(known.size(), 2U);
    const PriceList prices = prices_of(known);
    ASSERT_EQ(prices.size(), 1U);
    EXPECT_EQ(prices.at("main").output_usd_per_mtok, 8);
}

TEST(OperatorProviders, AreDescribedWithTheLabelOfTheKeyAndNeverTheKey) {
    const auto known = providers::read_providers_text(kFile, "p.yaml").value();
    EXPECT_EQ(describe_provider("main", known), "provider 'main', key prod");
    EXPECT_EQ(describe_provider("free", known), "provider 'free'");
    EXPECT_EQ(describe_provider("unknown", known), "provider 'unknown'");
}

}  // namespace
}  // namespace evalfleet::runs
