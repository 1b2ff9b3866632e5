#include "coordinator/runs/submission_index.hpp"

#include <algorithm>
#include <utility>

namespace evalfleet::runs {

void SubmissionIndex::add(store::Submission submission) {
    if (submission.key_sha256) by_key_.insert_or_assign(*submission.key_sha256, submission.id);
    if (submission.group_id) by_group_.insert_or_assign(*submission.group_id, submission.id);
    for (const std::string& run_id : submission.run_ids)
        by_run_.insert_or_assign(run_id, submission.id);
    const std::string id = submission.id;
    by_id_.insert_or_assign(id, std::move(submission));
}

const store::Submission* SubmissionIndex::find_key(const std::string& key_sha256) const {
    const auto found = by_key_.find(key_sha256);
    return found == by_key_.end() ? nullptr : &by_id_.at(found->second);
}

std::vector<std::string> SubmissionIndex::runs_of_group(const std::string& group_id) const {
    const auto found = by_group_.find(group_id);
    if (found == by_group_.end()) return {};
    return by_id_.at(found->second).run_ids;
}

std::vector<std::string> SubmissionIndex::groups() const {
    std::vector<std::string> ids;
    for (const auto& [group_id, submission_id] : by_group_)
        ids.push_back(group_id);
    return ids;
}

std::optional<std::string> SubmissionIndex::remove_run(const std::string& run_id) {
    const auto found = by_run_.find(run_id);
    if (found == by_run_.end()) return std::nullopt;
    const std::string id = found->second;
    by_run_.erase(found);
    const store::Submission& submission = by_id_.at(id);
    const bool is_last =
        std::none_of(submission.run_ids.begin(), submission.run_ids.end(),
                     [this](const std::string& other) { return by_run_.contains(other); });
    if (!is_last) return std::nullopt;
    if (submission.key_sha256) by_key_.erase(*submission.key_sha256);
    if (submission.group_id) by_group_.erase(*submission.group_id);
    by_id_.erase(id);
    return id;
}

}  // namespace evalfleet::runs
