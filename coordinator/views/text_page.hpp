#pragma once

#include "common/job/run_metadata.hpp"
#include "coordinator/records/trial_shelf.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace evalfleet::views {

/// Which samples somebody wants the texts of.
struct TextPageRequest {
    std::uint64_t first = 0;
    std::size_t limit = 100;
};

/// TEXTS of docs/api.md: what was asked, by sample, for those who have the records alone. Ends
/// after `limit` samples or so many bytes, and says where to go on. A sample that cannot be shown
/// is left out. Blocks.
[[nodiscard]] Result<std::string> blocking_text_page(const records::TrialShelf::Hold& hold,
                                                     const job::RunMetadata& metadata,
                                                     const TextPageRequest& request);

}  // namespace evalfleet::views
