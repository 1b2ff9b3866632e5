#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::scoring {

/// How `cache_savings_usd` estimates; stored in a run's metadata beside the figure.
inline constexpr std::string_view kCacheSavingsMethod =
    "input_price * (read * (1 - cache_read_multiplier) - write * (cache_write_multiplier - 1))";

/// What a provider charges. The multipliers are for cached input tokens, relative to
/// input_usd_per_mtok.
struct Prices {
    double input_usd_per_mtok = 0;
    double output_usd_per_mtok = 0;
    double cache_read_multiplier = 1;
    double cache_write_multiplier = 1;
    std::optional<double> reasoning_usd_per_mtok{};  ///< of the output; none: as the rest of it

    bool operator==(const Prices&) const = default;
};

/// By names of models.
using ModelPrices = std::map<std::string, Prices, std::less<>>;

/// What a model costs: its own prices, under its name with the version behind a dash or a colon or
/// under its name alone, else those of all. Null if there are none.
[[nodiscard]] const Prices* find_prices(const std::optional<Prices>& all, const ModelPrices& own,
                                        std::string_view name,
                                        const std::optional<std::string>& version);

using Tokens = std::optional<std::int64_t>;

/// What prompt caching saved, negative if writing the cache cost more than reading it saved.
/// Nothing if neither figure is known; one that is unknown counts as 0.
[[nodiscard]] std::optional<double> cache_savings_usd(const Prices& prices, Tokens cache_read,
                                                      Tokens cache_write);

/// What a call cost: input (cached tokens included) and output (reasoning included) at list price,
/// less the savings. Nothing unless both token counts are known.
[[nodiscard]] std::optional<double> call_cost_usd(const Prices& prices, Tokens input, Tokens output,
                                                  Tokens cache_read, Tokens cache_write,
                                                  Tokens reasoning = {});

inline constexpr std::size_t kBytesPerToken = 4;  ///< of an estimate

/// ceil(UTF-8 bytes / 4): the count for a text whose tokens the provider did not report.
[[nodiscard]] std::int64_t estimate_tokens(std::string_view text) noexcept;
/// The same for a text of so many bytes.
[[nodiscard]] std::int64_t estimate_tokens(std::size_t utf8_bytes) noexcept;

}  // namespace evalfleet::scoring
