#include "coordinator/reduce/outcomes.hpp"

#include "common/statistics/exact_sum.hpp"

namespace evalfleet::reduce {
namespace {

std::optional<double> share(double part, std::uint64_t of) {
    if (of == 0) return std::nullopt;
    return part / static_cast<double>(of);
}

}  // namespace

job::Outcomes count_outcomes(const RecordTable& table) {
    job::Outcomes outcomes;
    table.tally().fill(outcomes);
    std::uint64_t passes = 0;
    std::array<std::uint64_t, 4> accuracy{};      // by score, the last without one
    std::array<std::uint64_t, 4> faithfulness{};  // the same
    std::uint64_t scores = 0;
    statistics::ExactSum score_sum;
    for (const TrialRow& row : table.rows()) {
        outcomes.timed_out_count += row.how_it_ended() == Response::timed_out ? 1 : 0;
        if (row.how_it_ended() != Response::answered) continue;
        ++outcomes.answered_count;
        passes += row.rubric_passed;
        ++accuracy[row.accuracy];
        ++faithfulness[row.faithfulness];
        if (std::isnan(row.sample_score)) continue;
        score_sum.add(row.sample_score);
        ++scores;
    }
    const std::uint64_t answered = outcomes.answered_count;
    outcomes.answered_only = {
        share(static_cast<double>(passes), answered), share(score_sum.value(), scores),
        share(static_cast<double>(accuracy[1] + 2 * accuracy[2]),
              answered - accuracy[TrialRow::kNoScore]),
        share(static_cast<double>(faithfulness[0]), answered - faithfulness[TrialRow::kNoScore])};
    return outcomes;
}

}  // namespace evalfleet::reduce
