#include "common/job/margins.hpp"

#include "common/text/nearest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <vector>

namespace evalfleet::job {

namespace {

const MarginRule* find_rule(std::string_view name) {
    const auto* const found = std::ranges::find(kMarginRules, name, &MarginRule::name);
    return found == kMarginRules.end() ? nullptr : found;
}

std::string allowed_names(std::string_view misspelt) {
    std::vector<std::string_view> names;
    for (const MarginRule& rule : kMarginRules)
        names.push_back(rule.name);
    return fmt::format("{}allowed: {}", text::did_you_mean(misspelt, names),
                       fmt::join(names, ", "));
}

std::string allowed_values(const MarginRule& rule) {
    return fmt::format("a number above 0 and at most {}", rule.most);
}

bool is_allowed(const MarginRule& rule, double margin) {
    return margin > 0 && margin <= rule.most;
}

Error wrong(std::string message) {
    return {ErrorKind::invalid, std::move(message)};
}

Status add_margin(std::string_view item, Margins& out) {
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos)
        return wrong(fmt::format("found '{}', allowed: METRIC=NUMBER, separated by commas", item));
    const std::string_view name = item.substr(0, equals);
    const std::string_view text = item.substr(equals + 1);
    const MarginRule* const rule = find_rule(name);
    if (rule == nullptr)
        return wrong(fmt::format("unknown metric '{}'; {}", name, allowed_names(name)));
    double margin = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), margin);
    if (code != std::errc{} || end != text.data() + text.size() || !is_allowed(*rule, margin)) {
        return wrong(fmt::format("{}: found '{}', allowed: {}", name, text, allowed_values(*rule)));
    }
    if (!out.emplace(name, margin).second) return wrong(fmt::format("{} is given twice", name));
    return {};
}

}  // namespace

Result<Margins> parse_margins(std::string_view text, std::string_view option) {
    Margins margins;
    while (true) {
        const std::size_t comma = text.find(',');
        if (const Status added = add_margin(text.substr(0, comma), margins); !added)
            return Error{added.error().kind, fmt::format("{}: {}", option, added.error().message)};
        if (comma == std::string_view::npos) return margins;
        text.remove_prefix(comma + 1);
    }
}

std::string to_text(const Margins& margins) {
    std::string text;
    for (const auto& [name, margin] : margins)
        text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, margin);
    return text;
}

Status read_margins(json::Value value, Margins& out, Strictness strictness) {
    const auto members = value.as_object();
    if (!members) return members.error();
    out.clear();
    FaultGatherer faults(strictness);
    for (const auto [key, member] : *members) {
        const MarginRule* const rule = find_rule(key);
        Status read;
        if (rule == nullptr) {
            if (strictness == Strictness::tolerant) continue;
            read = value.error(fmt::format("unknown key \"{}\"; {}", key, allowed_names(key)));
        } else if (const auto margin = member.as_double(); !margin || !is_allowed(*rule, *margin)) {
            read = member.unexpected(allowed_values(*rule));
        } else {
            out.emplace(key, *margin);
        }
        if (!faults.accept(read)) break;
    }
    return faults.status();
}

}  // namespace evalfleet::job
