#include "coordinator/records/record_filter.hpp"

#include "common/disclosure/record.hpp"
#include "common/json/writer.hpp"

#include <algorithm>

namespace evalfleet::records {

namespace {

using json::FieldValue;

constexpr std::array<std::string_view, 2> kTextNames = {"sample_id", "tags"};
constexpr std::array<std::string_view, 3> kKeyNames = {"task_type", "failure_label",
                                                       "rubric_passed"};

std::string as_json_text(std::string_view text) {
    std::string quoted;
    json::Writer(quoted).value(text);
    return quoted.substr(1, quoted.size() - 2);
}

using Name = std::array<std::string, 2>;

bool is_one_of(std::string_view name, const Name& wanted) {
    return name == wanted[0] || name == wanted[1];
}

bool has_tag(const FieldValue& tags, const std::pair<Name, Name>& wanted) {
    return std::any_of(tags.members.begin(), tags.members.end(), [&](const auto& member) {
        return is_one_of(member.name, wanted.first) &&
               member.value.kind == FieldValue::Kind::string &&
               is_one_of(member.value.text, wanted.second);
    });
}

std::uint8_t label_of(std::string_view name) {
    const auto& names = job::Names<job::FailureLabel>::values;
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? RecordKey::kNoLabel
                                : static_cast<std::uint8_t>(found - names.begin());
}

}  // namespace

std::uint64_t hash_text(std::string_view text) noexcept {
    // FNV-1a, mixed at the end: types are short, few and not chosen by an enemy of the reader.
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    hash ^= hash >> 32;
    return hash * 0xd6e8feb86659fd93;
}

RecordMatcher::RecordMatcher(const RecordFilter& filter)
    : filter_(filter), needle_(as_json_text(filter.text)), reader_(kTextNames) {
    const redaction::Redactor redactor;
    const auto name_of = [&](const std::string& text) -> Name {
        return {text, disclosure::as_in_records(redactor, text)};
    };
    const Name task_type = name_of(filter.task_type.value_or(""));
    task_type_hashes_ = {hash_text(task_type[0]), hash_text(task_type[1])};
    sample_id_ = name_of(filter.sample_id);
    for (const auto& [key, value] : filter.tags)
        tags_.emplace_back(name_of(key), name_of(value));
}

bool RecordMatcher::fits(const RecordKey& key) const noexcept {
    if (filter_.label && key.label != *filter_.label) return false;
    if (filter_.passed && key.passed != *filter_.passed) return false;
    return !filter_.task_type || key.task_type_hash == task_type_hashes_[0] ||
           key.task_type_hash == task_type_hashes_[1];
}

bool RecordMatcher::fits(std::string_view line) {
    if (!needle_.empty() && line.find(needle_) == std::string_view::npos) return false;
    return (filter_.sample_id.empty() && filter_.tags.empty()) || fits_fields(line);
}

bool RecordMatcher::fits_fields(std::string_view line) {
    std::array<FieldValue, kTextNames.size()> values;
    if (!reader_.read(line, values)) return false;
    const auto& [sample_id, tags] = values;
    if (!filter_.sample_id.empty() &&
        (sample_id.kind != FieldValue::Kind::string || !is_one_of(sample_id.text, sample_id_)))
        return false;
    return std::all_of(tags_.begin(), tags_.end(),
                       [&tags = tags](const auto& wanted) { return has_tag(tags, wanted); });
}

RecordKeyReader::RecordKeyReader() : reader_(kKeyNames) {}

Result<RecordKey> RecordKeyReader::read(std::string_view line, std::uint64_t offset) {
    std::array<FieldValue, kKeyNames.size()> values;
    if (const Status read = reader_.read(line, values); !read) return read.error();
    const auto& [task_type, label, passed] = values;
    RecordKey key;
    key.offset = offset;
    key.task_type_hash = hash_text(
        task_type.kind == FieldValue::Kind::string ? task_type.text : std::string_view("default"));
    if (label.kind == FieldValue::Kind::string) key.label = label_of(label.text);
    key.passed = passed.kind == FieldValue::Kind::boolean && passed.boolean;
    return key;
}

}  // namespace evalfleet::records
