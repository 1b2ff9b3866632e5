#include "common/json/field_reader.hpp"

#include "common/json/diagnose.hpp"
#include "common/json/name_table.hpp"
#include "common/json/quick_reader.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <new>
#include <vector>

namespace evalfleet::json {
namespace {

using simdjson::dom::element_type;

constexpr std::size_t kMaxDepth = 256;
static_assert(FieldReader::kPaddingBytes >= simdjson::SIMDJSON_PADDING);

// Fills in place: a value that is built elsewhere and copied would be read back before its parts
// have left the store buffer, which costs more than everything else here.
void fill(FieldValue& value, simdjson::dom::element element) {
    switch (element.type()) {
        case element_type::NULL_VALUE:
            value.kind = FieldValue::Kind::null;
            break;
        case element_type::BOOL:
            value.kind = FieldValue::Kind::boolean;
            value.boolean = element.get_bool().value_unsafe();
            break;
        case element_type::INT64:
            value.kind = FieldValue::Kind::integer;
            value.integer = element.get_int64().value_unsafe();
            break;
        case element_type::UINT64:
            value.kind = FieldValue::Kind::large_integer;
            value.large_integer = element.get_uint64().value_unsafe();
            break;
        case element_type::DOUBLE:
            value.kind = FieldValue::Kind::real;
            value.real = element.get_double().value_unsafe();
            break;
        case element_type::STRING:
            value.kind = FieldValue::Kind::string;
            value.text = element.get_string().value_unsafe();
            break;
        case element_type::OBJECT:
            value.kind = FieldValue::Kind::object;
            break;
        case element_type::ARRAY:
            value.kind = FieldValue::Kind::array;
            break;
    }
}

}  // namespace

struct FieldReader::State {
    explicit State(std::span<const std::string_view> names) : table(names), quick(table) {}

    /// The direct members of the object behind name `i`.
    std::span<const FieldMember> open(std::size_t i, simdjson::dom::object object) {
        members[i].clear();
        for (const auto& [name, element] : object) {
            members[i].push_back({name, {}});
            fill(members[i].back().value, element);
        }
        return members[i];
    }

    NameTable table;
    QuickReader quick;
    simdjson::dom::parser parser;
    std::vector<std::vector<FieldMember>> members;  ///< one list a name, its memory used again
};

FieldReader::FieldReader(std::span<const std::string_view> names)
    : state_(std::make_unique<State>(names)) {
    state_->members.resize(names.size());
    if (state_->parser.allocate(0, kMaxDepth) != simdjson::SUCCESS) throw std::bad_alloc();
}

FieldReader::~FieldReader() = default;
FieldReader::FieldReader(FieldReader&&) noexcept = default;
FieldReader& FieldReader::operator=(FieldReader&&) noexcept = default;

Status FieldReader::read(std::string_view line, std::span<FieldValue> values) {
    return state_->quick.read(line, values) ? Status() : read_strictly(line, values);
}

Status FieldReader::read_strictly(std::string_view line, std::span<FieldValue> values) {
    simdjson::dom::object object;
    const auto parsed = state_->parser.parse(line.data(), line.size(), false);
    if (parsed.error() != simdjson::SUCCESS) {
        auto fault = diagnose(line, kMaxDepth);
        if (!fault) return Error{ErrorKind::invalid, simdjson::error_message(parsed.error())};
        constexpr std::string_view kOnlyLine = "line 1, ";
        if (fault->message.starts_with(kOnlyLine)) fault->message.erase(0, kOnlyLine.size());
        return *fault;
    }
    if (parsed.get_object().get(object) != simdjson::SUCCESS) {
        return Error{ErrorKind::invalid, "expected a JSON object"};
    }
    for (FieldValue& value : values) {
        value.kind = FieldValue::Kind::absent;
    }
    for (auto field = object.begin(); field != object.end(); ++field) {
        // Strings lie in the parser's own buffer, which has padding behind its end.
        const std::string_view name = field.key();
        const std::size_t i = state_->table.find(name);
        if (i == state_->table.size()) continue;
        if (values[i].kind != FieldValue::Kind::absent) {
            return Error{ErrorKind::invalid, fmt::format("{}: given twice", state_->table.name(i))};
        }
        fill(values[i], field.value());
        if (values[i].kind == FieldValue::Kind::object) {
            values[i].members = state_->open(i, field.value().get_object().value_unsafe());
        }
    }
    return {};
}

}  // namespace evalfleet::json
