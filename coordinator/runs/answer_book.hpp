#pragma once

#include "common/result/result.hpp"
#include "common/runfile/dataset.hpp"
#include "coordinator/runs/paged_array.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

namespace evalfleet::runs {

/// The records of a run that is over, found by trial: what a run that judges its answers anew works
/// on. Immutable; about 20 bytes a record.
class AnswerBook {
  public:
    /// `path`: the records, one a line, in any order; those of no trial of the run are left out.
    [[nodiscard]] static Result<AnswerBook> blocking_open(const std::filesystem::path& path,
                                                          std::uint64_t repeats,
                                                          std::uint64_t total,
                                                          const std::stop_token& stop = {});

    /// The record of a trial as it is stored; `not_found` if there is none.
    [[nodiscard]] Result<std::string> blocking_read(std::uint64_t index) const;

    [[nodiscard]] bool has(std::uint64_t index) const noexcept;

    /// The first trial from `from` on of which there is a record.
    [[nodiscard]] std::optional<std::uint64_t> next(std::uint64_t from) const noexcept {
        return line_of_.next_set(from);
    }

  private:
    AnswerBook(runfile::Dataset lines, std::uint64_t total)
        : lines_(std::move(lines)), line_of_(total) {}

    runfile::Dataset lines_;
    PagedArray<std::uint32_t> line_of_;  // counted from 1; 0: none
};

/// A job that asks for a verdict only: the sample and the record whose answer is judged.
[[nodiscard]] std::string make_rejudge_payload(std::string_view sample, std::string_view record);

}  // namespace evalfleet::runs
