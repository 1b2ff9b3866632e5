#include "coordinator/reduce/population.hpp"

namespace evalfleet::reduce {

Population::Population(std::span<const TrialRow> rows, std::span<const std::uint32_t> indices)
    : rows_(rows), indices_(indices) {
    const auto starts_sample = [this](std::size_t i) {
        return i == 0 || (*this)[i].sample_index != (*this)[i - 1].sample_index;
    };
    std::size_t samples = 0;
    for (std::size_t i = 0; i < size(); ++i) {
        samples += starts_sample(i) ? 1 : 0;
    }
    sample_begin_.reserve(samples + 1);
    for (std::size_t i = 0; i < size(); ++i) {
        if (starts_sample(i)) sample_begin_.push_back(static_cast<std::uint32_t>(i));
    }
    sample_begin_.push_back(static_cast<std::uint32_t>(size()));
}

}  // namespace evalfleet::reduce
