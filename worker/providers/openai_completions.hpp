#pragma once

#include "worker/providers/openai_chat.hpp"

namespace evalfleet::worker {

/// Plain completions, for base models: POST <base_url>/completions with the contents of all
/// messages, an empty line between them, as the prompt. Nothing tells the roles apart: what a
/// model needs for that stands in the run's template.
class OpenAiCompletions final : public OpenAiChat {
  public:
    [[nodiscard]] WireRequest make_request(const Endpoint& endpoint,
                                           const ModelRequest& request) const override;
};

}  // namespace evalfleet::worker
