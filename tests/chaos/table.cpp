#include "tests/chaos/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

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

std::string to_line(const std::string& fault, const ClassTally& tally) {
    return fmt::format("{}\t{} {} {} {} {}\t{}\n", fault, tally.injected, tally.trials, tally.lost,
                       tally.doubled, tally.repeated, fmt::join(tally.recovery_s, " "));
}

void add_line(Tally& tally, const std::string& line) {
    const std::size_t end_of_name = line.find('\t');
    if (end_of_name == std::string::npos) throw std::runtime_error("no line of a table: " + line);
    std::istringstream numbers(line.substr(end_of_name));
    ClassTally one;
    numbers >> one.injected >> one.trials >> one.lost >> one.doubled >> one.repeated;
    if (!numbers) throw std::runtime_error("no line of a table: " + line);
    for (double took = 0; numbers >> took;)
        one.recovery_s.push_back(took);
    add(tally, line.substr(0, end_of_name), one);
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
