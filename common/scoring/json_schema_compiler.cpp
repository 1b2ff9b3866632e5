#include "common/scoring/json_schema_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

namespace evalfleet::scoring {

namespace {

using Kind = JsonNode::Kind;

constexpr std::size_t kMaxRules = 10'000;
constexpr std::int64_t kMaxPatternMemory = 1 << 20;

/// Turns the tree of a schema into rules. Every subschema is known by its JSON pointer, so that a
/// `$ref` can be resolved once all are there.
class Compiler {
  public:
    Result<std::vector<Rule>> compile(const JsonNode& schema) {
        const auto root = add_rule(schema, "#", "$");
        if (!root) return root.error();
        if (Status resolved = resolve_refs(); !resolved) return resolved.error();
        if (has_endless_reference(rules_)) {
            return Error{ErrorKind::invalid, "$: a $ref leads back to itself"};
        }
        return std::move(rules_);
    }

  private:
    using Handler = Status (Compiler::*)(const JsonNode& value);

    struct Keyword {
        std::string_view name;
        Handler handler;
    };

    /// Where the compiler is: the rule being filled in and the names of the place.
    struct Place {
        RuleIndex rule = 0;
        std::string pointer;  ///< "#/properties/age", for $ref
        std::string path;     ///< "$.properties.age", for people
    };

    struct Reference {
        RuleIndex rule;
        std::string target;
        std::string path;
    };

    static std::span<const Keyword> keywords();

    Result<RuleIndex> add_rule(const JsonNode& schema, std::string pointer, std::string path) {
        if (rules_.size() == kMaxRules) {
            return Error{ErrorKind::too_large, path + ": more than 10000 subschemas"};
        }
        const RuleIndex index = rules_.size();
        rules_.emplace_back();
        by_pointer_.emplace(pointer, index);
        if (schema.kind == Kind::boolean) {
            rules_[index].always = schema.flag;
            return index;
        }
        if (schema.kind != Kind::object) return wrong(path, "an object, true or false", schema);
        const Place outer =
            std::exchange(place_, Place{index, std::move(pointer), std::move(path)});
        const Status filled = add_keywords(schema);
        place_ = outer;
        if (!filled) return filled.error();
        return index;
    }

    Status add_keywords(const JsonNode& schema) {
        for (std::size_t i = 0; i < schema.keys.size(); ++i) {
            keyword_ = schema.keys[i];
            const auto known =
                std::find_if(keywords().begin(), keywords().end(),
                             [this](const Keyword& one) { return one.name == keyword_; });
            if (known == keywords().end()) {
                return Error{
                    ErrorKind::invalid,
                    fmt::format("{}: the keyword \"{}\" is not supported", place_.path, keyword_)};
            }
            if (Status read = (this->*known->handler)(schema.items[i]); !read) return read;
        }
        return {};
    }

    static Error wrong(const std::string& path, std::string_view expected, const JsonNode& found) {
        return {ErrorKind::invalid,
                fmt::format("{}: expected {}, found {}", path, expected, to_string(found.kind))};
    }
    [[nodiscard]] Error wrong(std::string_view expected, const JsonNode& found) const {
        return wrong(fmt::format("{}.{}", place_.path, keyword_), expected, found);
    }

    Rule& rule() { return rules_[place_.rule]; }

    /// The subschema under the current keyword, at `steps` below it.
    Result<RuleIndex> subschema(const JsonNode& schema, std::string_view step = {}) {
        const std::string keyword = keyword_;
        std::string pointer = fmt::format("{}/{}", place_.pointer, keyword);
        std::string path = fmt::format("{}.{}", place_.path, keyword);
        if (!step.empty()) {
            pointer += fmt::format("/{}", escaped(step));
            path += fmt::format(".{}", step);
        }
        auto index = add_rule(schema, std::move(pointer), std::move(path));
        keyword_ = keyword;
        return index;
    }

    /// A step of a JSON pointer (RFC 6901).
    static std::string escaped(std::string_view step) {
        std::string out;
        for (const char c : step) {
            if (c == '~') {
                out += "~0";
            } else if (c == '/') {
                out += "~1";
            } else {
                out += c;
            }
        }
        return out;
    }

    template <std::optional<RuleIndex> Rule::*Member>
    Status on_subschema(const JsonNode& value) {
        const auto index = subschema(value);
        if (!index) return index.error();
        rule().*Member = *index;
        return {};
    }

    template <std::vector<RuleIndex> Rule::*Member>
    Status on_subschemas(const JsonNode& value) {
        if (value.kind != Kind::array || value.items.empty()) {
            return wrong("an array that is not empty", value);
        }
        for (std::size_t i = 0; i < value.items.size(); ++i) {
            const auto index = subschema(value.items[i], std::to_string(i));
            if (!index) return index.error();
            (rule().*Member).push_back(*index);
        }
        return {};
    }

    template <std::optional<double> Rule::*Member>
    Status on_number(const JsonNode& value) {
        if (value.kind != Kind::number) return wrong("a number", value);
        rule().*Member = value.number;
        return {};
    }

    template <std::optional<std::size_t> Rule::*Member>
    Status on_size(const JsonNode& value) {
        constexpr double kMaxSize = 9007199254740992.0;
        if (!value.is_integer() || value.number < 0 || value.number > kMaxSize) {
            return wrong("an integer of at least 0", value);
        }
        rule().*Member = static_cast<std::size_t>(value.number);
        return {};
    }

    Status read_type_name(const JsonNode& value) {
        const auto known =
            std::find_if(kTypeNames.begin(), kTypeNames.end(), [&](const TypeName& type) {
                return value.kind == Kind::string && type.name == value.text;
            });
        if (known == kTypeNames.end()) return wrong("the name of a type", value);
        rule().types = static_cast<std::uint8_t>(rule().types | known->bit);
        return {};
    }

    Status on_type(const JsonNode& value) {
        if (value.kind != Kind::array) return read_type_name(value);
        for (const JsonNode& name : value.items) {
            if (Status read = read_type_name(name); !read) return read;
        }
        return {};
    }

    Status on_enum(const JsonNode& value) {
        if (value.kind != Kind::array) return wrong("an array", value);
        return allow(value.items);
    }

    Status on_const(const JsonNode& value) { return allow({value}); }

    /// With both enum and const given, only what is in both stays allowed.
    Status allow(const std::vector<JsonNode>& values) {
        std::vector<JsonNode> kept;
        for (const JsonNode& value : values) {
            const auto same = [&](const JsonNode& other) { return equal(value, other); };
            const auto& before = rule().allowed;
            if (!before || std::any_of(before->begin(), before->end(), same)) kept.push_back(value);
        }
        rule().allowed = std::move(kept);
        return {};
    }

    Status on_required(const JsonNode& value) {
        if (value.kind != Kind::array) return wrong("an array of strings", value);
        for (const JsonNode& name : value.items) {
            if (name.kind != Kind::string) return wrong("an array of strings", name);
            rule().required.push_back(name.text);
        }
        return {};
    }

    Status on_properties(const JsonNode& value) {
        if (value.kind != Kind::object) return wrong("an object", value);
        for (std::size_t i = 0; i < value.keys.size(); ++i) {
            const auto index = subschema(value.items[i], value.keys[i]);
            if (!index) return index.error();
            rule().properties[value.keys[i]] = *index;
        }
        return {};
    }

    Status on_defs(const JsonNode& value) {
        if (value.kind != Kind::object) return wrong("an object", value);
        for (std::size_t i = 0; i < value.keys.size(); ++i) {
            const auto index = subschema(value.items[i], value.keys[i]);
            if (!index) return index.error();
        }
        return {};
    }

    Status on_pattern(const JsonNode& value) {
        if (value.kind != Kind::string) return wrong("a string", value);
        re2::RE2::Options options;
        options.set_log_errors(false);
        options.set_max_mem(kMaxPatternMemory);
        auto pattern = std::make_shared<const re2::RE2>(value.text, options);
        if (!pattern->ok()) {
            return Error{ErrorKind::invalid,
                         fmt::format("{}.pattern: {}", place_.path, pattern->error())};
        }
        rule().pattern = std::move(pattern);
        return {};
    }

    Status on_ref(const JsonNode& value) {
        if (value.kind != Kind::string || !value.text.starts_with('#')) {
            return wrong("a reference within the schema, like \"#/$defs/name\"", value);
        }
        references_.push_back({place_.rule, value.text, place_.path + ".$ref"});
        return {};
    }

    Status on_annotation(const JsonNode&) { return {}; }

    Status resolve_refs() {
        for (const Reference& reference : references_) {
            const auto target = by_pointer_.find(reference.target);
            if (target == by_pointer_.end()) {
                return Error{ErrorKind::invalid, fmt::format("{}: nothing is at \"{}\"",
                                                             reference.path, reference.target)};
            }
            rules_[reference.rule].ref = target->second;
        }
        return {};
    }

    std::vector<Rule> rules_;
    std::map<std::string, RuleIndex, std::less<>> by_pointer_;
    std::vector<Reference> references_;
    Place place_;
    std::string keyword_;
};

std::span<const Compiler::Keyword> Compiler::keywords() {
    static constexpr std::array table{
        Keyword{"type", &Compiler::on_type},
        Keyword{"enum", &Compiler::on_enum},
        Keyword{"const", &Compiler::on_const},
        Keyword{"required", &Compiler::on_required},
        Keyword{"properties", &Compiler::on_properties},
        Keyword{"additionalProperties", &Compiler::on_subschema<&Rule::additional_properties>},
        Keyword{"items", &Compiler::on_subschema<&Rule::items>},
        Keyword{"minimum", &Compiler::on_number<&Rule::minimum>},
        Keyword{"maximum", &Compiler::on_number<&Rule::maximum>},
        Keyword{"exclusiveMinimum", &Compiler::on_number<&Rule::exclusive_minimum>},
        Keyword{"exclusiveMaximum", &Compiler::on_number<&Rule::exclusive_maximum>},
        Keyword{"minLength", &Compiler::on_size<&Rule::min_length>},
        Keyword{"maxLength", &Compiler::on_size<&Rule::max_length>},
        Keyword{"minItems", &Compiler::on_size<&Rule::min_items>},
        Keyword{"maxItems", &Compiler::on_size<&Rule::max_items>},
        Keyword{"minProperties", &Compiler::on_size<&Rule::min_properties>},
        Keyword{"maxProperties", &Compiler::on_size<&Rule::max_properties>},
        Keyword{"pattern", &Compiler::on_pattern},
        Keyword{"allOf", &Compiler::on_subschemas<&Rule::all_of>},
        Keyword{"anyOf", &Compiler::on_subschemas<&Rule::any_of>},
        Keyword{"oneOf", &Compiler::on_subschemas<&Rule::one_of>},
        Keyword{"not", &Compiler::on_subschema<&Rule::none_of>},
        Keyword{"$ref", &Compiler::on_ref},
        Keyword{"$defs", &Compiler::on_defs},
        Keyword{"$schema", &Compiler::on_annotation},
        Keyword{"$id", &Compiler::on_annotation},
        Keyword{"$comment", &Compiler::on_annotation},
        Keyword{"title", &Compiler::on_annotation},
        Keyword{"description", &Compiler::on_annotation},
        Keyword{"default", &Compiler::on_annotation},
        Keyword{"examples", &Compiler::on_annotation},
        Keyword{"deprecated", &Compiler::on_annotation},
        Keyword{"readOnly", &Compiler::on_annotation},
        Keyword{"writeOnly", &Compiler::on_annotation},
    };
    return table;
}

}  // namespace

Result<JsonSchema> JsonSchema::compile(std::string_view schema) {
    const auto tree = parse_json_tree(schema);
    if (!tree) return Error{ErrorKind::invalid, "$: the schema is not JSON"};
    auto rules = Compiler().compile(*tree);
    if (!rules) return rules.error();
    return JsonSchema(std::make_shared<const Compiled>(Compiled{*std::move(rules)}));
}

}  // namespace evalfleet::scoring
