#pragma once

#include "common/result/result.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::store {

/// What one submission made: `<store>/submissions/<id>.json`. Writing it is the moment at which all
/// of its runs exist, or none: their folders are staged before, and get their names after it; what
/// a crash left in between is done when the store is opened.
struct Submission {
    std::string id;                       ///< the group's, or the only run's
    std::optional<std::string> group_id;  ///< if it made several runs
    std::optional<std::string> name;
    std::string submitted_at;
    std::optional<std::string> key_sha256;   ///< of the idempotency key and whose it is
    std::optional<std::string> body_sha256;  ///< of what was submitted under that key
    std::vector<std::string> run_ids;        ///< in the order of the submission
    bool operator==(const Submission&) const = default;
};

[[nodiscard]] std::string to_json(const Submission& submission);
[[nodiscard]] Result<Submission> parse_submission(std::string_view json);

/// Makes the staged runs of a submission real, all of them. If it fails, none of them is left, so
/// that none begins later; a disk on which that cannot be done either is told of. Blocks.
[[nodiscard]] Status blocking_commit(const std::filesystem::path& store,
                                     const Submission& submission);

/// Every submission of the store, after what a crash left undone was done; in the order of ids.
/// Blocks.
[[nodiscard]] Result<std::vector<Submission>> blocking_open_submissions(
    const std::filesystem::path& store);

/// Forgets a submission whose runs were all removed. Blocks.
[[nodiscard]] Status blocking_forget(const std::filesystem::path& store, std::string_view id);

}  // namespace evalfleet::store
