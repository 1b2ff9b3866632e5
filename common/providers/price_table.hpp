#pragma once

#include "common/config/fields.hpp"
#include "common/config/yaml.hpp"
#include "common/job/run_spec.hpp"
#include "common/providers/provider_config.hpp"
#include "common/result/result.hpp"
#include "common/scoring/cost.hpp"

#include <filesystem>
#include <string>
#include <vector>

/// What models cost, in a file of the operator's with the date from which it is known.
namespace evalfleet::providers {

/// The members of a map of prices, and that there are no others.
[[nodiscard]] scoring::Prices read_price_members(config::Fields& fields);

struct PriceTable {
    PriceSource source;
    scoring::ModelPrices models;
};

/// Reads `{as_of: 2026-11-19, source: ..., models: {NAME: {input_usd_per_mtok: ...}}}`, strictly.
/// One error (`invalid`) tells all faults, one a line with file, line and field.
[[nodiscard]] Result<PriceTable> read_price_table(const config::YamlNode& root);

/// Reads the tables that providers name, and enters their prices for models that have none of their
/// own. Paths are relative to `folder`; each file is read once. Errors as above, or the file cannot
/// be read.
[[nodiscard]] Status blocking_load_price_tables(Providers& providers,
                                                const std::filesystem::path& folder);

/// The models that a run calls, its judge last.
[[nodiscard]] std::vector<job::ModelRef> models_called(const job::RunSpec& spec);

/// Where the prices of some models come from, for people and run.json: "main: prices.yaml as of
/// 2026-11-19, without gpt-x". Empty if none of their providers has a table.
[[nodiscard]] std::string describe_price_tables(const std::vector<job::ModelRef>& called,
                                                const Providers& known);

/// The models that a provider's table does not have, and nothing else prices: their names.
[[nodiscard]] std::vector<std::string> models_not_priced(const ProviderConfig& provider,
                                                         const std::vector<job::ModelRef>& called);

}  // namespace evalfleet::providers
