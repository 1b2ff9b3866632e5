#pragma once

#include "coordinator/records/trial_query.hpp"
#include "coordinator/records/trial_shelf.hpp"

#include <cstdint>
#include <string>

namespace evalfleet::views {

/// A page of trials as it is asked for.
struct TrialPageRequest {
    records::TrialQuery query{};
    std::string text{};        ///< must occur in task, answer, rationale or id
    std::uint64_t offset = 0;  ///< into the list of what fits the filter, whatever `text` says
    std::size_t limit = 50;
};

/// TRIALS of docs/api.md. A search for a text reads a bounded number of bytes and says where to go
/// on. Blocks.
[[nodiscard]] Result<std::string> blocking_trial_page(records::TrialShelf::Hold& hold,
                                                      const TrialPageRequest& request);

}  // namespace evalfleet::views
