#pragma once

#include "common/job/sample.hpp"
#include "common/redaction/redactor.hpp"
#include "common/runfile/dataset.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace evalfleet::views {

/// The samples of a run as they may be shown: redacted as records are. Remembers the last one,
/// since repeats follow one another. Blocks.
class SampleTexts {
  public:
    /// `dataset` may be null: then there are none.
    explicit SampleTexts(const runfile::Dataset* dataset, bool redacts_pii = true);

    /// Nothing if there is no such sample, or it cannot be read.
    [[nodiscard]] const job::Sample* blocking_sample(std::uint32_t sample_index);

    [[nodiscard]] std::optional<std::string> blocking_task(std::uint32_t sample_index);

  private:
    const runfile::Dataset* dataset_;
    redaction::Redactor redactor_;
    std::optional<std::uint32_t> last_index_;
    std::optional<job::Sample> last_;
};

}  // namespace evalfleet::views
