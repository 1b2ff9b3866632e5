#include "common/job/p95_limit.hpp"

#include <fmt/format.h>

namespace evalfleet::job {

std::optional<std::string> why_no_p95_limit(std::uint64_t samples) {
    if (samples >= kFewestForP95) return std::nullopt;
    return fmt::format(
        "{} sample{}, and below {} no upper limit of a p95 holds without assumptions", samples,
        samples == 1 ? "" : "s", kFewestForP95);
}

}  // namespace evalfleet::job
