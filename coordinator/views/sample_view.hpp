#pragma once

#include "common/job/run_metadata.hpp"
#include "common/providers/provider_config.hpp"
#include "coordinator/records/trial_shelf.hpp"
#include "coordinator/views/review_book.hpp"

#include <string>
#include <vector>

namespace evalfleet::views {

/// What is known of a run beside its trials.
struct SampleContext {
    job::RunMetadata metadata;
    std::vector<Review> reviews{};
    providers::Providers providers{};  ///< the operator's; empty: not known
};

/// One sample with all its repeats: SAMPLE of docs/api.md. Of the records so many bytes at most are
/// shown. `not_found` if the run has no trial and no text of it. Blocks.
[[nodiscard]] Result<std::string> blocking_sample_json(records::TrialShelf::Hold& hold,
                                                       std::uint32_t sample_index,
                                                       const SampleContext& context);

}  // namespace evalfleet::views
