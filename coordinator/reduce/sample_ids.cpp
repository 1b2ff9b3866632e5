#include "coordinator/reduce/sample_ids.hpp"

#include "common/json/field_reader.hpp"
#include "coordinator/reduce/record_file.hpp"
#include "coordinator/reduce/record_table.hpp"

#include <array>
#include <limits>

namespace evalfleet::reduce {

namespace {

using Kind = json::FieldValue::Kind;

constexpr std::array<std::string_view, 2> kNames{"sample_index", "sample_id"};

}  // namespace

Result<std::unordered_map<std::uint32_t, std::string>> blocking_find_sample_ids(
    const std::filesystem::path& records, std::unordered_set<std::uint32_t> wanted) {
    std::unordered_map<std::uint32_t, std::string> ids;
    const auto file = RecordFile::open(records);
    if (!file) return file.error();
    const LoadOptions options;
    json::FieldReader reader(kNames);
    std::array<json::FieldValue, kNames.size()> values;
    LineBuffer buffer;
    for (std::uint64_t at = 0; at < file->size() && !wanted.empty(); at += options.block_bytes) {
        const Status filled = buffer.fill(*file, at, options.block_bytes, options.max_line_bytes);
        if (!filled) return filled.error();
        while (const auto line = buffer.next_line()) {
            if (const Status read = reader.read(line->text, values); !read) return read.error();
            const auto& [index, id] = values;
            if (index.kind != Kind::integer || index.integer < 0 ||
                index.integer > std::numeric_limits<std::uint32_t>::max())
                continue;
            const auto sample = static_cast<std::uint32_t>(index.integer);
            if (wanted.erase(sample) == 1 && id.kind == Kind::string) ids.emplace(sample, id.text);
        }
    }
    return ids;
}

}  // namespace evalfleet::reduce
