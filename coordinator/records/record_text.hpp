#pragma once

#include "coordinator/records/trial_table.hpp"
#include "coordinator/reduce/record_file.hpp"

#include <string>

namespace evalfleet::records {

/// Reads the records that a table points to. Blocks.
class RecordText {
  public:
    [[nodiscard]] static Result<RecordText> blocking_open(const TrialTable& table);

    /// The record as JSON.
    [[nodiscard]] Result<std::string> blocking_read(const TrialEntry& trial) const;

  private:
    explicit RecordText(reduce::RecordFile file) : file_(std::move(file)) {}

    reduce::RecordFile file_;
};

/// The first characters of a text, cut between characters, with an ellipsis if something is
/// missing. Pure.
[[nodiscard]] std::string excerpt(std::string_view text, std::size_t max_bytes = 200);

}  // namespace evalfleet::records
