#include "coordinator/reduce/group_reducer.hpp"

#include "common/statistics/parallel_for.hpp"
#include "coordinator/reduce/block_reducer.hpp"
#include "coordinator/reduce/comparability.hpp"
#include "coordinator/reduce/group_ranking.hpp"
#include "coordinator/reduce/record_table.hpp"
#include "coordinator/reduce/run_files.hpp"
#include "coordinator/reduce/slice_tests.hpp"
#include "coordinator/reduce/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace evalfleet::reduce {
namespace {

using Tables = std::vector<RecordTable>;
using Places = std::vector<std::size_t>;  ///< of runs

std::string name_of(const job::PromptTemplateInfo& prompt) {
    return fmt::format("{}@{}", prompt.id, prompt.version.empty() ? prompt.sha256 : prompt.version);
}

Status check_members(std::span<const GroupMember> members) {
    if (members.empty()) return Error{ErrorKind::invalid, "a group has at least one run"};
    std::vector<std::string_view> ids;
    for (const GroupMember& member : members)
        ids.emplace_back(member.metadata.run_id);
    std::ranges::sort(ids);
    const auto twice = std::ranges::adjacent_find(ids);
    if (twice == ids.end()) return {};
    return Error{ErrorKind::invalid, fmt::format("the run {} is given twice", *twice)};
}

Result<Tables> load_tables(std::span<const GroupMember> members, unsigned threads) {
    Tables tables;
    std::size_t rows = 0;
    for (const GroupMember& member : members) {
        auto table = load_records(member.records, {.threads = threads});
        if (!table) return table.error();
        rows += table->rows().size();
        tables.push_back(std::move(*table));
    }
    if (rows > RecordTable::kMostRows) {
        return Error{ErrorKind::too_large,
                     fmt::format("a group of more than {} records", RecordTable::kMostRows)};
    }
    return tables;
}

// The rows of several runs, by dataset line: what is drawn together stands together.
std::vector<TrialRow> join_rows(const Tables& tables, const Places& places) {
    std::vector<TrialRow> rows;
    for (const std::size_t place : places)
        rows.insert(rows.end(), tables[place].rows().begin(), tables[place].rows().end());
    if (places.size() > 1) std::ranges::stable_sort(rows, {}, &TrialRow::sample_index);
    return rows;
}

Result<job::TokenTotals> join_tokens(const Tables& tables, const Places& places) {
    job::TokenTotals total;
    for (const std::size_t place : places) {
        for (const auto& set : tables[place].slices().sets()) {
            if (const Status added = add(total, set.tokens); !added) return added.error();
        }
    }
    return total;
}

// The trials of several runs, which a population only refers to.
struct JoinedTrials {
    std::vector<TrialRow> rows;
    std::vector<std::uint32_t> indices;

    JoinedTrials(const Tables& tables, const Places& places)
        : rows(join_rows(tables, places)), indices(rows.size()) {
        std::iota(indices.begin(), indices.end(), 0U);
    }
};

Result<job::Blocks> reduce_places(const Tables& tables, const Places& places,
                                  const statistics::BootstrapPlan& plan) {
    const auto tokens = join_tokens(tables, places);
    if (!tokens) return tokens.error();
    const JoinedTrials trials(tables, places);
    return reduce_blocks(Population(trials.rows, trials.indices), *tokens, plan).blocks;
}

std::uint64_t count_missing(const job::RunMetadata& metadata, std::uint64_t found) {
    const auto expected = static_cast<std::uint64_t>(metadata.sample_count * metadata.repeats);
    return expected > found ? expected - found : 0;
}

Result<GroupRun> reduce_run(const job::RunMetadata& metadata, const Tables& tables,
                            std::size_t place, const statistics::BootstrapPlan& plan) {
    auto blocks = reduce_places(tables, {place}, plan);
    if (!blocks) return blocks.error();
    GroupRun run;
    run.run_id = metadata.run_id;
    run.model = metadata.model.id();
    run.prompt_template = name_of(metadata.prompt_template);
    run.missing_count = count_missing(metadata, tables[place].rows().size());
    const JoinedTrials trials(tables, {place});
    run.gates = evaluate_gates(Population(trials.rows, trials.indices), blocks->rubric,
                               metadata.policy.gates);
    run.blocks = std::move(*blocks);
    return run;
}

using PlacesByValue = std::map<std::string, Places>;

PlacesByValue places_by(const std::vector<GroupRun>& runs, std::string GroupRun::*value) {
    PlacesByValue places_of;
    for (std::size_t i = 0; i < runs.size(); ++i)
        places_of[runs[i].*value].push_back(i);
    return places_of;
}

Result<job::Summary::Slices> reduce_slices(const PlacesByValue& places_of,
                                           const std::vector<GroupRun>& runs, const Tables& tables,
                                           const statistics::BootstrapPlan& plan) {
    job::Summary::Slices slices;
    for (const auto& [name, places] : places_of) {
        if (places.size() == 1) {
            slices.emplace(name, runs[places[0]].blocks);  // the same rows, the same seed
            continue;
        }
        auto blocks = reduce_places(tables, places, plan);
        if (!blocks) return blocks.error();
        slices.emplace(name, std::move(*blocks));
    }
    return slices;
}

job::SliceTests test_slices(const PlacesByValue& places_of, const Tables& tables,
                            const RunSliceTester& tester) {
    job::SliceTests tests;
    for (const auto& [name, places] : places_of) {
        const JoinedTrials trials(tables, places);
        tests.emplace(name, tester.test(places, Population(trials.rows, trials.indices)));
    }
    return tests;
}

std::uint64_t correct(job::SliceTests& models, job::SliceTests& prompts) {
    std::vector<job::SliceTest*> tests;
    for (job::SliceTests* const by_value : {&models, &prompts}) {
        for (auto& [name, test] : *by_value)
            tests.push_back(&test);
    }
    return correct_slice_tests(tests);
}

Status add_slices(GroupSummary& summary, const Tables& tables,
                  const statistics::BootstrapPlan& plan) {
    const PlacesByValue by_model = places_by(summary.runs, &GroupRun::model);
    const PlacesByValue by_prompt = places_by(summary.runs, &GroupRun::prompt_template);
    auto models = reduce_slices(by_model, summary.runs, tables, plan);
    if (!models) return models.error();
    auto prompts = reduce_slices(by_prompt, summary.runs, tables, plan);
    if (!prompts) return prompts.error();
    summary.models = std::move(*models);
    summary.prompt_templates = std::move(*prompts);
    RunSliceTester tester({kTestsOfASlice * (by_model.size() + by_prompt.size()), plan.seed});
    for (std::size_t place = 0; place < tables.size(); ++place) {
        const JoinedTrials trials(tables, {place});
        tester.add_run(Population(trials.rows, trials.indices));
    }
    summary.model_tests = test_slices(by_model, tables, tester);
    summary.prompt_template_tests = test_slices(by_prompt, tables, tester);
    summary.slice_tests = correct(summary.model_tests, summary.prompt_template_tests);
    return {};
}

std::vector<std::string> find_incomparable(std::span<const GroupMember> members) {
    std::vector<std::string> reasons;
    for (const GroupMember& member : members.subspan(1)) {
        for (const auto& reason : reasons_not_to_compare(members[0].metadata, member.metadata)) {
            reasons.push_back(fmt::format("{}: {}", member.metadata.run_id, reason));
        }
    }
    return reasons;
}

}  // namespace

Result<GroupSummary> reduce_group(std::span<const GroupMember> members, GroupOptions options) {
    if (const Status good = check_members(members); !good) return good.error();
    const auto tables = load_tables(members, options.threads);
    if (!tables) return tables.error();

    const job::RunMetadata& baseline = members[0].metadata;
    GroupSummary summary;
    summary.group_id = baseline.group_id;
    summary.bootstrap_replicates =
        options.replicates.value_or(baseline.policy.bootstrap.replicates);
    summary.bootstrap_seed = options.seed.value_or(baseline.policy.bootstrap.seed);
    summary.incomparable = find_incomparable(members);
    const statistics::BootstrapPlan plan{summary.bootstrap_replicates, summary.bootstrap_seed,
                                         statistics::resolve_threads(options.threads)};
    for (std::size_t i = 0; i < members.size(); ++i) {
        auto run = reduce_run(members[i].metadata, *tables, i, plan);
        if (!run) return run.error();
        summary.runs.push_back(std::move(*run));
    }
    if (const Status added = add_slices(summary, *tables, plan); !added) return added.error();
    summary.ranking =
        rank_runs(summary.runs, *tables,
                  {.replicates = plan.replicates, .seed = plan.seed, .threads = plan.threads});
    return summary;
}

Result<GroupMember> blocking_read_member(const std::filesystem::path& folder) {
    auto metadata = blocking_read_metadata(folder);
    if (!metadata) return metadata.error();
    return GroupMember{std::move(*metadata), {folder / kRecordsFile}};
}

}  // namespace evalfleet::reduce
