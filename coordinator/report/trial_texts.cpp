#include "coordinator/report/trial_texts.hpp"

#include "common/scoring/chat_prompt.hpp"

namespace evalfleet::report {

TrialTexts texts_of(const job::PromptTemplateInfo& prompt, const job::Sample& sample) {
    TrialTexts texts{sample.messages.empty() ? sample.task : job::conversation_of(sample),
                     sample.context.value_or(""), sample.reference_answer.value_or(""), ""};
    const std::vector<job::Message> messages = scoring::prompt_of(prompt, sample);
    for (const job::Message& message : messages) {
        if (!texts.prompt.empty()) texts.prompt += "\n\n";
        if (messages.size() > 1) texts.prompt += std::string(job::to_string(message.role)) + ": ";
        texts.prompt += job::shown_text(message);
    }
    return texts;
}

void write(json::Writer& writer, const TrialTexts& texts) {
    writer.begin_object()
        .member("question", texts.question)
        .member("context", texts.context)
        .member("reference_answer", texts.reference)
        .member("prompt", texts.prompt)
        .end_object();
}

Result<TrialTexts> read_trial_texts(json::Value value) {
    TrialTexts texts;
    const auto read = [&value](std::string_view name, std::string& text) -> Status {
        auto found = value.get_or<std::string>(name, "");
        if (!found) return found.error();
        text = std::move(*found);
        return {};
    };
    if (Status good = read("question", texts.question); !good) return good.error();
    if (Status good = read("context", texts.context); !good) return good.error();
    if (Status good = read("reference_answer", texts.reference); !good) return good.error();
    if (Status good = read("prompt", texts.prompt); !good) return good.error();
    return texts;
}

}  // namespace evalfleet::report
