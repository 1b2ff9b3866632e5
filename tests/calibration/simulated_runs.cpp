#include "tests/calibration/simulated_runs.hpp"

#include <algorithm>
#include <cmath>

namespace evalfleet::calibration {

namespace {

using reduce::TrialRow;

// What makes one answer unlike another: drawn for a sample of a run, or for each trial.
struct Noise {
    double accuracy;
    double faithfulness;
    double latency;
    double length;

    explicit Noise(Random& random)
        : accuracy(random.normal()),
          faithfulness(random.normal()),
          latency(random.normal()),
          length(random.normal()) {}

    [[nodiscard]] Noise mixed(const Noise& other, double own) const {
        const double rest = std::sqrt(1 - own * own);
        Noise mixed = *this;
        mixed.accuracy = own * accuracy + rest * other.accuracy;
        mixed.faithfulness = own * faithfulness + rest * other.faithfulness;
        mixed.latency = own * latency + rest * other.latency;
        mixed.length = own * length + rest * other.length;
        return mixed;
    }
};

std::uint32_t grade(double quality) {
    return quality > -1 ? 2 : quality > -1.6 ? 1 : 0;
}

double own_part(Repeats alike) {
    switch (alike) {
        case Repeats::identical:
            return 0;
        case Repeats::correlated:
            return 0.6;
        case Repeats::independent:
            break;
    }
    return 1;
}

}  // namespace

Samples::Samples(const World& world, Random& random) : world_(world) {
    for (std::size_t i = 0; i < world.samples; ++i)
        samples_.push_back({random.normal(), random.normal()});
}

std::vector<TrialRow> Samples::run(const Change& change, Random& random) const {
    std::vector<TrialRow> rows;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
        const Sample& sample = samples_[i];
        const Noise of_sample(random);
        const bool is_lost = random.uniform() < change.lost_share;
        for (std::uint32_t repeat = 1; repeat <= world_.repeats; ++repeat) {
            const Noise noise = Noise(random).mixed(of_sample, own_part(world_.alike));
            TrialRow row;
            row.sample_index = static_cast<std::uint32_t>(i);
            row.repeat = repeat;
            const double quality = world_.level + 0.8 * sample.difficulty + change.shift;
            row.accuracy = is_lost ? 0 : grade(quality + 0.6 * noise.accuracy) & 3U;
            row.faithfulness = grade(quality + 0.5 + 0.6 * noise.faithfulness) & 3U;
            row.latency_e2e_ms =
                1500 * change.slower *
                std::exp(0.4 * sample.length + 0.3 * noise.latency + 0.1 * noise.length);
            if (world_.slow_share > 0 && random.uniform() < world_.slow_share)
                row.latency_e2e_ms *= 3 + 7 * random.uniform();
            row.output_tokens = static_cast<std::uint32_t>(
                1 + 200 * std::exp(0.6 * sample.length + 0.2 * noise.length));
            row.total_tokens = row.output_tokens + 400;
            row.rubric_passed = row.accuracy >= 1 && row.faithfulness >= 1 ? 1 : 0;
            row.spec_passed = row.rubric_passed;
            row.sample_score = 0.45 * row.accuracy / 2 + 0.3 * row.faithfulness / 2 +
                               0.15 * std::min(1.0, 3000 / row.latency_e2e_ms) +
                               0.1 * std::min(1.0, 2000.0 / row.total_tokens);
            rows.push_back(row);
        }
    }
    return rows;
}

}  // namespace evalfleet::calibration
