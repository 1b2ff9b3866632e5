#include "cli/commands/follow.hpp"
#include "cli/commands/remote.hpp"
#include "cli/random.hpp"
#include "cli/rejudgement.hpp"
#include "cli/remote/run_name.hpp"
#include "cli/remote/session.hpp"
#include "cli/run_place.hpp"
#include "cli/text_file.hpp"
#include "common/job/policy_json.hpp"

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

}  // namespace

Result<ExitCode> run_rejudge(const DeriveRunOptions& options) {
    if (options.labels)
        return labels_refusal(options.run_id, means_folder(options.run_id), *options.labels);
    Rejudgement rejudgement{options.judge, options.profile, options.rationale_limit,
                            std::nullopt,  options.name,    options.redacted};
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
