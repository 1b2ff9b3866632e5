#include "common/job/generation_params.hpp"

#include <array>
#include <utility>

namespace evalfleet::job {

namespace {

using Reset = void (*)(SentParams&);

template <auto Member>
void reset(SentParams& params) {
    (params.*Member).reset();
}

constexpr std::array<std::pair<std::string_view, Reset>, 9> kResets{{
    {"temperature", reset<&SentParams::temperature>},
    {"top_p", reset<&SentParams::top_p>},
    {"max_tokens", reset<&SentParams::max_tokens>},
    {"seed", reset<&SentParams::seed>},
    {"stop", reset<&SentParams::stop>},
    {"response_format", reset<&SentParams::response_format>},
    {"reasoning_effort", reset<&SentParams::reasoning_effort>},
    {"thinking_budget", reset<&SentParams::thinking_budget>},
    {"prompt_cache", reset<&SentParams::prompt_cache>},
}};

}  // namespace

SentParams SentParams::of(const GenerationParams& params) {
    return {params.temperature,
            params.top_p,
            params.max_tokens,
            params.seed,
            params.stop,
            params.response_format,
            params.reasoning_effort,
            params.thinking_budget,
            params.prompt_cache,
            params.extra,
            {}};
}

bool SentParams::leave_out(std::string_view name) {
    for (const auto& [known, reset] : kResets) {
        if (known != name) continue;
        reset(*this);
        return true;
    }
    return false;
}

}  // namespace evalfleet::job
