#include "cli/rejudgement.hpp"

#include "common/json/writer.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace evalfleet::cli {

namespace {

Status write_judge(json::Writer& writer, const Rejudgement& rejudgement) {
    const std::string& judge = *rejudgement.judge;
    const auto slash = judge.find('/');
    const auto at = judge.rfind('@');
    const bool has_version = at != std::string::npos && slash != std::string::npos && at > slash;
    const std::string name =
        slash == std::string::npos
            ? ""
            : judge.substr(slash + 1, has_version ? at - slash - 1 : std::string::npos);
    if (slash == 0 || name.empty()) {
        return Error{ErrorKind::invalid,
                     "--judge: found '" + judge + "', allowed: PROVIDER/NAME@VERSION"};
    }
    writer.key("judge").begin_object();
    writer.member("provider", judge.substr(0, slash)).member("name", name);
    if (has_version) writer.member("version", judge.substr(at + 1));
    if (rejudgement.profile) writer.member("profile", *rejudgement.profile);
    if (rejudgement.rationale_limit) writer.member("rationale_limit", *rejudgement.rationale_limit);
    writer.end_object();
    return {};
}

}  // namespace

Result<std::string> rejudge_body(const Rejudgement& rejudgement) {
    if (!rejudgement.judge && (rejudgement.profile || rejudgement.rationale_limit))
        return Error{ErrorKind::invalid, "--profile and --rationale-limit belong to a --judge"};
    if (!rejudgement.judge && !rejudgement.policy)
        return Error{ErrorKind::invalid, "--judge or --policy is required"};
    std::string body;
    json::Writer writer(body);
    writer.begin_object();
    if (rejudgement.judge) {
        if (const Status written = write_judge(writer, rejudgement); !written)
            return written.error();
    }
    if (rejudgement.policy) writer.key("policy").raw(*rejudgement.policy);
    if (rejudgement.name) writer.member("name", *rejudgement.name);
    if (rejudgement.redacted) writer.member("redacted", true);
    writer.end_object();
    return body;
}

Error labels_refusal(const std::string& run, bool is_folder, const std::string& labels) {
    std::string records = "RECORDS.jsonl";
    std::string where = "; RECORDS.jsonl is at /api/v1/runs/" + run + "/records.jsonl";
    if (is_folder) {
        records = (std::filesystem::path(run) / "records.jsonl").string();
        where.clear();
    }
    return {ErrorKind::invalid,
            fmt::format("--labels: rejudge asks a judge and takes no scores of people; score the "
                        "records with them: evalfleet derive {} --labels {} --out SCORED.jsonl, "
                        "then evalfleet reduce SCORED.jsonl{}",
                        records, labels, where)};
}

}  // namespace evalfleet::cli
