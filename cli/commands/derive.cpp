#include "common/scoring/derive.hpp"

#include "cli/commands/offline.hpp"
#include "cli/json_lines.hpp"
#include "cli/text_file.hpp"
#include "common/job/trial_record_json.hpp"

namespace evalfleet::cli {

Result<ExitCode> run_derive(const DeriveOptions& options) {
    const auto policy = read_policy_file(options.policy);
    if (!policy) return policy.error();
    return transform_json_lines(options.trials, options.out,
                                [&policy](json::Value trial, json::Writer& writer) -> Status {
                                    job::UnknownMembers unknown;
                                    auto record = job::read_trial_record(trial, &unknown);
                                    if (!record) return record.error();
                                    scoring::derive(*record, *policy);
                                    job::write(writer, *record, unknown);
                                    return {};
                                });
}

}  // namespace evalfleet::cli
