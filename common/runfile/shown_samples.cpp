#include "common/runfile/shown_samples.hpp"

#include "common/disclosure/sample.hpp"
#include "common/json/document.hpp"
#include "common/runfile/dataset.hpp"

#include <utility>

namespace evalfleet::runfile {

ShownSamples blocking_read_shown_samples(const std::filesystem::path& dataset,
                                         const std::string& sha256,
                                         const std::set<std::int64_t>& indexes, bool redacts_pii) {
    ShownSamples shown;
    if (indexes.empty()) return shown;
    const auto opened = Dataset::blocking_open(dataset);
    if (!opened || (!sha256.empty() && opened->sha256() != sha256)) return shown;
    const redaction::Redactor redactor({}, {.pii = redacts_pii});
    for (const std::int64_t index : indexes) {
        if (index < 0 || static_cast<std::uint64_t>(index) >= opened->size()) continue;
        const auto place = static_cast<std::size_t>(index);
        const auto line = opened->blocking_read_line(place);
        if (!line) continue;
        const auto document = json::Document::parse(*line);
        if (!document) continue;
        auto sample = job::read_sample(document->root(), place + 1);
        if (!sample) continue;
        disclosure::redact(redactor, *sample);
        shown.emplace(index, std::move(*sample));
    }
    return shown;
}

}  // namespace evalfleet::runfile
