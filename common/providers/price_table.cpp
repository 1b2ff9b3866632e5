#include "common/providers/price_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

namespace evalfleet::providers {

namespace {

using config::between;
using config::Fields;

constexpr double kMaxPrice = 1e6;

bool is_leap_year(int year) {
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

int days_of(int month, int year) {
    if (month == 2) return is_leap_year(year) ? 29 : 28;
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/// A day of the calendar, `2026-11-19`.
bool is_date(std::string_view text) {
    constexpr std::string_view kShape = "dddd-dd-dd";
    if (text.size() != kShape.size()) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_digit = text[i] >= '0' && text[i] <= '9';
        if (is_digit != (kShape[i] == 'd') || (!is_digit && text[i] != '-')) return false;
    }
    const auto number = [text](std::size_t at, std::size_t size) {
        return std::stoi(std::string(text.substr(at, size)));
    };
    const int month = number(5, 2);
    const int day = number(8, 2);
    return month >= 1 && month <= 12 && day >= 1 && day <= days_of(month, number(0, 4));
}

void read_source(Fields& fields, PriceSource& source) {
    constexpr std::size_t kMaxBytes = 256;
    if (const auto given = fields.take_required("as_of")) {
        if (given->is_scalar()) source.as_of = given->text();
        if (!is_date(source.as_of))
            fields.fail("as_of", fmt::format("found {}, allowed: a date such as 2026-11-19",
                                             given->describe()));
    }
    fields.read("source", source.words);
    if (source.words && source.words->size() > kMaxBytes)
        fields.fail("source", "found a longer text, allowed: at most 256 bytes");
}

void read_models(Fields& fields, scoring::ModelPrices& prices) {
    Fields models = fields.map("models");
    if (!models.node()) return;
    for (const config::YamlMember& each : models.node()->members()) {
        Fields members = models.map(each.key);
        if (members.node()) prices[each.key] = read_price_members(members);
        if (each.value.is_null()) models.fail(each.key, "found nothing, allowed: a map of prices");
    }
    if (models.node()->members().empty())
        fields.fail("models", "found no model, allowed: one or more with their prices");
}

void enter(const PriceTable& table, ProviderConfig& provider) {
    provider.price_source = table.source;
    for (const auto& [model, prices] : table.models)
        provider.model_prices.emplace(model, prices);
}

}  // namespace

scoring::Prices read_price_members(Fields& fields) {
    scoring::Prices prices;
    fields.require("input_usd_per_mtok", prices.input_usd_per_mtok, between(0.0, kMaxPrice));
    fields.require("output_usd_per_mtok", prices.output_usd_per_mtok, between(0.0, kMaxPrice));
    fields.read("cache_read_multiplier", prices.cache_read_multiplier, between(0.0, 100.0));
    fields.read("cache_write_multiplier", prices.cache_write_multiplier, between(0.0, 100.0));
    fields.read("reasoning_usd_per_mtok", prices.reasoning_usd_per_mtok, between(0.0, kMaxPrice));
    fields.finish();
    return prices;
}

Result<PriceTable> read_price_table(const config::YamlNode& root) {
    if (!root.is_map())
        return root.error(
            fmt::format("found {}, allowed: a map with as_of and models", root.describe()));
    config::Validator validator;
    Fields fields(root, validator);
    PriceTable table;
    read_source(fields, table.source);
    if (fields.take_required("models")) read_models(fields, table.models);
    fields.finish();
    if (!validator.ok()) return validator.status().error();
    return table;
}

Status blocking_load_price_tables(Providers& providers, const std::filesystem::path& folder) {
    std::map<std::filesystem::path, PriceTable> tables;
    for (auto& [name, provider] : providers) {
        if (!provider.prices_file) continue;
        const std::filesystem::path path = folder / *provider.prices_file;
        if (!tables.contains(path)) {
            const auto root = config::read_yaml_file(path);
            if (!root) return root.error().within(fmt::format("providers.{}.prices_file", name));
            auto table = read_price_table(*root);
            if (!table) return table.error();
            table->source.file = path.filename().string();
            tables.emplace(path, *std::move(table));
        }
        enter(tables.at(path), provider);
    }
    return {};
}

std::vector<std::string> models_not_priced(const ProviderConfig& provider,
                                           const std::vector<job::ModelRef>& called) {
    std::vector<std::string> names;
    for (const job::ModelRef& model : called) {
        if (model.provider != provider.name) continue;
        const bool has_prices = scoring::find_prices(provider.prices, provider.model_prices,
                                                     model.name, model.version) != nullptr;
        const std::string name = model.version ? model.name + "@" + *model.version : model.name;
        if (!has_prices && std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(name);
    }
    return names;
}

std::vector<job::ModelRef> models_called(const job::RunSpec& spec) {
    std::vector<job::ModelRef> called = spec.models;
    if (spec.judge) called.push_back(spec.judge->model);
    return called;
}

std::string describe_price_tables(const std::vector<job::ModelRef>& called,
                                  const Providers& known) {
    std::string text;
    std::set<std::string> named;
    for (const job::ModelRef& model : called) {
        const auto found = known.find(model.provider);
        if (found == known.end() || !found->second.price_source) continue;
        if (!named.insert(model.provider).second) continue;
        const PriceSource& source = *found->second.price_source;
        text += fmt::format("{}{}: {} as of {}", text.empty() ? "" : "; ", model.provider,
                            source.file, source.as_of);
        if (source.words) text += fmt::format(" ({})", *source.words);
        const auto without = models_not_priced(found->second, called);
        if (!without.empty()) text += fmt::format(", without {}", fmt::join(without, ", "));
    }
    return text;
}

}  // namespace evalfleet::providers
