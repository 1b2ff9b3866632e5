#pragma once

#include "common/result/result.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::store {

class RunFolder;

/// What a new run begins with.
struct NewRun {
    std::string_view run_id;
    std::string_view metadata_json;
    std::string_view spec_json;
    std::filesystem::path dataset;  ///< copied, so that nobody changes it under the run
    std::filesystem::path answers;  ///< records whose answers are judged anew; empty: none
    /// Puts in what else it begins with, such as records of another run; may be empty.
    std::function<Status(const RunFolder&)> fill;
    std::string dataset_sha256{};  ///< that the copy must have; empty: any
    bool shares_dataset = false;   ///< it is another run's copy: linked if it can be
};

/// The files of one run. What users read stands in the folder itself, what the coordinator needs
/// until the run is over in `work/`:
///
///     <store>/runs/<run id>/run.json, records.jsonl, summary.json, report.*, junit.xml,
///                           manifest.json
///     <store>/runs/<run id>/work/spec.json, dataset.jsonl, answers.jsonl (each with its .sha256),
///                                phase, submitted_by, trials.log, trials.log.epoch, damaged/
///
/// Everything blocks.
class RunFolder {
  public:
    explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    [[nodiscard]] std::string run_id() const { return path_.filename().string(); }
    [[nodiscard]] std::filesystem::path file(std::string_view name) const { return path_ / name; }
    [[nodiscard]] std::filesystem::path spec() const { return path_ / "work" / "spec.json"; }
    [[nodiscard]] std::filesystem::path dataset() const { return path_ / "work" / "dataset.jsonl"; }
    [[nodiscard]] std::filesystem::path answers() const { return path_ / "work" / "answers.jsonl"; }
    [[nodiscard]] std::filesystem::path log() const { return path_ / "work" / "trials.log"; }
    /// Records for a look at a run that goes on; whoever takes it removes it.
    [[nodiscard]] std::filesystem::path records_so_far() const {
        return path_ / "work" / "records.jsonl";
    }

    /// Makes the folder of a new run with everything it needs, durably, under a name that is not
    /// seen as a run yet.
    [[nodiscard]] static Result<RunFolder> blocking_stage(const std::filesystem::path& store,
                                                          const NewRun& run);

    /// Removes a staged folder that shall not become a run.
    static void blocking_unstage(const std::filesystem::path& store, std::string_view run_id);

    /// Makes a staged folder a run: after this it goes on whatever dies. Fine if it was done
    /// before.
    [[nodiscard]] static Result<RunFolder> blocking_publish(const std::filesystem::path& store,
                                                            std::string_view run_id);

    /// Both in one, for a run that stands alone.
    [[nodiscard]] static Result<RunFolder> blocking_create(const std::filesystem::path& store,
                                                           std::string_view run_id,
                                                           std::string_view metadata_json,
                                                           std::string_view spec_json,
                                                           const std::filesystem::path& dataset);

    /// Whether a file of `work/` that was copied is still what it was then. For a run that has no
    /// hash beside it, of an earlier version, `otherwise` is its hash; empty: it is not known.
    /// `invalid` says what was found.
    [[nodiscard]] static Status blocking_check_copy(const std::filesystem::path& file,
                                                    const std::string& otherwise = {});

    /// The phase's name, as it was written last.
    [[nodiscard]] Result<std::string> blocking_read_phase() const;
    /// Why it is in that phase, if that was written with it.
    [[nodiscard]] Result<std::string> blocking_read_phase_note() const;
    /// When the phase was written.
    [[nodiscard]] Result<std::chrono::system_clock::time_point> blocking_phase_time() const;
    /// Phase and note in one step; the note as `shorten_note` makes it.
    [[nodiscard]] Status blocking_write_phase(std::string_view phase,
                                              std::string_view note = {}) const;
    static constexpr std::size_t kMaxNoteBytes = 1024;
    /// With blanks instead of line feeds, cut at `kMaxNoteBytes`. Pure.
    [[nodiscard]] static std::string shorten_note(std::string_view note);

    /// The run is over: what only a running run needs is removed, and what a killed process left
    /// half-written. The data set stays, so that the answers can be judged anew, and so do damaged
    /// parts of the log.
    [[nodiscard]] Status blocking_drop_work() const;

    /// Removes what killed processes left half-written. Only while nobody writes in the folder.
    [[nodiscard]] Status blocking_remove_parts() const;

    /// Removes the run with everything it left. Nobody ever sees half of it: it loses its name
    /// first.
    [[nodiscard]] Status blocking_remove() const;

  private:
    std::filesystem::path path_;
};

/// Ends what a crash left undone: publishes those staged folders that `wanted` names, removes the
/// other ones and what was being removed.
[[nodiscard]] Status blocking_settle_folders(const std::filesystem::path& store,
                                             const std::vector<std::string>& wanted);

/// All runs of a store, in the order of their ids.
[[nodiscard]] Result<std::vector<RunFolder>> blocking_list_runs(const std::filesystem::path& store);

}  // namespace evalfleet::store
