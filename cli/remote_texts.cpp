#include "cli/remote_texts.hpp"

#include "common/json/document.hpp"

#include <utility>

namespace evalfleet::cli {

RemoteTexts::RemoteTexts(remote::Session session, const std::string& run_id)
    : session_(std::move(session)),
      path_("/runs/" + remote::encode(run_id) + "/texts?limit=500&first=") {}

Result<report::TrialTexts> RemoteTexts::blocking_texts(std::int64_t sample_index) {
    while (next_ && *next_ <= sample_index)
        if (Status fetched = blocking_fetch(); !fetched) return fetched.error();
    const auto found = page_.find(sample_index);
    return found == page_.end() ? report::TrialTexts{} : found->second;
}

Status RemoteTexts::blocking_fetch() {
    const auto answer = session_.blocking_call({.path = path_ + std::to_string(*next_)});
    if (!answer) return answer.error();
    const auto document = json::Document::parse(*answer);
    if (!document) return document.error();
    const auto next = document->root().optional<std::int64_t>("next");
    if (!next) return next.error();
    if (*next && **next <= *next_)
        return Error{ErrorKind::invalid, "the coordinator's page of texts does not go on"};
    const auto items = document->root().get<json::Array>("texts");
    if (!items) return items.error();
    page_.clear();
    for (const json::Value item : *items) {
        const auto index = item.get<std::int64_t>("sample_index");
        if (!index) return index.error();
        const auto texts = item.find("texts");
        if (!texts) continue;
        auto read = report::read_trial_texts(*texts);
        if (!read) return read.error();
        page_.emplace(*index, std::move(*read));
    }
    next_ = *next;
    return {};
}

}  // namespace evalfleet::cli
