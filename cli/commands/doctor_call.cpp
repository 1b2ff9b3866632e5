#include "cli/commands/doctor_call.hpp"

#include "cli/line_reader.hpp"
#include "cli/local_session.hpp"
#include "common/files/atomic_file.hpp"
#include "common/files/file.hpp"
#include "common/job/trial_record_json.hpp"
#include "common/json/document.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

namespace evalfleet::cli {

namespace fs = std::filesystem;
using doctor::Findings;

namespace {

constexpr std::chrono::seconds kPatience{60};
constexpr const char* kQuestion =
    "{\"id\":\"doctor\",\"task\":\"Say OK.\",\"reference_answer\":\"OK\"}\n";

/// A folder of this user alone, which goes with the object.
class OwnFolder {
  public:
    OwnFolder() : path_((fs::temp_directory_path() / "evalfleet-doctor-XXXXXX").string()) {
        if (::mkdtemp(path_.data()) == nullptr) path_.clear();
    }
    OwnFolder(const OwnFolder&) = delete;
    OwnFolder& operator=(const OwnFolder&) = delete;
    ~OwnFolder() {
        std::error_code ignored;
        if (!path_.empty()) fs::remove_all(path_, ignored);
    }
    [[nodiscard]] fs::path path() const { return path_; }

  private:
    std::string path_;
};

Result<job::TrialRecord> blocking_read_first(const fs::path& records) {
    auto reader = LineReader::open(records.string());
    if (!reader) return reader.error();
    const auto line = reader->next();
    if (!line) return line.error();
    if (!*line) return Error{ErrorKind::not_found, "there is no record"};
    json::Parser parser;
    const auto value = parser.parse((*line)->text);
    if (!value) return reader->locate(value.error());
    return job::read_trial_record(*value);
}

std::string judge_name(const job::RunSpec& spec) {
    return spec.judge ? spec.judge->model.id() : "";
}

/// Of a run that did not come to an end, its note says why.
Findings findings_of(const fleet::SessionResult& result, const job::RunSpec& spec) {
    Findings findings;
    for (std::size_t i = 0; i < spec.models.size(); ++i) {
        const std::string model = spec.models[i].id();
        const auto record = i < result.folders.size()
                                ? blocking_read_first(result.folders[i] / "records.jsonl")
                                : Result<job::TrialRecord>(Error{ErrorKind::not_found, ""});
        if (record) {
            const Findings more = findings_of_call(*record, model, judge_name(spec));
            findings.insert(findings.end(), more.begin(), more.end());
            continue;
        }
        const std::string note =
            i < result.runs.size() ? result.runs[i].note.value_or("it did not end") : "not begun";
        findings.push_back(doctor::broken("call " + model, note, "see docs/troubleshooting.md"));
    }
    return findings;
}

}  // namespace

job::RunSpec make_call_spec(const job::RunSpec& spec) {
    job::RunSpec call = spec;
    call.name = "doctor";
    call.prompts = {job::PromptSpec{}};
    call.repeats = 1;
    call.baseline.reset();
    call.baseline_path.reset();
    call.baseline_margin.clear();
    call.early_stop = job::EarlyStop::never;
    call.labels.reset();
    call.generation.max_tokens = 1;
    call.generation.thinking_budget.reset();
    call.generation.response_format.reset();
    call.limits.timeout = call.limits.attempt_timeout = kPatience;
    call.limits.max_attempts = 1;
    call.limits.give_up_after = std::chrono::milliseconds(0);
    if (!call.judge) {
        // People gave the labels: somebody has to judge, and the first model will do.
        call.judge.emplace().model = spec.models.front();
    }
    call.judge->limits = {};
    return call;
}

Findings findings_of_call(const job::TrialRecord& record, const std::string& model,
                          const std::string& judge) {
    const std::string what = "call " + model;
    const bool is_short = record.error_kind == job::CallError::empty_response;
    if (record.error_kind && !is_short) {
        return {doctor::broken(what,
                               fmt::format("{}: {}", job::to_string(*record.error_kind),
                                           record.error_message.value_or("nothing was said")),
                               "mend address, key, model name or quota of this provider")};
    }
    Findings findings{doctor::well(
        what, record.latency_e2e_ms
                  ? fmt::format("answers one token in {:.0f} ms", *record.latency_e2e_ms)
                  : std::string("answers"))};
    if (judge.empty() || is_short) return findings;
    const std::string who = "call " + judge + " as judge";
    if (record.evaluator_error == job::EvaluatorError::call_error) {
        findings.push_back(doctor::broken(who, record.evaluator_error_message.value_or("fails"),
                                          "mend the judge's address, key, model name or quota"));
    } else {
        findings.push_back(doctor::well(who, "answers"));
    }
    return findings;
}

Result<Findings> blocking_call_models(const CheckedRun& run, bool simulate) {
    const OwnFolder folder;
    if (folder.path().empty())
        return Error{ErrorKind::internal, "cannot make a folder for a short run"};
    const job::RunSpec original = run.file.spec;
    job::RunSpec spec = make_call_spec(original);
    const fs::path dataset = folder.path() / "question.jsonl";
    if (const Status put = files::blocking_write_atomically(dataset, kQuestion); !put)
        return put.error();
    spec.dataset = {};
    spec.dataset.path = fs::canonical(dataset).string();
    spec.providers = "{}";
    fleet::SessionConfig config;
    config.out = folder.path() / "out";
    config.dataset = spec.dataset.path;
    config.providers_json = run.providers_json;
    json::Writer writer(config.run_json);
    job::write(writer, spec);
    FleetChoice choice;
    choice.workers = 1;
    choice.simulate = simulate;
    choice.no_progress = true;
    if (const Status equipped = blocking_equip(config, choice); !equipped) return equipped.error();
    const auto result = blocking_await_session(config);
    if (!result) return result.error();
    if (result->refusal) return remote::to_error(*result->refusal, "submitter");
    if (!original.judge) spec.judge.reset();
    return findings_of(*result, spec);
}

}  // namespace evalfleet::cli
