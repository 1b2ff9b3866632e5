#include "worker/call/model_call.hpp"

#include "common/providers/request_members.hpp"

namespace evalfleet::worker {

namespace {

/// What does not overwrite anything was checked before; a body that cannot be merged goes as it is.
void add_members(std::string& body, std::string_view extra) {
    auto merged = providers::merge_objects(body, extra);
    if (merged) body = *std::move(merged);
}

}  // namespace

void ModelCall::remake() {
    question.stream = provider->stream;
    question.refused = provider->refused->of(question.model);
    request = provider->protocol->make_request(provider->endpoint, question);
    if (provider->extra_body) add_members(request.http.body, *provider->extra_body);
    if (question.generation.extra) add_members(request.http.body, question.generation.extra->text);
}

}  // namespace evalfleet::worker
