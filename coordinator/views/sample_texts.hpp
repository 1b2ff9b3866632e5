#pragma once

#include "common/job/sample.hpp"
#include "common/redaction/redactor.hpp"
#include "common/runfile/dataset.hpp"
#include "coordinator/views/text_search.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::views {

/// The samples of a run as they may be shown: redacted as records are. Remembers the last one,
/// since repeats follow one another. Blocks.
class SampleTexts {
  public:
    /// `dataset` may be null: then there are none.
    explicit SampleTexts(const runfile::Dataset* dataset, bool redacts_pii = true);

    /// Nothing if there is no such sample, or it cannot be read.
    [[nodiscard]] const job::Sample* blocking_sample(std::uint32_t sample_index);

    /// Only its task, whatever else the sample has.
    [[nodiscard]] std::optional<std::string> blocking_task(std::uint32_t sample_index);

    /// Whether `search` finds something in its task.
    [[nodiscard]] bool blocking_is_in_task(std::uint32_t sample_index, const TextSearch& search);

  private:
    [[nodiscard]] std::optional<std::string> task_of(std::string_view line,
                                                     std::uint32_t sample_index) const;

    const runfile::Dataset* dataset_;
    redaction::Redactor redactor_;
    std::optional<std::uint32_t> last_index_;
    std::optional<job::Sample> last_;
    std::optional<std::uint32_t> task_index_;
    std::optional<std::string> task_;
    std::optional<std::uint32_t> searched_index_;
    bool is_found_ = false;
};

}  // namespace evalfleet::views
