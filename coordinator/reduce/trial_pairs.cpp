#include "coordinator/reduce/trial_pairs.hpp"

namespace evalfleet::reduce {

TrialPairs::TrialPairs(std::span<const TrialRow> base, std::span<const TrialRow> candidate)
    : base_(base), candidate_(candidate) {
    std::uint32_t b = 0;
    std::uint32_t c = 0;
    while (b < base.size() && c < candidate.size()) {
        if (base[b].key() < candidate[c].key()) {
            ++b;
        } else if (candidate[c].key() < base[b].key()) {
            ++c;
        } else {
            const bool starts_sample =
                pairs_.empty() || base[pairs_.back().base].sample_index != base[b].sample_index;
            if (starts_sample) sample_begin_.push_back(static_cast<std::uint32_t>(pairs_.size()));
            pairs_.push_back({b++, c++});
        }
    }
    sample_begin_.push_back(static_cast<std::uint32_t>(pairs_.size()));
}

}  // namespace evalfleet::reduce
