#pragma once

#include "worker/providers/provider_set.hpp"

#include <utility>

namespace evalfleet::worker {

/// A question and the request that carries it. The question is kept, so that the request can be
/// made again without what the model turns out not to take.
struct ModelCall {
    const Provider* provider = nullptr;  ///< never null, must outlive the call
    ModelRequest question;
    WireRequest request;

    /// Pure. What the model is known to refuse is left out.
    [[nodiscard]] static ModelCall make(const Provider& provider, ModelRequest question) {
        ModelCall call{&provider, std::move(question), {}};
        call.remake();
        return call;
    }

    void remake() {
        question.stream = provider->stream;
        question.refused = provider->refused->of(question.model);
        request = provider->protocol->make_request(provider->endpoint, question);
    }
};

}  // namespace evalfleet::worker
