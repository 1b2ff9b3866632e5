#pragma once

#include "coordinator/store/submission.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace evalfleet::runs {

/// The submissions of a store by what they are asked for: by idempotency key, by group, by run.
/// Pure.
class SubmissionIndex {
  public:
    void add(store::Submission submission);

    /// Null if no submission came under that key.
    [[nodiscard]] const store::Submission* find_key(const std::string& key_sha256) const;

    /// In the order of the submission; empty if there is no such group.
    [[nodiscard]] std::vector<std::string> runs_of_group(const std::string& group_id) const;

    /// The ids of all groups.
    [[nodiscard]] std::vector<std::string> groups() const;

    /// A run was removed. The id of its submission, if that was its last run: it is forgotten.
    [[nodiscard]] std::optional<std::string> remove_run(const std::string& run_id);

  private:
    std::map<std::string, store::Submission> by_id_;
    std::map<std::string, std::string> by_key_;  // to the id of the submission, as the following
    std::map<std::string, std::string> by_group_;
    std::map<std::string, std::string> by_run_;
};

}  // namespace evalfleet::runs
