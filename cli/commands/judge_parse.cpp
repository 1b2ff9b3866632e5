#include "cli/commands/offline.hpp"
#include "cli/json_lines.hpp"
#include "common/job/field_values.hpp"
#include "common/scoring/evaluator_reply.hpp"

namespace evalfleet::cli {

namespace {

/// The member `name` as an enum; its first value if it is absent or null.
template <job::NamedEnum Enum>
Result<Enum> enum_member(json::Value object, std::string_view name) {
    Enum value{};
    const auto member = object.find(name);
    if (!member || member->is_null()) return value;
    auto read = job::Codec<Enum>::read(*member, value, job::Strictness::strict);
    if (!read) return read.error();
    return value;
}

void write_accepted(json::Writer& writer, const scoring::EvaluatorReply& reply) {
    writer.begin_object()
        .member("ok", true)
        .member("accuracy_score", reply.correctness_score)
        .member("correctness_score", reply.correctness_score)
        .member("faithfulness_score", reply.faithfulness_score)
        .member("hallucination_score", reply.hallucination_score)
        .member("hallucination_source", job::to_string(reply.hallucination_source))
        .member("rationale", reply.rationale)
        .member("evaluator_notes", reply.rationale)
        .key("judge_failure_label");
    job::Codec<std::optional<job::FailureLabel>>::write(writer, reply.judge_failure_label);
    writer.member("rationale_too_long", reply.rationale_too_long).end_object();
}

void write_rejected(json::Writer& writer, const scoring::ReplyError& error) {
    writer.begin_object()
        .member("ok", false)
        .member("reason", job::to_string(error.fault))
        .member("message", error.message())
        .end_object();
}

Status parse_case(json::Value line, json::Writer& writer) {
    const auto reply = line.get<std::string_view>("reply");
    if (!reply) return reply.error();
    const auto profile = enum_member<job::EvaluatorProfile>(line, "profile");
    if (!profile) return profile.error();
    const auto limit = enum_member<job::RationaleLimit>(line, "rationale_limit");
    if (!limit) return limit.error();
    const auto parsed = scoring::parse_evaluator_reply(*reply, *profile, *limit);
    if (parsed) {
        write_accepted(writer, *parsed);
    } else {
        write_rejected(writer, parsed.error());
    }
    return {};
}

}  // namespace

Result<ExitCode> run_judge_parse(const CaseOptions& options) {
    return transform_json_lines(options.cases, options.out, parse_case);
}

}  // namespace evalfleet::cli
