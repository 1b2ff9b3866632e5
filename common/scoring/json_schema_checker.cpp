#include "common/scoring/json_schema_rule.hpp"
#include "common/scoring/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace evalfleet::scoring {

namespace {

using Kind = JsonNode::Kind;

constexpr std::size_t kStepsPerPart = 16;
constexpr const char* kTooComplex = "too complex to check";

std::size_t count_parts(const JsonNode& node) {
    std::size_t parts = 1;
    for (const JsonNode& item : node.items)
        parts += count_parts(item);
    return parts;
}

std::uint8_t type_bits(const JsonNode& node) {
    switch (node.kind) {
        case Kind::null:
            return kNullType;
        case Kind::boolean:
            return kBooleanType;
        case Kind::number:
            return node.is_integer() ? kNumberType | kIntegerType : kNumberType;
        case Kind::string:
            return kStringType;
        case Kind::array:
            return kArrayType;
        case Kind::object:
            return kObjectType;
    }
    return 0;
}

/// Applies the rules of one schema to one value. Every `meets_*` is true if the value follows that
/// part of a rule; the first failure is noted with the path at which it happened.
class Checker {
  public:
    Checker(const std::vector<Rule>& rules, std::size_t max_steps)
        : rules_(rules), steps_left_(max_steps) {}

    std::optional<std::string> check(const JsonNode& value) {
        if (meets(0, value)) return std::nullopt;
        return steps_left_ == 0 ? std::string(kTooComplex) : fault_;
    }

  private:
    bool meets(RuleIndex index, const JsonNode& value) {
        if (steps_left_ == 0) return false;
        --steps_left_;
        const Rule& rule = rules_[index];
        if (rule.always) return *rule.always || fail("is not allowed");
        return meets_type(rule, value) && meets_number(rule, value) && meets_string(rule, value) &&
               meets_array(rule, value) && meets_object(rule, value) &&
               meets_combinations(rule, value);
    }

    bool meets_type(const Rule& rule, const JsonNode& value) {
        if (rule.types != 0 && (rule.types & type_bits(value)) == 0) {
            return fail(fmt::format("is of the wrong type: {}", to_string(value.kind)));
        }
        if (!rule.allowed) return true;
        const bool found = std::any_of(rule.allowed->begin(), rule.allowed->end(),
                                       [&](const JsonNode& one) { return equal(one, value); });
        return found || fail("is not one of the allowed values");
    }

    bool meets_number(const Rule& rule, const JsonNode& value) {
        if (value.kind != Kind::number) return true;
        const double number = value.number;
        const bool low = (rule.minimum && number < *rule.minimum) ||
                         (rule.exclusive_minimum && number <= *rule.exclusive_minimum);
        const bool high = (rule.maximum && number > *rule.maximum) ||
                          (rule.exclusive_maximum && number >= *rule.exclusive_maximum);
        return (!low || fail("is too small")) && (!high || fail("is too large"));
    }

    bool meets_string(const Rule& rule, const JsonNode& value) {
        if (value.kind != Kind::string) return true;
        if ((rule.min_length || rule.max_length) &&
            !meets_size(utf8_count(value.text), rule.min_length, rule.max_length)) {
            return false;
        }
        if (!rule.pattern || re2::RE2::PartialMatch(value.text, *rule.pattern)) return true;
        return fail("does not match the pattern");
    }

    bool meets_array(const Rule& rule, const JsonNode& value) {
        if (value.kind != Kind::array) return true;
        if (!meets_size(value.items.size(), rule.min_items, rule.max_items)) return false;
        if (!rule.items) return true;
        for (std::size_t i = 0; i < value.items.size(); ++i) {
            if (!meets_below(*rule.items, value.items[i], fmt::format("[{}]", i))) return false;
        }
        return true;
    }

    bool meets_object(const Rule& rule, const JsonNode& value) {
        if (value.kind != Kind::object) return true;
        if (!meets_size(value.keys.size(), rule.min_properties, rule.max_properties)) return false;
        for (const std::string& name : rule.required) {
            if (value.find(name) == nullptr) {
                return fail(fmt::format("lacks the member \"{}\"", name));
            }
        }
        for (std::size_t i = 0; i < value.keys.size(); ++i) {
            const auto known = rule.properties.find(value.keys[i]);
            const std::optional<RuleIndex> member = known != rule.properties.end()
                                                        ? std::optional(known->second)
                                                        : rule.additional_properties;
            if (member && !meets_below(*member, value.items[i], "." + value.keys[i])) return false;
        }
        return true;
    }

    bool meets_combinations(const Rule& rule, const JsonNode& value) {
        if (rule.ref && !meets(*rule.ref, value)) return false;
        for (const RuleIndex one : rule.all_of) {
            if (!meets(one, value)) return false;
        }
        if (!rule.any_of.empty() && count_met(rule.any_of, value, 1) == 0) {
            return fail("follows none of anyOf");
        }
        if (!rule.one_of.empty() && count_met(rule.one_of, value, 2) != 1) {
            return fail("does not follow exactly one of oneOf");
        }
        if (rule.none_of && count_met({*rule.none_of}, value, 1) != 0) {
            return fail("follows what \"not\" excludes");
        }
        return true;
    }

    /// How many of the rules the value follows; stops counting at `enough`.
    std::size_t count_met(const std::vector<RuleIndex>& rules, const JsonNode& value,
                          std::size_t enough) {
        ++muted_;
        std::size_t met = 0;
        for (const RuleIndex one : rules) {
            if (met < enough && meets(one, value)) ++met;
        }
        --muted_;
        return met;
    }

    bool meets_size(std::size_t size, std::optional<std::size_t> min,
                    std::optional<std::size_t> max) {
        if (min && size < *min) return fail("is too short");
        return !max || size <= *max || fail("is too long");
    }

    bool meets_below(RuleIndex index, const JsonNode& value, const std::string& step) {
        const std::size_t length = path_.size();
        path_ += step;
        const bool met = meets(index, value);
        path_.resize(length);
        return met;
    }

    /// Notes a failure, unless it is one that a combination may forgive. Always false.
    bool fail(std::string_view what) {
        if (muted_ == 0 && fault_.empty()) fault_ = fmt::format("{}: {}", path_, what);
        return false;
    }

    const std::vector<Rule>& rules_;
    std::size_t steps_left_;
    int muted_ = 0;
    std::string path_ = "$";
    std::string fault_;
};

}  // namespace

std::optional<std::string> JsonSchema::violation(const JsonNode& value) const {
    Checker checker(compiled_->rules, kMaxSteps + kStepsPerPart * count_parts(value));
    return checker.check(value);
}

}  // namespace evalfleet::scoring
