#pragma once

#include "cli/checked_run.hpp"
#include "cli/remote/problem.hpp"
#include "cli/run_notes.hpp"
#include "common/result/result.hpp"
#include "common/runfile/fault.hpp"

#include <boost/system/result.hpp>

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

/// A run file and its data set, read and checked; or what is wrong with them.
using CheckedSubmission = boost::system::result<CheckedRun, runfile::FaultList>;

/// With `no_upload` all paths are the coordinator's, and not looked at. Blocks: reads files.
[[nodiscard]] CheckedSubmission blocking_check_submission(const std::string& run_file,
                                                          bool no_upload);

/// How such a run is handed in. The data set goes by its hash, so that it is exactly what was
/// checked here. Without one the file is handed in as it is, but for `notes`, whose faults are the
/// errors. Blocks: pictures that the data set names are put into a copy of it.
[[nodiscard]] Result<SubmissionPlan> blocking_plan_submission(CheckedRun run, bool no_upload,
                                                              const RunNotes& notes = {});

/// Adds what a coordinator finds besides, placed in the file. What it says of paths is left out
/// unless they are its own (`no_upload`). Blocks: reads the file again.
void blocking_add_refusals(const std::vector<http::FieldFault>& found, const std::string& run_file,
                           bool no_upload, runfile::FaultList& faults);

/// What is wrong with a run's baseline, by the answer to `GET /baselines`; nothing if that cannot
/// be read. Pure.
[[nodiscard]] std::vector<http::FieldFault> baseline_faults(const job::RunSpec& spec,
                                                            std::string_view answer);

/// An id for a data set that has none, out of its file's name. Pure.
[[nodiscard]] std::string dataset_id_of(const std::filesystem::path& file);

/// Whether the coordinator has a data set, by its answer to `GET /datasets/{id}`. `invalid` if it
/// has other content under the same version, which does not change. Pure.
[[nodiscard]] Result<bool> has_dataset(std::string_view answer, const UploadPlan& plan);

/// A refusal whose faults are placed in the run file they are about. Blocks: reads it again.
[[nodiscard]] Error blocking_place_refusal(const remote::Refusal& refusal,
                                           const std::string& run_file);

}  // namespace evalfleet::cli
