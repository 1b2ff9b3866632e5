#include "common/runfile/prompt_check.hpp"

#include "common/providers/request_members.hpp"

#include <fmt/format.h>

namespace evalfleet::runfile {

namespace {

constexpr const char* kField = "dataset.last_assistant";

void check_last_turns(const RunFile& file, const Dataset& dataset, FaultList& faults) {
    const DatasetContent& content = dataset.content();
    const auto& last = file.spec.dataset.last_assistant;
    if (content.assistant_ends == 0) return;
    if (!last) {
        faults.add({dataset.path().string(), content.first_assistant_end, 0, "messages",
                    fmt::format("the last turn is the assistant's (in {} samples), so nothing is "
                                "asked, allowed: {}: reference, which makes it the reference "
                                "answer, or prefill, which makes the model go on from there",
                                content.assistant_ends, kField)});
    } else if (*last == job::LastAssistant::reference && content.first_without_reference > 0) {
        faults.add({dataset.path().string(), content.first_without_reference, 0, "messages",
                    "the last turn cannot become the reference: the sample has a reference_answer, "
                    "the turn before is the assistant's too, or it calls tools"});
    }
}

void check_provider(const RunFile& file, const Dataset& dataset,
                    const providers::ProviderConfig& provider, FaultList& faults) {
    if (file.spec.dataset.last_assistant == job::LastAssistant::prefill) {
        const auto fault = providers::prefill_fault(provider.type, provider.extra_body,
                                                    file.spec.generation.extra);
        if (fault) {
            Fault placed = file.last_assistant_place;
            placed.message = *fault;
            faults.add(std::move(placed));
        }
    }
    const DatasetContent& content = dataset.content();
    if (content.with_images == 0 || providers::traits_of(provider.type).has_images) return;
    faults.add({dataset.path().string(), content.first_with_images, 0, "messages",
                fmt::format("found pictures (in {} samples), which providers of type {} cannot "
                            "take, such as \"{}\"",
                            content.with_images, providers::traits_of(provider.type).name,
                            provider.name)});
}

}  // namespace

FaultList check_chats(const RunFile& file, const Dataset& dataset,
                      const providers::Providers& known) {
    FaultList faults;
    check_last_turns(file, dataset, faults);
    for (const job::ModelRef& model : file.spec.models) {
        const auto provider = known.find(model.provider);
        if (provider != known.end()) check_provider(file, dataset, provider->second, faults);
    }
    return faults;
}

FaultList check_prompts(const RunFile& file, const Dataset& dataset) {
    FaultList faults = check_chats(file, dataset, file.providers);
    if (dataset.content().chats == dataset.size()) return faults;
    for (const Fault& fault : file.prompts_without_task)
        faults.add(fault);
    return faults;
}

std::optional<std::string> reference_warning(const RunFile& file, const Dataset& dataset) {
    const DatasetContent& content = dataset.content();
    const bool takes_turns = file.spec.dataset.last_assistant == job::LastAssistant::reference &&
                             content.assistant_ends > 0;
    if (content.with_reference > 0 || takes_turns || !file.spec.judge) return std::nullopt;
    return fmt::format("{}: no sample has a reference_answer; the judge has to know",
                       dataset.path().string());
}

void settle_profile(RunFile& file, const Dataset& dataset) {
    if (file.names_profile || !file.spec.judge || dataset.content().long_chats == 0) return;
    file.spec.judge->profile = job::EvaluatorProfile::rubric_v1_chat;
    file.names_profile = true;
}

std::vector<std::string> chat_warnings(const RunFile& file, const Dataset& dataset) {
    const DatasetContent& content = dataset.content();
    if (content.long_chats == 0 || !file.spec.judge) return {};
    const job::EvaluatorProfile profile = file.spec.judge->profile;
    if (job::shows_conversation(profile)) return {};
    return {
        fmt::format("{}: {} samples are chats of several turns, of which the judge sees the "
                    "last user message; judge.profile: {}-chat shows it all of them",
                    dataset.path().string(), content.long_chats, job::to_string(profile))};
}

}  // namespace evalfleet::runfile
