#include "common/runfile/settled_dataset.hpp"

#include "common/files/atomic_file.hpp"
#include "common/json/document.hpp"
#include "common/json/writer.hpp"
#include "common/runfile/image_files.hpp"

#include <fmt/format.h>

namespace evalfleet::runfile {

namespace {

using LastAssistant = std::optional<job::LastAssistant>;

/// Nothing if the line can stay as it is.
Result<std::optional<std::string>> blocking_settle_line(std::string_view line, std::size_t number,
                                                        const LastAssistant& last_assistant,
                                                        const std::filesystem::path& folder,
                                                        json::Parser& parser) {
    const auto value = parser.parse(line);
    if (!value) return value.error();
    auto sample = job::read_sample(*value, number);
    if (!sample) return sample.error();
    const bool has_files = job::has_image_files(*sample);
    if (has_files) {
        if (Status embedded = blocking_embed_images(*sample, folder); !embedded)
            return embedded.error();
    }
    const bool takes =
        last_assistant == job::LastAssistant::reference && job::ends_in_assistant(*sample);
    if (takes && !job::take_reference(*sample))
        return Error{ErrorKind::invalid, "messages: the last turn cannot become the reference"};
    if (!has_files && !takes) return std::optional<std::string>();
    auto settled = settled_line(*sample);
    if (!settled) return settled.error();
    return std::optional(std::move(*settled));
}

}  // namespace

bool needs_settling(const Dataset& dataset, const LastAssistant& last_assistant) {
    return dataset.mentions_images() ||
           (dataset.mentions_chats() && last_assistant == job::LastAssistant::reference);
}

Result<std::string> settled_line(const job::Sample& sample) {
    std::string line;
    json::Writer writer(line);
    job::write(writer, sample);
    if (line.size() <= Dataset::kMaxLineBytes) return line;
    return Error{ErrorKind::invalid,
                 fmt::format("messages: found {} bytes with all pictures, allowed: at most {}",
                             line.size(), Dataset::kMaxLineBytes)};
}

Result<bool> blocking_settle(const Dataset& dataset, const LastAssistant& last_assistant,
                             const std::filesystem::path& out) {
    auto file = files::AtomicFile::blocking_create(out);
    if (!file) return file.error();
    json::Parser parser;
    bool is_changed = false;
    for (std::size_t index = 0; index < dataset.size(); ++index) {
        auto line = dataset.blocking_read_line(index);
        if (!line) return line.error();
        auto settled = blocking_settle_line(*line, index + 1, last_assistant,
                                            dataset.path().parent_path(), parser);
        if (!settled)
            return settled.error().within(fmt::format("{}:{}", dataset.path().string(), index + 1));
        is_changed |= settled->has_value();
        const std::string& text = *settled ? **settled : *line;
        if (Status written = file->blocking_append(text + "\n"); !written) return written.error();
    }
    if (Status whole = file->blocking_commit(); !whole) return whole.error();
    return is_changed;
}

}  // namespace evalfleet::runfile
