#pragma once

#include "worker/permits/permit_desk.hpp"
#include "worker/providers/provider_set.hpp"

#include <utility>

namespace evalfleet::worker {

/// A question and the request that carries it. The question is kept, so that the request can be
/// made again without what the model turns out not to take.
struct ModelCall {
    const Provider* provider = nullptr;  ///< never null, must outlive the call
    ModelRequest question;
    WireRequest request;
    CallPurpose purpose = CallPurpose::answer;

    /// What the model is known to refuse is left out. The key is none of its business: that is put
    /// on when the request is sent. May be heavy: not for I/O threads.
    [[nodiscard]] static ModelCall make(const Provider& provider, ModelRequest question) {
        ModelCall call{&provider, std::move(question), {}, CallPurpose::answer};
        call.remake();
        return call;
    }

    void remake();
};

}  // namespace evalfleet::worker
