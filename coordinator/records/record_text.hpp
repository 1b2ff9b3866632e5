#pragma once

#include "coordinator/records/trial_table.hpp"
#include "coordinator/reduce/record_file.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace evalfleet::records {

/// Reads the records that a table points to, ahead where they follow one another. Blocks.
class RecordText {
  public:
    [[nodiscard]] static Result<RecordText> blocking_open(const TrialTable& table);

    /// The record as JSON, valid until the next call.
    [[nodiscard]] Result<std::string_view> blocking_read(const TrialEntry& trial);

  private:
    explicit RecordText(reduce::RecordFile file) : file_(std::move(file)) {}

    [[nodiscard]] bool has(std::uint64_t begin, std::uint64_t end) const noexcept {
        return begin >= at_ && end <= at_ + filled_;
    }

    reduce::RecordFile file_;
    std::string buffer_;
    std::uint64_t at_ = 0;    // where in the file the buffer begins
    std::size_t filled_ = 0;  // bytes of the buffer
    std::uint64_t next_ = 0;  // where the last record that was asked for ended
};

/// The first characters of a text, cut between characters, with an ellipsis if something is
/// missing. Pure.
[[nodiscard]] std::string excerpt(std::string_view text, std::size_t max_bytes = 200);

}  // namespace evalfleet::records
