#pragma once

#include "common/job/trial_record.hpp"
#include "common/json/value.hpp"
#include "common/json/writer.hpp"
#include "common/result/result.hpp"

#include <string>
#include <utility>
#include <vector>

namespace evalfleet::job {

/// Members of a record that we do not know, as (name, JSON), in the order of the text.
using UnknownMembers = std::vector<std::pair<std::string, std::string>>;

/// Reads a trial or a record; an absent member is the same as null. A wrong one is an error with
/// its path. Where both names of one thing are given, the Rubric's wins. Unknown members are
/// skipped, or kept in `unknown` if it is given.
[[nodiscard]] Result<TrialRecord> read_trial_record(json::Value value,
                                                    UnknownMembers* unknown = nullptr);

/// Appends the record as one object with every member, in a fixed order, both documents' names
/// included, then `unknown`. Equal records give equal bytes.
void write(json::Writer& writer, const TrialRecord& record, const UnknownMembers& unknown = {});

/// One line of a records file, without its line feed.
[[nodiscard]] std::string to_json(const TrialRecord& record);

}  // namespace evalfleet::job
