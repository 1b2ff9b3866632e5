#include "cli/commands/offline.hpp"
#include "cli/json_lines.hpp"
#include "common/scoring/prompt_template.hpp"

namespace evalfleet::cli {

namespace {

using Value = std::optional<std::string_view>;

Status check_vars(json::Value vars) {
    const auto members = vars.as_object();
    if (!members) return members.error();
    for (const auto [name, value] : *members) {
        if (!value.is_null() && !value.is_string()) return value.unexpected("a string or null");
    }
    return {};
}

Status render_case(json::Value line, json::Writer& writer) {
    const auto text = line.get<std::string>("template");
    if (!text) return text.error();
    const auto vars = line.find("vars");
    if (vars) {
        if (Status good = check_vars(*vars); !good) return good;
    }
    const auto lookup = [&vars](std::string_view name) -> Value {
        const auto value = vars ? vars->find(name) : std::nullopt;
        if (!value || value->is_null()) return std::nullopt;
        return value->as_string().value();
    };
    const scoring::PromptTemplate prompt(*text);
    writer.begin_object().member("text", prompt.render(lookup)).end_object();
    return {};
}

}  // namespace

Result<ExitCode> run_render(const CaseOptions& options) {
    return transform_json_lines(options.cases, options.out, render_case);
}

}  // namespace evalfleet::cli
