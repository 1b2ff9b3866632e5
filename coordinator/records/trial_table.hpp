#pragma once

#include "common/job/vocabulary.hpp"
#include "common/json/field_reader.hpp"
#include "common/result/result.hpp"
#include "coordinator/reduce/slice_dictionary.hpp"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

namespace evalfleet::records {

/// What lists of trials filter, sort and count by, and where the record itself stands.
struct TrialEntry {
    static constexpr std::uint8_t kNone = 0xFF;
    static constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

    std::uint64_t offset = 0;      ///< of the record's first byte in its file
    std::int64_t finished_ms = 0;  ///< since 1970; 0: not known
    std::uint32_t bytes = 0;       ///< of the record
    std::uint32_t sample_index = 0;
    std::uint32_t repeat = 1;
    std::uint32_t slice_set = 0;  ///< task type and tags, see TrialTable::slices
    float latency_ms = kUnknown;
    float cost_usd = kUnknown;  ///< of model and judge together
    float score = kUnknown;
    std::uint32_t total_tokens = 0;
    std::uint8_t label = kNone;       ///< job::FailureLabel
    std::uint8_t error_kind = kNone;  ///< job::CallError
    std::uint8_t accuracy = kNone;
    std::uint8_t faithfulness = kNone;
    bool passed = false;         ///< by the Rubric's condition
    bool spec_passed = false;    ///< by the Specification's
    bool judge_retried = false;  ///< its first reply was not taken
    bool is_answered = true;
    bool timed_out = false;
    bool is_lost = false;    ///< unanswered for reasons of infrastructure
    bool disagrees = false;  ///< with another repeat of its sample, in whether it passed
};

/// Makes entries out of records. One a thread.
class TrialReader {
  public:
    TrialReader();

    /// `line` with padding for json::FieldReader. `invalid` if it is no record.
    [[nodiscard]] Result<TrialEntry> read(std::string_view line, reduce::SliceDictionary& slices);

  private:
    json::FieldReader reader_;
    std::vector<reduce::SliceDictionary::Tag> tags_;
};

/// All trials of a run in some fifty bytes each, read once and asked often. Of a run that is over
/// they stand in `records.jsonl`; of one that goes on in its log, which is followed.
///
/// Not safe to be changed and read at once.
class TrialTable {
  public:
    /// More are not kept in memory: `too_large`.
    static constexpr std::size_t kMostTrials = 5'000'000;

    /// Reads a whole `records.jsonl`. Errors name the file. Blocks.
    [[nodiscard]] static Result<TrialTable> blocking_load(const std::filesystem::path& records,
                                                          const std::stop_token& stop = {});

    /// The same from what was kept in `kept` when the records were last read, if it is about these
    /// records as they are; else reads them and keeps that. What cannot be kept is no error.
    /// Blocks.
    [[nodiscard]] static Result<TrialTable> blocking_open(const std::filesystem::path& records,
                                                          const std::filesystem::path& kept,
                                                          const std::stop_token& stop = {});

    /// An empty table of a log that is to be followed.
    [[nodiscard]] static TrialTable of_log(std::filesystem::path log);

    /// Takes in what was appended to the log since; nothing for a table that was loaded. Blocks.
    [[nodiscard]] Status blocking_follow(const std::stop_token& stop = {});

    /// By sample and repeat.
    [[nodiscard]] std::span<const TrialEntry> trials() const noexcept { return trials_; }
    [[nodiscard]] std::span<const reduce::SliceDictionary::SliceSet> slices() const noexcept {
        return slices_.sets();
    }
    /// The trials of one sample.
    [[nodiscard]] std::span<const TrialEntry> of_sample(std::uint32_t sample_index) const;

    /// The file that offsets are of.
    [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }

    /// How much memory it takes, about.
    [[nodiscard]] std::uint64_t memory_bytes() const noexcept;

  private:
    friend class TrialTableFile;

    void arrange();

    std::filesystem::path file_;
    std::uint64_t followed_ = 0;  // bytes of the log that were taken in
    bool is_log_ = false;
    std::vector<TrialEntry> trials_;
    reduce::SliceDictionary slices_;
};

}  // namespace evalfleet::records
