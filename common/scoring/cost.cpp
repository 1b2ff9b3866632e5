#include "common/scoring/cost.hpp"

#include <algorithm>

namespace evalfleet::scoring {

namespace {

constexpr double kTokensPerMtok = 1e6;

double amount(Tokens tokens) {
    return static_cast<double>(tokens.value_or(0));
}

}  // namespace

const Prices* find_prices(const std::optional<Prices>& all, const ModelPrices& own,
                          std::string_view name, const std::optional<std::string>& version) {
    const auto find = [&own](const std::string& model) -> const Prices* {
        const auto found = own.find(model);
        return found == own.end() ? nullptr : &found->second;
    };
    for (const char joint : {'-', ':'}) {
        if (!version) break;
        if (const Prices* pinned = find(std::string(name) + joint + *version)) return pinned;
    }
    if (const Prices* plain = find(std::string(name))) return plain;
    return all ? &*all : nullptr;
}

std::optional<double> cache_savings_usd(const Prices& prices, Tokens cache_read,
                                        Tokens cache_write) {
    if (!cache_read && !cache_write) return std::nullopt;
    const double price_in = prices.input_usd_per_mtok / kTokensPerMtok;
    return price_in * (amount(cache_read) * (1 - prices.cache_read_multiplier) -
                       amount(cache_write) * (prices.cache_write_multiplier - 1));
}

std::optional<double> call_cost_usd(const Prices& prices, Tokens input, Tokens output,
                                    Tokens cache_read, Tokens cache_write, Tokens reasoning) {
    if (!input || !output) return std::nullopt;
    double list_price = amount(input) * (prices.input_usd_per_mtok / kTokensPerMtok) +
                        amount(output) * (prices.output_usd_per_mtok / kTokensPerMtok);
    if (prices.reasoning_usd_per_mtok) {
        const double apart = *prices.reasoning_usd_per_mtok - prices.output_usd_per_mtok;
        list_price += std::min(amount(reasoning), amount(output)) * (apart / kTokensPerMtok);
    }
    // A provider that reports more cached tokens than there were does not pay us.
    return std::max(0.0,
                    list_price - cache_savings_usd(prices, cache_read, cache_write).value_or(0.0));
}

std::int64_t estimate_tokens(std::string_view text) noexcept {
    return estimate_tokens(text.size());
}

std::int64_t estimate_tokens(std::size_t utf8_bytes) noexcept {
    return static_cast<std::int64_t>((utf8_bytes + kBytesPerToken - 1) / kBytesPerToken);
}

}  // namespace evalfleet::scoring
