#include "cli/remote_group.hpp"

#include "common/json/document.hpp"

#include <string_view>

namespace evalfleet::cli {

namespace {

// The differences of one place of the ranking, as `group.json` has them.
Status gather(json::Value ranked, bool& is_worse, bool& cannot_tell) {
    const auto verdict = ranked.optional<std::string>("verdict");
    if (!verdict) return verdict.error();
    is_worse = is_worse || *verdict == "worse";
    cannot_tell = cannot_tell || *verdict == "cannot_tell";
    return {};
}

}  // namespace

Result<std::optional<std::string>> blocking_find_group(remote::Session& session,
                                                       const std::string& id) {
    if (id.starts_with('@')) return std::optional<std::string>();
    const auto answer = session.blocking_ask({.path = "/groups/" + remote::encode(id)});
    if (!answer) return answer.error();
    if (answer->status != 200) return std::optional<std::string>();
    return std::optional(answer->body);
}

Status blocking_fetch_group_report(remote::Session& session, const std::string& id,
                                   ReportFormat format, Output& out) {
    const std::string path = "/groups/" + remote::encode(id) + "/";
    const auto fetch = [&](const char* name) {
        return session.blocking_download(path + name,
                                         [&out](std::string_view part) { return out.write(part); });
    };
    switch (format) {
        case ReportFormat::text:
            return fetch("report.txt");
        case ReportFormat::markdown:
            return fetch("report.md");
        case ReportFormat::html:
            return fetch("report.html");
        default:
            return Error{ErrorKind::invalid,
                         "--format: a group has reports as text, json, md and html; each of its "
                         "runs has the others"};
    }
}

Result<ExitCode> verdict_of_group(const std::string& group) {
    const auto document = json::Document::parse(group);
    if (!document) return document.error();
    const auto summary = document->root().find("summary");
    if (!summary || !summary->is_object()) return ExitCode::unfinished;
    const auto ranking = summary->get<json::Array>("ranking");
    if (!ranking) return ranking.error();
    bool is_worse = false;
    bool cannot_tell = false;
    for (const json::Value ranked : *ranking)
        if (Status good = gather(ranked, is_worse, cannot_tell); !good) return good.error();
    if (is_worse) return ExitCode::failed;
    return cannot_tell ? ExitCode::unfinished : ExitCode::done;
}

}  // namespace evalfleet::cli
