#include "cli/commands/follow.hpp"
#include "cli/commands/remote.hpp"
#include "cli/page_link.hpp"
#include "cli/random.hpp"
#include "cli/remote/file_source.hpp"
#include "cli/remote/session.hpp"
#include "cli/submission.hpp"
#include "common/files/file.hpp"
#include "common/runfile/run_bounds.hpp"

#include <chrono>
#include <cstdio>
#include <utility>
#include <vector>

namespace evalfleet::cli {

namespace {

constexpr std::chrono::seconds kCheckPatience{30};

// A data set that the coordinator has is not sent again.
Status blocking_provide(remote::Session& session, const UploadPlan& plan) {
    const std::string path = "/datasets/" + remote::encode(plan.id);
    const auto known = session.blocking_call({.path = path});
    if (!known && known.error().kind != ErrorKind::not_found) return known.error();
    if (known) {
        const auto is_there = has_dataset(*known, plan);
        if (!is_there) return is_there.error();
        if (*is_there) return {};
    }
    auto source = remote::FileSource::blocking_open(plan.file);
    if (!source) return source.error();
    std::string query = "?hash=" + plan.sha256;
    if (plan.version) query += "&version=" + remote::encode(*plan.version);
    const auto stored = session.blocking_upload(path + query, **source);
    if (!stored) return stored.error();
    std::fprintf(stderr, "uploaded data set %s: %llu samples, sha256 %s\n", plan.id.c_str(),
                 static_cast<unsigned long long>(plan.samples), plan.sha256.c_str());
    return {};
}

Result<Submitted> blocking_hand_in(remote::Session& session, const SubmissionPlan& plan,
                                   const SubmitOptions& options) {
    remote::Call call{.method = "POST", .path = "/runs", .body = plan.body};
    call.content_type = plan.is_json ? "application/json" : "application/yaml";
    // Also without a key of the user's: a connection that breaks must not make a second run.
    const auto drawn = random_hex(16);
    if (!drawn) return drawn.error();
    call.idempotency_key = options.idempotency_key.value_or("evalfleet-submit-" + *drawn);
    auto response = session.blocking_ask(std::move(call));
    if (!response) return response.error();
    if (response->status >= 300) {
        return blocking_place_refusal(
            remote::read_refusal(response->status, response->headers, response->body),
            options.run_file);
    }
    return read_submitted(std::move(response->body));
}

/// The coordinator knows its providers, this program the files: what both find is told at once. One
/// that cannot be asked, or does not answer such calls, tells what it finds when the run comes.
std::vector<http::FieldFault> blocking_ask_for_faults(remote::Session& session,
                                                      const SubmitOptions& options) {
    auto text = files::blocking_read_file(options.run_file, runfile::kMaxRunFileBytes);
    if (!text) return {};
    remote::Call call{.method = "POST", .path = "/validate", .body = std::move(*text)};
    call.content_type = "application/yaml";
    call.timeout = kCheckPatience;
    const auto answer = session.blocking_ask(std::move(call));
    if (!answer || answer->status != 200) return {};
    return remote::read_faults(answer->body);
}

/// Before the data set goes there: a refusal leaves nothing behind.
std::vector<http::FieldFault> blocking_ask_for_baseline(remote::Session& session,
                                                        const job::RunSpec& spec) {
    if (!spec.baseline) return {};
    const auto answer = session.blocking_ask({.path = "/baselines", .timeout = kCheckPatience});
    if (!answer || answer->status != 200) return {};
    return baseline_faults(spec, answer->body);
}

Error error_of(const runfile::FaultList& faults) {
    return faults.status().error();
}

}  // namespace

Result<ExitCode> run_submit(const SubmitOptions& options) {
    auto run = blocking_check_submission(options.run_file, options.no_upload);
    runfile::FaultList faults;
    if (!run) faults = run.error();
    auto session = remote::Session::blocking_open(options.connection);
    if (!session) return run ? session.error() : error_of(faults);
    const auto add = [&](const std::vector<http::FieldFault>& found) {
        blocking_add_refusals(found, options.run_file, options.no_upload, faults);
    };
    add(blocking_ask_for_faults(*session, options));
    if (run) add(blocking_ask_for_baseline(*session, run->file.spec));
    if (!faults.empty()) return error_of(faults);
    const auto plan = blocking_plan_submission(std::move(*run), options.no_upload, options.notes);
    if (!plan) return plan.error();
    for (const std::string& warning : plan->warnings)
        std::fprintf(stderr, "%s\n", warning.c_str());
    if (plan->upload) {
        if (const Status there = blocking_provide(*session, *plan->upload); !there)
            return there.error();
    }
    const auto submitted = blocking_hand_in(*session, *plan, options);
    if (!submitted) return submitted.error();
    if (!options.json) {
        for (const std::string& id : submitted->run_ids)
            print_run_link(options.connection.coordinator_url, id);
    }
    return blocking_conclude(*session, *submitted,
                             {options.wait, options.report, options.no_progress, options.json,
                              options.connection.coordinator_url});
}

}  // namespace evalfleet::cli
