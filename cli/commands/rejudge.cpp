#include "cli/commands/follow.hpp"
#include "cli/commands/remote.hpp"
#include "cli/random.hpp"
#include "cli/rejudgement.hpp"
#include "cli/remote/run_name.hpp"
#include "cli/remote/session.hpp"
#include "cli/run_place.hpp"
#include "cli/text_file.hpp"
#include "common/files/file.hpp"
#include "common/job/policy_json.hpp"
#include "common/runfile/labels_file.hpp"

#include <utility>

namespace evalfleet::cli {

namespace {

Result<ExitCode> blocking_derive(const DeriveRunOptions& options, const char* how,
                                 std::string body) {
    if (means_folder(options.run_id)) {
        if (options.idempotency_key)
            return Error{ErrorKind::invalid, "--idempotency-key: only for a run at a coordinator"};
        return blocking_derive_local(options.run_id, how, std::move(body), options.local,
                                     options.json);
    }
    if (const auto flag = options.local.given())
        return Error{ErrorKind::invalid, *flag + ": only for the folder of a run"};
    const auto drawn = random_hex(16);
    if (!drawn) return drawn.error();
    auto session = remote::Session::blocking_open(options.connection);
    if (!session) return session.error();
    const auto run = remote::blocking_find_run(*session, options.run_id);
    if (!run) return run.error();
    remote::Call call{.method = "POST",
                      .path = "/runs/" + remote::encode(*run) + "/" + how,
                      .body = std::move(body)};
    call.idempotency_key = options.idempotency_key.value_or("evalfleet-derive-" + *drawn);
    auto answer = session->blocking_call(std::move(call));
    if (!answer) return answer.error();
    const auto submitted = read_submitted(std::move(*answer));
    if (!submitted) return submitted.error();
    return blocking_conclude(*session, *submitted,
                             {.wait = options.wait,
                              .json = options.json,
                              .coordinator_url = options.connection.coordinator_url});
}

/// Refused here, a fault has its file and line.
Result<std::string> blocking_read_labels(const std::string& file) {
    const auto labels = runfile::LabelsFile::blocking_read(file);
    if (!labels) return labels.error().status().error();
    return files::blocking_read_file(file, runfile::LabelsFile::kMaxBytes);
}

}  // namespace

Result<ExitCode> run_rejudge(const DeriveRunOptions& options) {
    Rejudgement rejudgement;
    rejudgement.judge = options.judge;
    rejudgement.profile = options.profile;
    rejudgement.rationale_limit = options.rationale_limit;
    rejudgement.name = options.name;
    rejudgement.redacted = options.redacted;
    if (options.labels) {
        auto labels = blocking_read_labels(*options.labels);
        if (!labels) return labels.error();
        rejudgement.labels = std::move(*labels);
    }
    if (options.policy) {
        // Refused here, a fault has its line.
        const auto policy = read_policy_file(options.policy);
        if (!policy) return policy.error();
        json::Writer writer(rejudgement.policy.emplace());
        job::write(writer, *policy);
    }
    auto body = rejudge_body(rejudgement);
    if (!body) return body.error();
    return blocking_derive(options, "rejudge", std::move(*body));
}

Result<ExitCode> run_retry(const DeriveRunOptions& options) {
    return blocking_derive(options, "retry", "");
}

}  // namespace evalfleet::cli
