#include "coordinator/views/text_page.hpp"

#include "common/json/writer.hpp"
#include "coordinator/report/trial_texts.hpp"
#include "coordinator/views/sample_texts.hpp"

namespace evalfleet::views {

namespace {

constexpr std::size_t kMaxPageBytes = std::size_t{8} * 1024 * 1024;

}  // namespace

Result<std::string> blocking_text_page(const records::TrialShelf::Hold& hold,
                                       const job::RunMetadata& metadata,
                                       const TextPageRequest& request) {
    const runfile::Dataset* dataset = hold.dataset();
    const std::uint64_t samples = dataset == nullptr ? 0 : dataset->size();
    SampleTexts texts(dataset, metadata.redaction_pii);
    std::string out;
    json::Writer writer(out);
    writer.begin_object().key("texts").begin_array();
    std::uint64_t next = request.first;
    for (std::size_t count = 0;
         next < samples && count < request.limit && out.size() < kMaxPageBytes; ++next, ++count) {
        const auto index = static_cast<std::uint32_t>(next);
        const job::Sample* sample = texts.blocking_sample(index);
        if (sample == nullptr) continue;
        writer.begin_object().member("sample_index", index).key("texts");
        report::write(writer, report::texts_of(metadata.prompt_template, *sample));
        writer.end_object();
    }
    writer.end_array().key("next");
    next < samples ? writer.value(next) : writer.null();
    writer.key("dataset_note");
    hold.dataset_trouble().empty() ? writer.null() : writer.value(hold.dataset_trouble());
    writer.end_object();
    return out;
}

}  // namespace evalfleet::views
