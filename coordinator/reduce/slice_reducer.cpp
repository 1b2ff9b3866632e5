#include "coordinator/reduce/slice_reducer.hpp"

#include "common/statistics/parallel_for.hpp"
#include "coordinator/reduce/block_reducer.hpp"
#include "coordinator/reduce/slice_tests.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace evalfleet::reduce {
namespace {

constexpr std::uint32_t kNoSlice = ~0U;

// The slices of one dimension: the task types, or the values of one tag.
struct Dimension {
    std::map<std::string, std::uint32_t> values;  ///< to the number of the slice
    std::vector<std::uint32_t> slice_of_set;      ///< or kNoSlice
    std::vector<job::TokenTotals> tokens;         ///< by slice
    std::vector<std::uint64_t> trials;            ///< by slice

    explicit Dimension(std::size_t sets) : slice_of_set(sets, kNoSlice) {}

    void put(std::size_t set, const std::string& value, const job::TokenTotals& of_set,
             std::uint64_t trials_of_set) {
        const auto [at, is_new] = values.emplace(value, tokens.size());
        if (is_new) {
            tokens.emplace_back();
            trials.push_back(0);
        }
        trials[at->second] += trials_of_set;
        slice_of_set[set] = at->second;
        // The sum over the whole run fitted, so that of a part does.
        static_cast<void>(add(tokens[at->second], of_set));
    }

    // No more slices than these have samples enough to be tested.
    [[nodiscard]] std::uint64_t testable() const {
        return static_cast<std::uint64_t>(std::ranges::count_if(
            trials, [](std::uint64_t count) { return count >= job::kFewestSliceSamples; }));
    }
};

// Places of a dimension's rows: all of slice 0, then all of slice 1, ... each in dataset order.
struct Grouping {
    std::vector<std::uint32_t> indices;
    std::vector<std::size_t> begin;

    Grouping(std::span<const TrialRow> rows, const Dimension& dimension)
        : begin(dimension.tokens.size() + 1) {
        for (const TrialRow& row : rows) {
            const std::uint32_t slice = dimension.slice_of_set[row.slice_set];
            if (slice != kNoSlice) ++begin[slice + 1];
        }
        for (std::size_t i = 1; i < begin.size(); ++i) {
            begin[i] += begin[i - 1];
        }
        indices.resize(begin.back());
        std::vector<std::size_t> next = begin;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::uint32_t slice = dimension.slice_of_set[rows[i].slice_set];
            if (slice != kNoSlice) indices[next[slice]++] = static_cast<std::uint32_t>(i);
        }
    }

    [[nodiscard]] std::span<const std::uint32_t> slice(std::size_t i) const {
        return std::span(indices).subspan(begin[i], begin[i + 1] - begin[i]);
    }
};

// Below this many draws a slice is not worth dividing; several slices run side by side instead.
constexpr std::uint64_t kDrawsToDivide = 20'000'000;

// What the reduction of the slices of one dimension yields.
struct ReducedDimension {
    job::Summary::Slices slices;
    job::SliceTests tests;
};

ReducedDimension reduce_dimension(const RecordTable& table, const Dimension& dimension,
                                  const SliceTester& tester,
                                  const statistics::BootstrapPlan& plan) {
    const Grouping grouping(table.rows(), dimension);
    std::vector<job::Blocks> blocks(dimension.tokens.size());
    std::vector<job::SliceTest> tests(blocks.size());
    const auto reduce_one = [&](std::size_t slice, unsigned threads) {
        const Population trials(table.rows(), grouping.slice(slice));
        blocks[slice] =
            reduce_blocks(trials, dimension.tokens[slice], {plan.replicates, plan.seed, threads})
                .blocks;
        tests[slice] = tester.test(trials);
    };
    std::vector<std::size_t> small;
    for (std::size_t slice = 0; slice < blocks.size(); ++slice) {
        if (grouping.slice(slice).size() * std::uint64_t{plan.replicates} < kDrawsToDivide) {
            small.push_back(slice);
        } else {
            reduce_one(slice, plan.threads);
        }
    }
    statistics::parallel_for(plan.threads, small.size(),
                             [&](unsigned, std::size_t i) { reduce_one(small[i], 1); });

    ReducedDimension reduced;
    for (const auto& [value, slice] : dimension.values) {
        reduced.slices.emplace(value, std::move(blocks[slice]));
        reduced.tests.emplace(value, std::move(tests[slice]));
    }
    return reduced;
}

std::vector<std::uint64_t> count_trials(const RecordTable& table) {
    std::vector<std::uint64_t> trials(table.slices().sets().size());
    for (const TrialRow& row : table.rows())
        ++trials[row.slice_set];
    return trials;
}

void correct(job::RunSliceTests& all) {
    std::vector<job::SliceTest*> tests;
    for (auto& [value, test] : all.task_types)
        tests.push_back(&test);
    for (auto& [key, by_value] : all.tags) {
        for (auto& [value, test] : by_value)
            tests.push_back(&test);
    }
    all.tests = correct_slice_tests(tests);
}

}  // namespace

void reduce_slices(job::Summary& summary, const RecordTable& table, const Population& run,
                   const statistics::BootstrapPlan& plan) {
    const auto sets = table.slices().sets();
    const auto trials = count_trials(table);
    Dimension task_types(sets.size());
    std::map<std::string, Dimension> tags;
    for (std::size_t i = 0; i < sets.size(); ++i) {
        task_types.put(i, sets[i].task_type, sets[i].tokens, trials[i]);
        for (const auto& [key, value] : sets[i].tags) {
            tags.try_emplace(key, sets.size())
                .first->second.put(i, value, sets[i].tokens, trials[i]);
        }
    }
    std::uint64_t testable = task_types.testable();
    for (const auto& [key, dimension] : tags)
        testable += dimension.testable();
    const SliceTester tester(run, {kTestsOfASlice * testable, plan.seed});

    job::RunSliceTests& tests = summary.extra.slice_tests;
    const auto reduce = [&](const Dimension& dimension, job::Summary::Slices& slices,
                            job::SliceTests& of_slices) {
        ReducedDimension reduced = reduce_dimension(table, dimension, tester, plan);
        slices = std::move(reduced.slices);
        of_slices = std::move(reduced.tests);
    };
    reduce(task_types, summary.task_types, tests.task_types);
    for (const auto& [key, dimension] : tags)
        reduce(dimension, summary.tags[key], tests.tags[key]);
    correct(tests);
}

}  // namespace evalfleet::reduce
