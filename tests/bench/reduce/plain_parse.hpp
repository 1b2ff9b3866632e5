#pragma once

#include <filesystem>

namespace evalfleet::bench {

/// The peer of reading records: simdjson builds the tree of every line of the file, with the same
/// threads and blocks, and nothing is taken out of it. Throws for a line that is no JSON.
void parse_plainly(const std::filesystem::path& file, unsigned threads);

}  // namespace evalfleet::bench
