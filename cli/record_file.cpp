#include "cli/record_file.hpp"

#include "cli/line_reader.hpp"
#include "common/job/trial_record_json.hpp"
#include "common/json/document.hpp"

#include <utility>

namespace evalfleet::cli {

Status blocking_for_each_record(const std::filesystem::path& file, const TakeRecord& take) {
    auto reader = LineReader::open(file.string());
    if (!reader) return reader.error();
    json::Parser parser;
    while (true) {
        const auto line = reader->next();
        if (!line) return line.error();
        if (!*line) return {};
        const auto value = parser.parse((*line)->text);
        if (!value) return reader->locate(value.error());
        auto record = job::read_trial_record(*value);
        if (!record) return reader->locate(record.error());
        if (Status taken = take(*std::move(record)); !taken) return taken;
    }
}

}  // namespace evalfleet::cli
