#include "coordinator/runs/peoples_scores.hpp"

#include "common/files/atomic_file.hpp"
#include "common/files/part_file.hpp"
#include "common/scoring/manual_label.hpp"

namespace evalfleet::runs {

namespace {

// A file of the store's while a run is made from it. If this process is killed, it is removed like
// any other file that was half-written.
class LabelsCopy {
  public:
    explicit LabelsCopy(const std::filesystem::path& store)
        : path_(store / files::part_name("labels")) {}
    LabelsCopy(const LabelsCopy&) = delete;
    LabelsCopy& operator=(const LabelsCopy&) = delete;
    ~LabelsCopy() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

  private:
    std::filesystem::path path_;
};

// A fault is told by its line: `labels:3: correctness_score: ...`.
Error in_the_labels(Error error, const std::filesystem::path& copy) {
    const std::string name = copy.string();
    for (auto at = error.message.find(name); at != std::string::npos; at = error.message.find(name))
        error.message.replace(at, name.size(), "labels");
    return error;
}

}  // namespace

Result<PeoplesScores> PeoplesScores::blocking_take(const std::filesystem::path& store,
                                                   const store::RunFolder& source,
                                                   const GivenLabels& given, job::RunSpec& spec) {
    const LabelsCopy copy(store);
    const Status written = files::blocking_write_atomically(copy.path(), given.text);
    if (!written) return written.error();
    auto labels = runfile::LabelsFile::blocking_read(copy.path());
    if (!labels) return in_the_labels(labels.error().status().error(), copy.path());
    const auto dataset = runfile::Dataset::blocking_open(source.dataset());
    if (!dataset) return dataset.error();
    const auto coverage = labels->blocking_cover(*dataset, spec.repeats);
    if (!coverage) return coverage.error();
    if (coverage->unused == labels->size())
        return Error{ErrorKind::invalid, "labels: none of them is of a sample of this run"};
    const std::string hash = labels->sha256();
    spec.judge.reset();
    spec.labels = job::LabelsSpec{copy.path().string(), given.version};
    if (given.version.empty()) spec.labels->version = "sha256:" + hash.substr(0, 12);
    auto lines = JoinedDataset::blocking_make(spec, *dataset, store);
    if (!lines) return lines.error();
    spec.labels->path = "sha256:" + hash;
    return PeoplesScores(*std::move(labels), *std::move(lines));
}

void PeoplesScores::describe(const job::RunSpec& spec, job::RunMetadata& metadata) const {
    metadata.evaluator_model.reset();
    metadata.evaluator_version = spec.labels->version;
    metadata.evaluator_labels_hash = labels_.sha256();
    metadata.evaluator_profile.reset();
    metadata.evaluator_prompt_template_hash.reset();
    metadata.rationale_limit.reset();
    metadata.evaluator_generation_params.reset();
    metadata.evaluator_generation_params_requested.reset();
    metadata.evaluator_response_format.reset();
    metadata.judged_answers.reset();
}

void PeoplesScores::apply(job::TrialRecord& record) const {
    if (!job::is_answered(record)) return;
    // A sample without an id is named by its line, as in a data set.
    const std::string id = record.sample_id.value_or(std::to_string(record.sample_index + 1));
    scoring::apply(scoring::find_label(labels_.of(id), record.repeat), record);
}

}  // namespace evalfleet::runs
