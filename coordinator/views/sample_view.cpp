#include "coordinator/views/sample_view.hpp"

#include "common/json/writer.hpp"
#include "common/scoring/chat_prompt.hpp"
#include "coordinator/records/record_text.hpp"
#include "coordinator/views/curl_command.hpp"
#include "coordinator/views/sample_texts.hpp"

#include <algorithm>
#include <utility>

namespace evalfleet::views {

namespace {

using records::TrialEntry;

constexpr std::uint64_t kMaxShownBytes = std::uint64_t{16} * 1024 * 1024;

void write_messages(json::Writer& writer, const std::vector<job::Message>& messages) {
    writer.begin_array();
    for (const job::Message& message : messages)
        writer.begin_object()
            .member("role", to_string(message.role))
            .member("content", job::shown_text(message))
            .end_object();
    writer.end_array();
}

void write_sample(json::Writer& writer, const job::Sample* sample) {
    writer.key("sample");
    if (sample == nullptr) {
        writer.null();
        return;
    }
    writer.begin_object()
        .member("id", sample->id)
        .member("task", sample->task)
        .member("context", sample->context)
        .member("reference_answer", sample->reference_answer)
        .key("messages");
    write_messages(writer, sample->messages);
    writer.member("task_type", sample->task_type).key("tags").begin_object();
    for (const auto& [key, value] : sample->tags)
        writer.member(key, value);
    writer.end_object().end_object();
}

CurlCall call_of(const SampleContext& context, std::vector<job::Message> messages) {
    CurlCall call;
    call.base_url = "https://PROVIDER";
    call.key_variable = "API_KEY";
    call.model = context.metadata.model.name;
    call.messages = std::move(messages);
    call.params = context.metadata.generation_params;
    const auto provider = context.providers.find(context.metadata.model.provider);
    if (provider == context.providers.end()) return call;
    call.type = provider->second.type;
    call.base_url = provider->second.base_url.redacted();
    while (call.base_url.ends_with('/'))
        call.base_url.pop_back();
    call.api_version = provider->second.api_version.value_or("");
    if (provider->second.api_key_env) call.key_variable = *provider->second.api_key_env;
    if (!provider->second.api_key_env && !provider->second.api_key_file) call.key_variable.clear();
    return call;
}

Status blocking_write_records(json::Writer& writer, const records::TrialTable& table,
                              std::span<const TrialEntry> trials) {
    writer.key("records").begin_array();
    std::uint64_t shown = 0;
    std::size_t left_out = 0;
    if (!trials.empty()) {
        auto texts = records::RecordText::blocking_open(table);
        if (!texts) return texts.error();
        for (const TrialEntry& trial : trials) {
            if (shown + trial.bytes > kMaxShownBytes && shown > 0) {
                ++left_out;
                continue;
            }
            const auto text = texts->blocking_read(trial);
            if (!text) return text.error();
            shown += text->size();
            writer.raw(*text);
        }
    }
    writer.end_array().member("records_left_out", left_out);
    return {};
}

// The samples before and after that have trials.
void write_neighbours(json::Writer& writer, const records::TrialTable& table,
                      std::uint32_t sample_index) {
    const auto trials = table.trials();
    const auto before = [](const TrialEntry& trial, std::uint32_t index) {
        return trial.sample_index < index;
    };
    const auto first = std::lower_bound(trials.begin(), trials.end(), sample_index, before);
    const auto next = std::lower_bound(first, trials.end(), sample_index + 1, before);
    writer.key("previous");
    first == trials.begin() ? writer.null() : writer.value(std::prev(first)->sample_index);
    writer.key("next");
    next == trials.end() ? writer.null() : writer.value(next->sample_index);
}

}  // namespace

Result<std::string> blocking_sample_json(records::TrialShelf::Hold& hold,
                                         std::uint32_t sample_index, const SampleContext& context) {
    const auto trials = hold.table().of_sample(sample_index);
    SampleTexts samples(hold.dataset(), context.metadata.redaction_pii);
    const job::Sample* sample = samples.blocking_sample(sample_index);
    if (trials.empty() && sample == nullptr)
        return Error{ErrorKind::not_found, "the run has no such sample"};
    std::string text;
    json::Writer writer(text);
    writer.begin_object().member("sample_index", sample_index);
    write_sample(writer, sample);
    writer.key("prompt");
    std::vector<job::Message> prompt;
    if (sample != nullptr) prompt = scoring::prompt_of(context.metadata.prompt_template, *sample);
    write_messages(writer, prompt);
    const std::string curl =
        sample == nullptr ? "" : curl_command(call_of(context, std::move(prompt)));
    writer.key("curl");
    curl.empty() ? writer.null() : writer.value(curl);
    writer.key("dataset_note");
    hold.dataset_trouble().empty() ? writer.null() : writer.value(hold.dataset_trouble());
    if (const Status written = blocking_write_records(writer, hold.table(), trials); !written)
        return written.error();
    writer.key("labels").begin_array();
    for (const Review& review : context.reviews)
        if (review.sample_index == sample_index) write(writer, review);
    writer.end_array();
    write_neighbours(writer, hold.table(), sample_index);
    writer.end_object();
    return text;
}

}  // namespace evalfleet::views
