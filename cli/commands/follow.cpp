#include "cli/commands/follow.hpp"

#include "cli/output.hpp"
#include "cli/page_link.hpp"
#include "cli/remote_report.hpp"
#include "cli/terminal/live_line.hpp"
#include "cli/terminal/text.hpp"
#include "common/json/document.hpp"
#include "common/json/writer.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace evalfleet::cli {

namespace {

// Shows one run after the other.
class Follower {
  public:
    Follower(remote::Session& session, FollowStyle style, std::size_t count)
        : session_(session), line_(stderr, session.clock()), style_(style), count_(count) {}

    Result<FollowedRun> blocking_follow(const std::string& run_id) {
        ++number_;
        std::string last;
        remote::WatchListener listener;
        listener.on_progress = [&](const remote::RunProgress& progress, std::string_view json) {
            last = json;
            show(progress, json);
        };
        listener.on_absence = [this](const Error& error) { tell_absence(error); };
        auto progress = session_.blocking_watch(run_id, listener);
        line_.end();
        if (!progress) return progress.error();
        return FollowedRun{std::move(*progress), std::move(last)};
    }

  private:
    void show(const remote::RunProgress& progress, std::string_view json) {
        is_away_ = false;
        if (style_ == FollowStyle::json) {
            std::fprintf(stdout, "%.*s\n", static_cast<int>(json.size()), json.data());
            std::fflush(stdout);
        }
        if (style_ != FollowStyle::people) return;
        std::string line = remote::progress_line(progress);
        if (count_ > 1)
            line = "run " + std::to_string(number_) + "/" + std::to_string(count_) + "  " + line;
        line_.show({std::move(line), progress.note.value_or(""), progress.is_over()});
    }

    void tell_absence(const Error& error) {
        if (style_ != FollowStyle::people || is_away_) return;
        is_away_ = true;
        const std::string first = error.message.substr(0, error.message.find('\n'));
        line_.say(terminal::printable(first) + "; trying again");
    }

    remote::Session& session_;
    terminal::LiveLine line_;
    FollowStyle style_;
    std::size_t count_;
    std::size_t number_ = 0;
    bool is_away_ = false;
};

std::string ends_json(const Submitted& submitted, std::span<const FollowedRun> runs) {
    std::string text;
    json::Writer writer(text);
    writer.begin_object().key("run_ids").begin_array();
    for (const std::string& id : submitted.run_ids)
        writer.value(id);
    writer.end_array().key("runs").begin_array();
    for (const FollowedRun& run : runs)
        writer.raw(run.json.empty() ? "null" : run.json);
    writer.end_array().end_object();
    return text + '\n';
}

bool has_report(const remote::RunProgress& run) {
    return run.state == "done" || run.state == "cancelled";
}

Status blocking_print_report(remote::Session& session, const std::string& run_id) {
    auto out = Output::open(std::nullopt);
    if (!out) return out.error();
    const Status fetched = blocking_fetch_report(session, run_id, ReportFormat::text, *out);
    if (!fetched) return fetched;
    return out->finish();
}

}  // namespace

Result<std::vector<FollowedRun>> blocking_follow(remote::Session& session,
                                                 std::span<const std::string> run_ids,
                                                 FollowStyle style) {
    Follower follower(session, style, run_ids.size());
    std::vector<FollowedRun> runs;
    for (const std::string& id : run_ids) {
        auto run = follower.blocking_follow(id);
        if (!run && run.error().kind == ErrorKind::cancelled) {
            return Error{ErrorKind::cancelled,
                         "interrupted; the run goes on at the coordinator. Follow it again with:\n"
                         "  evalfleet watch " +
                             id};
        }
        if (!run) return run.error();
        runs.push_back(std::move(*run));
    }
    return runs;
}

std::string_view head_of_report(std::string_view text) {
    constexpr std::string_view kEmptyLine = "\n\n";
    const auto first = text.find(kEmptyLine);
    if (first == std::string_view::npos) return text;
    const auto second = text.find(kEmptyLine, first + kEmptyLine.size());
    return text.substr(0, second == std::string_view::npos ? second : second + 1);
}

void blocking_print_verdicts(remote::Session& session, std::span<const FollowedRun> runs,
                             const std::string& coordinator_url) {
    for (const FollowedRun& run : runs) {
        const remote::RunProgress& progress = run.progress;
        if (!has_report(progress)) continue;
        const auto report = session.blocking_call(
            {.path = "/runs/" + remote::encode(progress.run_id) + "/report.txt"});
        if (report) {
            const std::string_view head = head_of_report(*report);
            std::fprintf(stderr, "\n%.*s\n", static_cast<int>(head.size()), head.data());
        }
        if (!progress.folder.empty())
            std::fprintf(stderr, "folder: %s\n", terminal::printable(progress.folder).c_str());
        print_run_link(coordinator_url, progress.run_id);
    }
}

std::string describe_trouble(const remote::RunProgress& run) {
    const std::string note = terminal::printable(run.note.value_or("-"));
    const std::string head = "evalfleet: run " + terminal::printable(run.run_id);
    const auto mend = [&](std::string_view command) {
        return "\nmend that, then try those trials again:\n  evalfleet " + std::string(command) +
               " " + terminal::printable(run.run_id) + "\n";
    };
    if (run.state == "failed") return head + " failed: " + note + "\n";
    if (run.is_stuck()) return head + " was paused: " + note + mend("resume");
    if (run.is_unmeasured()) return head + ": " + note + mend("retry --wait");
    return "";
}

ExitCode exit_code_of(const remote::RunProgress& run) noexcept {
    if (run.state != "done" || run.is_unmeasured()) return ExitCode::unfinished;
    if (run.release_ready.value_or(false)) return ExitCode::done;
    return run.undecided.value_or(false) ? ExitCode::unfinished : ExitCode::failed;
}

ExitCode verdict_of(std::span<const FollowedRun> runs) {
    ExitCode code = ExitCode::done;
    for (const FollowedRun& run : runs) {
        const remote::RunProgress& progress = run.progress;
        if (const std::string trouble = describe_trouble(progress); !trouble.empty())
            std::fprintf(stderr, "%s", trouble.c_str());
        code = std::max(code, exit_code_of(progress));
    }
    return code;
}

Result<Submitted> read_submitted(std::string json) {
    const auto document = json::Document::parse(json);
    if (!document) return document.error();
    auto ids = document->root().get<std::vector<std::string>>("run_ids");
    if (!ids) return ids.error();
    return Submitted{std::move(*ids), std::move(json)};
}

Result<ExitCode> blocking_conclude(remote::Session& session, const Submitted& submitted,
                                   const AfterSubmission& after) {
    std::string ids;
    for (const std::string& id : submitted.run_ids)
        ids += terminal::printable(id) + '\n';
    if (!after.wait) {
        const Status printed = print(after.json ? submitted.json + '\n' : ids);
        if (!printed) return printed.error();
        return ExitCode::done;
    }
    if (!after.json && !after.report) {
        if (const Status printed = print(ids); !printed) return printed.error();
    }
    const bool is_silent = after.json || after.no_progress;
    const auto runs = blocking_follow(session, submitted.run_ids,
                                      is_silent ? FollowStyle::silent : FollowStyle::people);
    if (!runs) return runs.error();
    if (after.json) {
        if (const Status printed = print(ends_json(submitted, *runs)); !printed)
            return printed.error();
    }
    if (!after.json && !after.report)
        blocking_print_verdicts(session, *runs, after.coordinator_url);
    for (const FollowedRun& run : *runs) {
        if (after.json || !after.report || !has_report(run.progress)) continue;
        const Status shown = blocking_print_report(session, run.progress.run_id);
        if (!shown) return shown.error();
    }
    return verdict_of(*runs);
}

}  // namespace evalfleet::cli
