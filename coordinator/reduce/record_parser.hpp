#pragma once

#include "common/json/field_reader.hpp"
#include "common/result/result.hpp"
#include "coordinator/reduce/record_table.hpp"

#include <string_view>
#include <vector>

namespace evalfleet::reduce {

/// Turns lines of a records file into rows. One a thread; what it collected is taken out at the
/// end.
///
/// What job::read_trial_record refuses in a field that reducing needs is refused here, and what it
/// takes is taken, with one exception: a record must be derived. It says whether its trial passes
/// and has a label wherever a condition fails. Of two names of one figure the Rubric's counts.
/// Fields that reducing does not need are not looked at, beyond being JSON.
class RecordParser {
  public:
    RecordParser();

    /// Appends the record's row to `rows`. `line` must have json::FieldReader::kPaddingBytes after
    /// it. Errors name the field.
    [[nodiscard]] Status parse(std::string_view line, std::vector<TrialRow>& rows);

    /// The combinations of task type and tags that slice_set counts, over all lines so far.
    [[nodiscard]] const SliceDictionary& slices() const noexcept { return slices_; }
    [[nodiscard]] const RunTally& tally() const noexcept { return tally_; }

  private:
    [[nodiscard]] Status read_identity(TrialRow& row);
    [[nodiscard]] Status read_response(TrialRow& row);
    [[nodiscard]] Status read_scores(TrialRow& row);
    [[nodiscard]] Status read_verdicts(TrialRow& row);
    [[nodiscard]] Status read_figures(TrialRow& row);
    [[nodiscard]] Status read_slices(TrialRow& row);
    [[nodiscard]] Status read_tokens(TrialRow& row);
    [[nodiscard]] Status read_whole_run(const TrialRow& row);
    [[nodiscard]] Status read_end(const TrialRow& row);
    [[nodiscard]] Status read_redactions();

    json::FieldReader reader_;
    std::vector<json::FieldValue> fields_;
    std::vector<SliceDictionary::Tag> tags_;
    SliceDictionary slices_;
    RunTally tally_;
};

}  // namespace evalfleet::reduce
