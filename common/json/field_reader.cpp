#include "common/json/field_reader.hpp"

#include "common/json/diagnose.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <array>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace evalfleet::json {
namespace {

using simdjson::dom::element_type;

constexpr std::size_t kMaxDepth = 256;
static_assert(FieldReader::kPaddingBytes >= simdjson::SIMDJSON_PADDING);

// The two ends of a name. Different names of one schema mostly differ here, and up to 16 bytes the
// ends are the whole name.
struct Ends {
    std::uint64_t head = 0;
    std::uint64_t tail = 0;
    std::size_t size = 0;

    bool operator==(const Ends&) const = default;

    /// Eight bytes from the beginning of the name must be readable, however short it is.
    [[nodiscard]] static Ends of(std::string_view name) noexcept {
        Ends ends{load(name.data()), 0, name.size()};
        if (name.size() >= kWord) {
            ends.tail = load(name.data() + name.size() - kWord);
        } else {
            ends.head &= (std::uint64_t{1} << (8 * name.size())) - 1;
        }
        return ends;
    }

    [[nodiscard]] std::size_t hash(int bits) const noexcept {
        const std::uint64_t mixed =
            (head * 0x9E3779B97F4A7C15) ^ (tail * 0xC2B2AE3D27D4EB4F) ^ size;
        return (mixed * 0xFF51AFD7ED558CCD) >> (64 - bits);
    }

    static constexpr std::size_t kWord = sizeof(std::uint64_t);

  private:
    static std::uint64_t load(const char* from) noexcept {
        std::uint64_t word = 0;
        std::memcpy(&word, from, kWord);
        return word;
    }
};

// Finds a name's place among the wanted names.
class NameTable {
  public:
    explicit NameTable(std::span<const std::string_view> names)
        : names_(names.begin(), names.end()) {
        if (names.size() > kMostNames) throw std::logic_error("FieldReader: too many names");
        for (const std::string_view name : names_) {
            std::string padded(name);
            padded.resize(name.size() + Ends::kWord);
            ends_.push_back(Ends::of(std::string_view(padded).substr(0, name.size())));
        }
        for (std::size_t i = 0; i < names_.size(); ++i) {
            std::size_t slot = ends_[i].hash(kBits);
            while (slots_[slot] != 0) {
                slot = (slot + 1) % slots_.size();
            }
            slots_[slot] = static_cast<std::uint8_t>(i + 1);
        }
    }

    /// size() if it is not there.
    [[nodiscard]] std::size_t find(std::string_view name, const Ends& ends) const noexcept {
        for (std::size_t slot = ends.hash(kBits); slots_[slot] != 0;
             slot = (slot + 1) % slots_.size()) {
            const std::size_t i = slots_[slot] - std::size_t{1};
            if (ends_[i] == ends && names_[i] == name) return i;
        }
        return names_.size();
    }

    [[nodiscard]] std::string_view name(std::size_t i) const noexcept { return names_[i]; }
    [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }

  private:
    static constexpr int kBits = 10;
    static constexpr std::size_t kMostNames = 200;

    std::vector<std::string_view> names_;
    std::vector<Ends> ends_;
    std::array<std::uint8_t, std::size_t{1} << kBits> slots_{};
};

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
    explicit State(std::span<const std::string_view> names) : table(names) {}

    /// The direct members of the object behind name `i`.
    std::span<const FieldMember> open(std::size_t i, simdjson::dom::object object) {
        members[i].clear();
        for (const auto& [name, element] : object) {
            members[i].push_back({name, {}});
            fill(members[i].back().value, element);
        }
        return members[i];
    }

    simdjson::dom::parser parser;
    NameTable table;
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
        const std::size_t i = state_->table.find(name, Ends::of(name));
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
