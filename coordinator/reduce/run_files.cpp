#include "coordinator/reduce/run_files.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

namespace evalfleet::reduce {

Result<job::RunMetadata> blocking_read_metadata(const std::filesystem::path& folder) {
    const auto path = folder / kMetadataFile;
    std::ifstream in(path, std::ios::binary);
    if (!in) return Error{ErrorKind::not_found, fmt::format("{}: cannot be read", path.string())};
    std::ostringstream text;
    text << in.rdbuf();
    auto metadata = job::parse_run_metadata(text.str());
    if (!metadata) return metadata.error().within(path.string());
    return metadata;
}

}  // namespace evalfleet::reduce
