#include "cli/rejudgement.hpp"

#include "common/json/writer.hpp"

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
    if (rejudgement.judge && rejudgement.labels)
        return Error{ErrorKind::invalid,
                     "--labels: found beside --judge, allowed: one of them; people score or a "
                     "judge does"};
    if (!rejudgement.judge && !rejudgement.labels && !rejudgement.policy)
        return Error{ErrorKind::invalid, "--judge, --labels or --policy is required"};
    std::string body;
    json::Writer writer(body);
    writer.begin_object();
    if (rejudgement.judge) {
        if (const Status written = write_judge(writer, rejudgement); !written)
            return written.error();
    }
    if (rejudgement.labels) {
        writer.key("labels").begin_object().member("text", *rejudgement.labels);
        writer.end_object();
    }
    if (rejudgement.policy) writer.key("policy").raw(*rejudgement.policy);
    if (rejudgement.name) writer.member("name", *rejudgement.name);
    if (rejudgement.redacted) writer.member("redacted", true);
    writer.end_object();
    return body;
}

}  // namespace evalfleet::cli
