#include "worker/call/model_call.hpp"

#include "common/job/image.hpp"
#include "common/providers/request_members.hpp"
#include "common/scoring/cost.hpp"

#include <algorithm>

namespace evalfleet::worker {

namespace {

/// What does not overwrite anything was checked before; a body that cannot be merged goes as it is.
void add_members(std::string& body, std::string_view extra) {
    auto merged = providers::merge_objects(body, extra);
    if (merged) body = *std::move(merged);
}

/// By how much pictures make a request longer than their tokens tell.
std::size_t image_surplus(const std::vector<job::Message>& messages) {
    constexpr std::size_t kWorth = job::kImageTokens * scoring::kBytesPerToken;
    std::size_t surplus = 0;
    for (const job::Message& message : messages) {
        for (const job::ContentPart& part : message.parts)
            if (part.image && part.image->base64.size() > kWorth)
                surplus += part.image->base64.size() - kWorth;
    }
    return surplus;
}

}  // namespace

void ModelCall::remake() {
    question.stream = provider->stream;
    question.refused = provider->refused->of(question.model);
    request = provider->protocol->make_request(provider->endpoint, question);
    if (provider->extra_body) add_members(request.http.body, *provider->extra_body);
    if (question.generation.extra) {
        const auto spelt =
            providers::in_one_spelling(provider->type, question.generation.extra->text);
        if (spelt) add_members(request.http.body, *spelt);
    }
    const std::size_t surplus = image_surplus(question.messages);
    prompt_bytes = request.http.body.size() - std::min(surplus, request.http.body.size());
}

}  // namespace evalfleet::worker
