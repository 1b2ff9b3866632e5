#pragma once

#include "common/providers/provider_config.hpp"
#include "common/result/result.hpp"
#include "coordinator/runs/budget_plan.hpp"

#include <filesystem>
#include <string>

namespace evalfleet::runs {

/// The operator's providers, as his file says now: what he changed holds for the next run. None
/// without a file; `internal` if it cannot be read. Blocks.
[[nodiscard]] Result<providers::Providers> blocking_read_operator_providers(
    const std::filesystem::path& file);

[[nodiscard]] PriceList prices_of(const providers::Providers& known);

/// For people: `provider 'main', key openai-prod`, the key by the operator's label for it.
[[nodiscard]] std::string describe_provider(const std::string& name,
                                            const providers::Providers& known);

}  // namespace evalfleet::runs
