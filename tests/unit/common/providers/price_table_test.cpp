#include "common/providers/price_table.hpp"

#include "common/files/atomic_file.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::providers {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string fault(const std::string& text) {
    const auto root = config::read_yaml(text, "prices.yaml").value();
    const auto table = read_price_table(root);
    return table ? "" : table.error().message;
}

constexpr const char* kTable =
    "as_of: 2026-11-19\nsource: our contract\nmodels:\n"
    "  big: {input_usd_per_mtok: 2, output_usd_per_mtok: 8}\n"
    "  small-2024-08-06: {input_usd_per_mtok: 1, output_usd_per_mtok: 4}\n";

TEST(PriceTable, SaysWhatIsWrongWithItAndWhere) {
    EXPECT_EQ(fault(kTable), "");
    EXPECT_THAT(fault("models: {a: {input_usd_per_mtok: 1, output_usd_per_mtok: 1}}"),
                HasSubstr("as_of"));
    EXPECT_THAT(fault("as_of: 2026-02-30\nmodels: {a: {input_usd_per_mtok: 1, "
                      "output_usd_per_mtok: 1}}"),
                HasSubstr("prices.yaml:1: as_of: found '2026-02-30', allowed: a date"));
    EXPECT_THAT(fault("as_of: 2026-11-19\nmodels:\n  a: {input_usd_per_mtok: -1}\n  b: 5\n"),
                AllOf(HasSubstr("prices.yaml:3: models.a.input_usd_per_mtok"),
                      HasSubstr("models.a.output_usd_per_mtok"), HasSubstr("models.b")));
    EXPECT_THAT(fault("as_of: 2026-11-19\nmodels: {}\n"), HasSubstr("found no model"));
    EXPECT_THAT(fault("as_of: 2026-11-19\nprice: 1\nmodels: {}\n"), HasSubstr("price"));
    EXPECT_THAT(fault("as_of: ''\nmodels: {a: }\n"),
                AllOf(HasSubstr("as_of: found ''"), HasSubstr("models.a: found nothing")));
    EXPECT_THAT(fault("as_of: 2026-11-19\nmodels: [a]\n"), HasSubstr("models: found"));
    EXPECT_THAT(fault("5"), HasSubstr("prices.yaml:1"));
    EXPECT_THAT(fault("[1]"), HasSubstr("found a list of 1, allowed: a map"));
}

class PriceTables : public ::testing::Test {
  protected:
    Result<Providers> read(const std::string& members) {
        files::blocking_write_atomically(folder_ / "prices.yaml", kTable).value();
        files::blocking_write_atomically(
            folder_ / "providers.yaml",
            "providers:\n  p: {type: openai, base_url: 'http://h', " + members + "}\n")
            .value();
        return blocking_read_providers_file(folder_ / "providers.yaml");
    }
    testing::TemporaryFolder folder_;
};

TEST_F(PriceTables, PriceWhatHasNoPricesOfItsOwn) {
    const auto known = read(
        "prices_file: prices.yaml, models: {big: {prices: {input_usd_per_mtok: 3, "
        "output_usd_per_mtok: 9}}}");
    ASSERT_TRUE(known) << known.error().message;
    const ProviderConfig& provider = known->at("p");
    EXPECT_EQ(provider.model_prices.at("big").input_usd_per_mtok, 3);
    EXPECT_EQ(provider.model_prices.at("small-2024-08-06").input_usd_per_mtok, 1);
    const std::vector<job::ModelRef> called{{"p", "small", "2024-08-06"}, {"p", "other", "7"}};
    EXPECT_THAT(models_not_priced(provider, called), ElementsAre("other@7"));
    EXPECT_EQ(describe_price_tables(called, *known),
              "p: prices.yaml as of 2026-11-19 (our contract), without other@7");
    EXPECT_EQ(describe_price_tables({{"q", "m", {}}}, *known), "");
}

TEST_F(PriceTables, MustBeThereAndRight) {
    EXPECT_THAT(read("prices_file: no.yaml").error().message,
                AllOf(HasSubstr("providers.p.prices_file"), HasSubstr("no.yaml")));
    EXPECT_THAT(read("prices_file: ''").error().message, HasSubstr("prices_file: found ''"));
    files::blocking_write_atomically(folder_ / "bad.yaml", "as_of: today\nmodels: {}\n").value();
    EXPECT_THAT(read("prices_file: bad.yaml").error().message,
                HasSubstr("bad.yaml:1: as_of: found 'today'"));
}

}  // namespace
}  // namespace evalfleet::providers
