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

constexpr std::array<std::pair<std::string_view, Reset>, 6> kResets{{
    {"temperature", reset<&SentParams::temperature>},
    {"top_p", reset<&SentParams::top_p>},
    {"max_tokens", reset<&SentParams::max_tokens>},
    {"seed", reset<&SentParams::seed>},
    {"stop", reset<&SentParams::stop>},
    {"response_format", reset<&SentParams::response_format>},
}};

}  // namespace

SentParams SentParams::of(const GenerationParams& params) {
    return {params.temperature, params.top_p, params.max_tokens,
            params.seed,        params.stop,  params.response_format};
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
