#include "coordinator/runs/operator_providers.hpp"

#include <fmt/format.h>

namespace evalfleet::runs {

Result<providers::Providers> blocking_read_operator_providers(const std::filesystem::path& file) {
    if (file.empty()) return providers::Providers();
    auto known = providers::blocking_read_providers_file(file);
    if (!known) return Error{ErrorKind::internal, known.error().message};
    return known;
}

PriceList prices_of(const providers::Providers& known) {
    PriceList prices;
    for (const auto& [name, provider] : known) {
        if (provider.prices) prices.emplace(name, *provider.prices);
        for (const auto& [model, own] : provider.model_prices)
            prices.emplace(name + "/" + model, own);
    }
    return prices;
}

std::string describe_provider(const std::string& name, const providers::Providers& known) {
    const auto provider = known.find(name);
    const bool has_label = provider != known.end() && provider->second.api_key_id;
    if (!has_label) return fmt::format("provider '{}'", name);
    return fmt::format("provider '{}', key {}", name, *provider->second.api_key_id);
}

}  // namespace evalfleet::runs
