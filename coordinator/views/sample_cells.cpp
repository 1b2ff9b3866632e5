#include "coordinator/views/sample_cells.hpp"

#include "coordinator/views/figures.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace evalfleet::views {

std::vector<SampleCell> sample_cells(const records::TrialTable& table) {
    std::vector<SampleCell> cells;
    const auto trials = table.trials();
    for (std::size_t i = 0; i < trials.size();) {
        SampleCell cell{.sample_index = trials[i].sample_index};
        double sum = 0;
        std::uint32_t scored = 0;
        for (; i < trials.size() && trials[i].sample_index == cell.sample_index; ++i) {
            ++cell.trials;
            cell.passed += trials[i].passed ? 1 : 0;
            if (std::isnan(trials[i].score)) continue;
            sum += static_cast<double>(trials[i].score);
            ++scored;
        }
        if (scored > 0) cell.score = static_cast<float>(sum / scored);
        cells.push_back(cell);
    }
    return cells;
}

void write(json::Writer& writer, const SampleCell& cell) {
    if (cell.trials == 0) {
        writer.null();
        return;
    }
    writer.begin_object()
        .member("score", known(cell.score))
        .member("passed", cell.has_passed())
        .member("passed_count", cell.passed)
        .member("repeats", cell.trials)
        .end_object();
}

std::optional<double> SamplePair::difference() const {
    if (std::isnan(base.score) || std::isnan(candidate.score)) return std::nullopt;
    return static_cast<double>(candidate.score) - static_cast<double>(base.score);
}

std::vector<SamplePair> pair_samples(const std::vector<SampleCell>& base,
                                     const std::vector<SampleCell>& candidate,
                                     const PairFilter& filter) {
    std::vector<SamplePair> pairs;
    auto other = candidate.begin();
    for (const SampleCell& cell : base) {
        while (other != candidate.end() && other->sample_index < cell.sample_index)
            ++other;
        if (other == candidate.end()) break;
        if (other->sample_index != cell.sample_index) continue;
        const SamplePair pair{cell, *other};
        const double size = std::abs(pair.difference().value_or(0));
        if (filter.only_flips && !pair.has_flipped()) continue;
        if (size < filter.min_difference) continue;
        pairs.push_back(pair);
    }
    std::stable_sort(pairs.begin(), pairs.end(), [](const SamplePair& a, const SamplePair& b) {
        return std::abs(a.difference().value_or(0)) > std::abs(b.difference().value_or(0));
    });
    return pairs;
}

std::vector<MatrixRow> matrix_rows(const std::vector<std::vector<SampleCell>>& columns,
                                   bool only_differing) {
    std::map<std::uint32_t, std::vector<SampleCell>> by_sample;
    for (std::size_t column = 0; column < columns.size(); ++column) {
        for (const SampleCell& cell : columns[column]) {
            auto& cells = by_sample[cell.sample_index];
            cells.resize(columns.size());
            cells[column] = cell;
        }
    }
    std::vector<MatrixRow> rows;
    for (auto& [sample, cells] : by_sample) {
        const auto differs = [&] {
            const auto has = [&cells](bool passed) {
                return std::any_of(cells.begin(), cells.end(), [passed](const SampleCell& cell) {
                    return cell.trials > 0 && cell.has_passed() == passed;
                });
            };
            return has(true) && has(false);
        };
        if (!only_differing || differs()) rows.push_back({sample, std::move(cells)});
    }
    return rows;
}

}  // namespace evalfleet::views
