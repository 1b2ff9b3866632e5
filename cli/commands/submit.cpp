#include "cli/commands/follow.hpp"
#include "cli/commands/remote.hpp"
#include "cli/page_link.hpp"
#include "cli/random.hpp"
#include "cli/remote/file_source.hpp"
#include "cli/remote/session.hpp"
#include "cli/submission.hpp"

#include <cstdio>
#include <utility>

namespace evalfleet::cli {

namespace {

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

}  // namespace

Result<ExitCode> run_submit(const SubmitOptions& options) {
    const auto plan = blocking_plan_submission(options.run_file, options.no_upload, options.notes);
    if (!plan) return plan.error();
    for (const std::string& warning : plan->warnings)
        std::fprintf(stderr, "%s\n", warning.c_str());
    auto session = remote::Session::blocking_open(options.connection);
    if (!session) return session.error();
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
