#include "common/runfile/context_check.hpp"

#include "common/json/document.hpp"
#include "common/providers/context_size.hpp"
#include "common/scoring/chat_prompt.hpp"
#include "common/scoring/evaluator_templates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

namespace evalfleet::runfile {

namespace {

using providers::TextSize;

/// Prompts that have to fit into a context, and what was found of them.
struct Bounded {
    std::string whose;  ///< `the prompt`
    std::string where;  ///< the field that says so
    std::string provider;
    std::int64_t context;
    std::function<TextSize(const job::Sample&)> size;
    std::size_t too_long = 0;
    std::size_t first_line = 0;
    std::int64_t first_tokens = 0;
};

std::optional<std::int64_t> context_of(const std::string& provider,
                                       const std::optional<job::JsonObject>& extra,
                                       const providers::Providers& known) {
    const auto found = known.find(provider);
    if (found == known.end()) return std::nullopt;
    return providers::configured_context(found->second.type, found->second.extra_body, extra);
}

TextSize size_of_prompt(const job::PromptSpec& prompt, const job::Sample& sample) {
    std::optional<scoring::PromptTemplate> system;
    if (prompt.system) system.emplace(*prompt.system);
    TextSize size;
    for (const job::Message& message :
         scoring::render_chat(system, scoring::PromptTemplate(prompt.text), sample))
        size.add(message.content);
    return size;
}

/// Without the answer, which is not known yet.
TextSize size_of_question(job::EvaluatorProfile profile, const job::Sample& sample) {
    const std::string conversation =
        job::shows_conversation(profile) ? job::conversation_of(sample) : "";
    TextSize size;
    size.add(scoring::evaluator_prompt(
        profile, {sample.task, sample.reference_answer, sample.context, "", conversation}));
    return size;
}

std::vector<Bounded> find_bounded(const RunFile& file, const providers::Providers& known) {
    std::vector<Bounded> all;
    for (const job::ModelRef& model : file.spec.models) {
        const auto context = context_of(model.provider, file.spec.generation.extra, known);
        if (!context) continue;
        for (const job::PromptSpec& prompt : file.spec.prompts)
            all.push_back(
                {"the prompt", "generation.extra", model.provider, *context,
                 [&prompt](const job::Sample& sample) { return size_of_prompt(prompt, sample); }});
    }
    if (!file.spec.judge) return all;
    const job::JudgeSpec& judge = *file.spec.judge;
    const auto context = context_of(judge.model.provider, judge.generation.extra, known);
    if (context)
        all.push_back({"the judge's prompt, even without an answer,", "judge.generation.extra",
                       judge.model.provider, *context, [&judge](const job::Sample& sample) {
                           return size_of_question(judge.profile, sample);
                       }});
    return all;
}

void look_at(const job::Sample& sample, std::size_t line, Bounded& bounded) {
    const TextSize size = bounded.size(sample);
    if (!size.clearly_exceeds(bounded.context)) return;
    if (++bounded.too_long > 1) return;
    bounded.first_line = line;
    bounded.first_tokens = size.estimated_tokens();
}

/// Samples whose line is shorter than this fit whatever the templates add.
std::size_t shortest_line(const std::vector<Bounded>& all) {
    constexpr std::int64_t kTemplates = 2;
    std::int64_t least = all.front().context;
    for (const Bounded& each : all)
        least = std::min(least, each.context);
    return static_cast<std::size_t>(least / kTemplates);
}

}  // namespace

std::vector<std::string> blocking_context_warnings(const RunFile& file, const Dataset& dataset,
                                                   const providers::Providers& known) {
    std::vector<Bounded> all = find_bounded(file, known);
    if (all.empty()) return {};
    const std::size_t shortest = shortest_line(all);
    for (std::size_t index = 0; index < dataset.size(); ++index) {
        const auto line = dataset.blocking_read_line(index);
        if (!line || line->size() < shortest) continue;
        const auto document = json::Document::parse(*line);
        if (!document) continue;  // what is wrong with it is said elsewhere
        const auto sample = job::read_sample(document->root(), index + 1);
        if (!sample) continue;
        for (Bounded& bounded : all)
            look_at(*sample, index + 1, bounded);
    }
    std::vector<std::string> warnings;
    for (const Bounded& each : all) {
        if (each.too_long == 0) continue;
        warnings.push_back(fmt::format(
            "{}:{}: {} has about {} tokens, but provider {} takes {} (options.num_ctx of {}) and "
            "cuts the rest without a word (in {} samples)",
            dataset.path().string(), each.first_line, each.whose, each.first_tokens, each.provider,
            each.context, each.where, each.too_long));
    }
    return warnings;
}

}  // namespace evalfleet::runfile
