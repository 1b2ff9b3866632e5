#pragma once

#include "cli/remote/problem.hpp"
#include "cli/run_notes.hpp"
#include "common/result/result.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::cli {

/// A data set that the coordinator may need.
struct UploadPlan {
    std::filesystem::path file{};
    std::shared_ptr<const std::filesystem::path> own_folder{};  ///< of a file made for the upload
    std::string id{};
    std::optional<std::string> version{};
    std::string sha256{};
    std::uint64_t samples = 0;
};

/// A run file, read and found right, as it is handed in.
struct SubmissionPlan {
    std::string body;  ///< JSON, or the file's own text
    bool is_json = true;
    std::optional<UploadPlan> upload;
    std::vector<std::string> warnings;
};

/// Reads and checks a run file and its data set. The data set goes by its hash, so that it is
/// exactly what was checked here. With `no_upload` all paths are the coordinator's, and the file is
/// handed in as it is, but for `notes`. Errors name file, line and field. Blocks.
[[nodiscard]] Result<SubmissionPlan> blocking_plan_submission(const std::string& run_file,
                                                              bool no_upload,
                                                              const RunNotes& notes = {});

/// An id for a data set that has none, out of its file's name. Pure.
[[nodiscard]] std::string dataset_id_of(const std::filesystem::path& file);

/// Whether the coordinator has a data set, by its answer to `GET /datasets/{id}`. `invalid` if it
/// has other content under the same version, which does not change. Pure.
[[nodiscard]] Result<bool> has_dataset(std::string_view answer, const UploadPlan& plan);

/// A refusal whose faults are placed in the run file they are about. Blocks: reads it again.
[[nodiscard]] Error blocking_place_refusal(const remote::Refusal& refusal,
                                           const std::string& run_file);

}  // namespace evalfleet::cli
