#include "tests/chaos/table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace evalfleet::chaos {

namespace {

std::string row(const std::string& name, const ClassTally& tally) {
    std::vector<double> recovery = tally.recovery_s;
    std::sort(recovery.begin(), recovery.end());
    const double median = recovery.empty() ? 0 : recovery[recovery.size() / 2];
    const double longest = recovery.empty() ? 0 : recovery.back();
    return fmt::format("| {} | {} | {} | {} | {} | {} | {:.1f} | {:.1f} |\n", name, tally.injected,
                       tally.trials, tally.lost, tally.doubled, tally.repeated, median, longest);
}

}  // namespace

void add(Tally& tally, const std::string& fault, const ClassTally& more) {
    ClassTally& known = tally[fault];
    known.injected += more.injected;
    known.trials += more.trials;
    known.lost += more.lost;
    known.doubled += more.doubled;
    known.repeated += more.repeated;
    known.recovery_s.insert(known.recovery_s.end(), more.recovery_s.begin(), more.recovery_s.end());
}

std::string to_markdown(const Tally& tally) {
    std::string text =
        "| fault | injected | trials | lost | doubled | calls repeated | recovery s, median | "
        "longest |\n|---|---|---|---|---|---|---|---|\n";
    Tally all;
    for (const auto& [name, one] : tally) {
        text += row(name, one);
        add(all, "all", one);
    }
    return text + row("all", all["all"]);
}

}  // namespace evalfleet::chaos
