#include "coordinator/reduce/trial_order.hpp"

#include "common/job/trial_index.hpp"

#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <utility>

namespace evalfleet::reduce {

namespace {

// FNV-1a: the same on every machine, which std::hash is not.
std::uint64_t seed_of(std::string_view text) {
    std::uint64_t hash = 14695981039346656037ULL;
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    return hash;
}

}  // namespace

TrialOrder::TrialOrder(std::string_view run_id, std::uint64_t samples, std::uint64_t repeats)
    : repeats_(repeats), sample_at_(samples), place_of_(samples) {
    if (samples > std::numeric_limits<std::uint32_t>::max())
        throw std::logic_error("too many samples to shuffle");
    std::iota(sample_at_.begin(), sample_at_.end(), 0U);
    std::mt19937_64 random(seed_of(run_id));
    for (std::uint64_t i = samples; i > 1; --i)
        std::swap(sample_at_[i - 1], sample_at_[random() % i]);
    for (std::uint32_t place = 0; place < samples; ++place)
        place_of_[sample_at_[place]] = place;
}

std::uint64_t TrialOrder::at(std::uint64_t position) const {
    if (sample_at_.empty()) return position;
    auto trial = job::TrialIndex::of(position, repeats_);
    trial.sample_index = sample_at_[trial.sample_index];
    return trial.within(repeats_);
}

std::uint64_t TrialOrder::position(std::uint64_t index) const {
    if (place_of_.empty()) return index;
    auto trial = job::TrialIndex::of(index, repeats_);
    trial.sample_index = place_of_[trial.sample_index];
    return trial.within(repeats_);
}

}  // namespace evalfleet::reduce
