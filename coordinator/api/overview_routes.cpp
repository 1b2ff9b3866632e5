#include "coordinator/api/overview_routes.hpp"

#include "common/json/document.hpp"
#include "common/json/writer.hpp"
#include "coordinator/api/replies.hpp"
#include "coordinator/api/run_trials.hpp"
#include "coordinator/api/submission_preview.hpp"
#include "coordinator/api/trial_parameters.hpp"
#include "coordinator/records/record_text.hpp"
#include "coordinator/views/sample_cells.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace evalfleet::api {

namespace asio = boost::asio;

namespace {

using access::Role;
using Cells = std::vector<views::SampleCell>;
using Hold = records::TrialShelf::Hold;

constexpr std::size_t kMostColumns = 64;
constexpr std::size_t kMostPoints = 200;

Result<Cells> cells_of(Hold& hold) {
    return views::sample_cells(hold.table());
}

/// What is shown of a sample beside its figures.
struct SampleText {
    std::string sample_id;
    std::optional<std::string> answer;
};
using SampleTexts = std::map<std::uint32_t, SampleText>;

// Of the first repeat of each of some samples.
Result<SampleTexts> blocking_texts(Hold& hold, const std::vector<std::uint32_t>& samples) {
    SampleTexts texts;
    auto records = records::RecordText::blocking_open(hold.table());
    if (!records) return records.error();
    for (const std::uint32_t sample : samples) {
        const auto trials = hold.table().of_sample(sample);
        if (trials.empty()) continue;
        const auto line = records->blocking_read(trials.front());
        if (!line) return line.error();
        const auto record = json::Document::parse(*line);
        if (!record) return record.error();
        const auto id = record->root().get_or<std::string>("sample_id", "");
        const auto answer = record->root().optional<std::string>("answer");
        SampleText& text = texts[sample];
        if (id) text.sample_id = *id;
        if (answer && *answer) text.answer = records::excerpt(**answer, 20'000);
    }
    return texts;
}

asio::awaitable<Result<SampleTexts>> texts_of(TrialServices& services, const RunView& view,
                                              const std::vector<std::uint32_t>& samples) {
    auto read = [&samples](Hold& hold) { return blocking_texts(hold, samples); };
    co_return co_await with_trials(services, view, read);
}

template <class Row>
std::span<const Row> page_of(const std::vector<Row>& rows, std::uint64_t offset,
                             std::size_t limit) {
    const auto begin = static_cast<std::size_t>(std::min<std::uint64_t>(offset, rows.size()));
    return std::span(rows).subspan(begin, std::min(limit, rows.size() - begin));
}

void write_page_end(json::Writer& writer, std::uint64_t offset, std::size_t shown,
                    std::size_t total) {
    writer.member("total", total).member("offset", offset).key("next_offset");
    offset + shown < total ? writer.value(offset + shown) : writer.null();
    writer.end_object();
}

void write_side(json::Writer& writer, std::string_view name, const views::SampleCell& cell,
                const SampleTexts& texts) {
    const auto text = texts.find(cell.sample_index);
    std::string object;
    json::Writer inner(object);
    views::write(inner, cell);
    object.back() = ',';
    std::string more;
    json::Writer(more)
        .begin_object()
        .member("answer", text == texts.end() ? std::nullopt : text->second.answer)
        .end_object();
    writer.key(name).raw(object.append(more, 1, std::string::npos));
}

std::string pairs_json(std::span<const views::SamplePair> page, const SampleTexts& base,
                       const SampleTexts& candidate, std::uint64_t offset, std::size_t total) {
    std::string text;
    json::Writer writer(text);
    writer.begin_object().key("samples").begin_array();
    for (const views::SamplePair& pair : page) {
        const std::uint32_t index = pair.base.sample_index;
        const auto known = base.find(index);
        writer.begin_object()
            .member("sample_index", index)
            .member("sample_id", known == base.end() ? std::string() : known->second.sample_id);
        write_side(writer, "base", pair.base, base);
        write_side(writer, "candidate", pair.candidate, candidate);
        writer.member("flipped", pair.has_flipped())
            .member("difference", pair.difference())
            .end_object();
    }
    writer.end_array();
    write_page_end(writer, offset, page.size(), total);
    return text;
}

asio::awaitable<http::Reply> compare_samples(TrialServices& services, Call& call) {
    QueryReader query(call.request.query);
    const std::string base_id = query.text("base");
    const std::string candidate_id = query.text("candidate");
    const std::string only = query.text("only");
    if (!only.empty() && only != "flips" && only != "all")
        query.fail("only", "allowed: flips, all");
    const views::PairFilter filter{only == "flips",
                                   read_figure(query, "min_difference").value_or(0)};
    const std::uint64_t offset = query.number("offset", 0, 0, std::uint64_t{1} << 32);
    const std::size_t limit = query.number("limit", 50, 1, 200);
    if (auto refusal = query.refusal()) co_return std::move(*refusal);
    const auto base = co_await find_run(services.services, base_id);
    if (!base) co_return field_problem(404, "base", "there is no such run");
    const auto candidate = co_await find_run(services.services, candidate_id);
    if (!candidate) co_return field_problem(404, "candidate", "there is no such run");
    // One after the other: nobody holds two runs at once.
    const auto base_cells = co_await with_trials(services, *base, cells_of);
    if (!base_cells) co_return failure(base_cells.error());
    const auto candidate_cells = co_await with_trials(services, *candidate, cells_of);
    if (!candidate_cells) co_return failure(candidate_cells.error());
    const auto pairs = views::pair_samples(*base_cells, *candidate_cells, filter);
    const auto page = page_of(pairs, offset, limit);
    std::vector<std::uint32_t> samples;
    for (const views::SamplePair& pair : page)
        samples.push_back(pair.base.sample_index);
    const auto base_texts = co_await texts_of(services, *base, samples);
    if (!base_texts) co_return failure(base_texts.error());
    const auto candidate_texts = co_await texts_of(services, *candidate, samples);
    if (!candidate_texts) co_return failure(candidate_texts.error());
    co_return http::Reply::json(
        pairs_json(page, *base_texts, *candidate_texts, offset, pairs.size()));
}

asio::awaitable<Result<std::shared_ptr<const catalog::RunCatalog::Runs>>> look(Services& services) {
    auto look_at = [&services] { return services.catalog.blocking_look(); };
    co_return co_await services.quick_pool.run(look_at);
}

// By the order of their ids, which is that of their submission.
std::vector<std::string> ids_of_group(const catalog::RunCatalog::Runs& runs,
                                      const std::string& group_id) {
    std::vector<std::string> ids;
    for (const auto& [id, facts] : runs)
        if (facts->group_id == group_id) ids.push_back(id);
    std::reverse(ids.begin(), ids.end());
    return ids;
}

struct GroupLine {
    std::string name;
    std::string submitted_at;
    std::size_t runs = 0;
    std::size_t over = 0;
    std::vector<std::string> models;
    std::vector<std::string> prompts;
};

void add_once(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

std::string groups_json(const catalog::RunCatalog::Runs& runs, std::size_t limit) {
    std::map<std::string, GroupLine, std::greater<>> groups;
    for (const auto& [id, facts] : runs) {
        if (!facts->group_id) continue;
        GroupLine& group = groups[*facts->group_id];
        group.name = facts->name;
        group.submitted_at = facts->submitted_at;
        ++group.runs;
        group.over += runs::is_over(facts->phase) ? 1 : 0;
        add_once(group.models, facts->model);
        add_once(group.prompts, facts->prompt);
    }
    std::string text;
    json::Writer writer(text);
    writer.begin_object().key("groups").begin_array();
    const auto write_names = [&writer](std::string_view key,
                                       const std::vector<std::string>& names) {
        writer.key(key).begin_array();
        for (const std::string& name : names)
            writer.value(name);
        writer.end_array();
    };
    std::size_t shown = 0;
    for (const auto& [id, group] : groups) {
        if (shown++ == limit) break;
        writer.begin_object()
            .member("group_id", id)
            .member("name", group.name)
            .member("submitted_at", group.submitted_at)
            .member("state", group.over == group.runs ? "done" : "running")
            .member("runs", group.runs)
            .member("over", group.over);
        write_names("models", group.models);
        write_names("prompts", group.prompts);
        writer.end_object();
    }
    writer.end_array().member("total", groups.size()).end_object();
    return text;
}

asio::awaitable<http::Reply> list_groups(Services& services, Call& call) {
    QueryReader query(call.request.query);
    const std::size_t limit = query.number("limit", 100, 1, 500);
    if (auto refusal = query.refusal()) co_return std::move(*refusal);
    const auto runs = co_await look(services);
    if (!runs) co_return failure(runs.error());
    co_return http::Reply::json(groups_json(**runs, limit));
}

std::string matrix_json(const std::vector<RunView>& columns, std::span<const views::MatrixRow> page,
                        const SampleTexts& texts, std::uint64_t offset, std::size_t total) {
    std::string text;
    json::Writer writer(text);
    writer.begin_object().key("columns").begin_array();
    for (const RunView& run : columns)
        writer.begin_object()
            .member("run_id", run.facts.run_id)
            .member("model", run.facts.model)
            .member("prompt", run.facts.prompt)
            .end_object();
    writer.end_array().key("rows").begin_array();
    for (const views::MatrixRow& row : page) {
        const auto known = texts.find(row.sample_index);
        writer.begin_object()
            .member("sample_index", row.sample_index)
            .member("sample_id", known == texts.end() ? std::string() : known->second.sample_id)
            .key("cells")
            .begin_array();
        for (const views::SampleCell& cell : row.cells)
            views::write(writer, cell);
        writer.end_array().end_object();
    }
    writer.end_array();
    write_page_end(writer, offset, page.size(), total);
    return text;
}

asio::awaitable<http::Reply> show_matrix(TrialServices& services, Call& call) {
    const std::string id = call.request.parameter("id");
    QueryReader query(call.request.query);
    const bool only_differing = query.boolean("differ").value_or(false);
    const std::uint64_t offset = query.number("offset", 0, 0, std::uint64_t{1} << 32);
    const std::size_t limit = query.number("limit", 100, 1, 500);
    if (auto refusal = query.refusal()) co_return std::move(*refusal);
    const auto runs = co_await look(services.services);
    if (!runs) co_return failure(runs.error());
    const std::vector<std::string> ids = ids_of_group(**runs, id);
    if (ids.empty()) co_return not_found("group", id);
    std::vector<RunView> columns;
    std::vector<Cells> cells;
    std::size_t count = 0;
    for (const std::string& run_id : ids) {
        auto view = co_await find_run(services.services, run_id);
        if (!view || columns.size() == kMostColumns) continue;
        auto column = co_await with_trials(services, *view, cells_of);
        if (!column) co_return failure(column.error());
        count += column->size();
        if (count > views::kMostCells)
            co_return failure({ErrorKind::too_large, "the group is too large for a matrix"});
        columns.push_back(std::move(*view));
        cells.push_back(std::move(*column));
    }
    if (columns.empty()) co_return not_found("group", id);
    const auto rows = views::matrix_rows(cells, only_differing);
    const auto page = page_of(rows, offset, limit);
    std::vector<std::uint32_t> samples;
    for (const views::MatrixRow& row : page)
        samples.push_back(row.sample_index);
    SampleTexts texts;
    for (const RunView& column : columns) {
        if (texts.size() == samples.size()) break;
        auto found = co_await texts_of(services, column, samples);
        if (found) texts.merge(*found);
    }
    co_return http::Reply::json(matrix_json(columns, page, texts, offset, rows.size()));
}

void write_metrics(json::Writer& writer, const catalog::RunOutcome& outcome) {
    for (std::size_t i = 0; i < job::kGates.size(); ++i) {
        const catalog::GateFigure& gate = outcome.gates[i];
        writer.key(job::kGates[i].name)
            .begin_object()
            .member("observed", gate.observed)
            .member("ci95_lower", gate.lower)
            .member("ci95_upper", gate.upper)
            .member("threshold", gate.threshold)
            .member("passed", gate.passed)
            .end_object();
    }
}

void write_changes(json::Writer& writer, const catalog::RunFacts* before,
                   const catalog::RunFacts& now) {
    writer.key("changed").begin_array();
    if (before != nullptr) {
        if (before->model != now.model) writer.value("model");
        if (before->prompt != now.prompt) writer.value("prompt");
        if (before->dataset_hash != now.dataset_hash) writer.value("dataset");
        if (before->judge != now.judge) writer.value("judge");
    }
    writer.end_array();
}

asio::awaitable<http::Reply> show_trend(Services& services, Call& call) {
    QueryReader query(call.request.query);
    const std::string name = query.text("name");
    if (auto refusal = query.refusal()) co_return std::move(*refusal);
    const auto runs = co_await look(services);
    if (!runs) co_return failure(runs.error());
    std::vector<std::string> ids;
    for (const auto& [id, facts] : **runs) {
        if (ids.size() == kMostPoints) break;
        if (facts->name == name && catalog::is_final(facts->phase)) ids.push_back(id);
    }
    std::reverse(ids.begin(), ids.end());
    std::string text = R"({"points":[)";
    std::optional<RunView> before;
    for (const std::string& id : ids) {
        auto view = co_await find_run(services, id);
        if (!view || !view->facts.outcome) continue;
        std::string more;
        json::Writer writer(more);
        writer.begin_object().key("metrics").begin_object();
        write_metrics(writer, *view->facts.outcome);
        writer.end_object();
        write_changes(writer, before ? &before->facts : nullptr, view->facts);
        writer.end_object();
        std::string point = to_json(*view);
        point.back() = ',';
        if (text.back() != '[') text += ',';
        text += point.append(more, 1, std::string::npos);
        before = std::move(view);
    }
    co_return http::Reply::json(text + "]}");
}

asio::awaitable<http::Reply> validate(Services& services, Call& call) {
    const auto body = co_await call.request.body->read_all();
    if (!body) co_return http::to_problem(body.error()).to_reply();
    auto check = [&services, &body] { return blocking_preview_json(services, *body); };
    async::HeavyPool::Job job{"validation by " + call.caller.name};
    const auto text = co_await services.request_pool.run(std::move(job), check);
    if (!text) co_return failure(text.error());
    co_return http::Reply::json(*text);
}

std::vector<Parameter> page_parameters(std::vector<Parameter> own) {
    own.push_back({"offset", "so many are passed over", R"({"type":"integer","minimum":0})"});
    own.push_back({"limit", "at most so many", R"({"type":"integer","minimum":1,"maximum":500})"});
    return own;
}

}  // namespace

void add_overview_routes(RouteTable& table, TrialServices& services) {
    const std::string text = R"({"type":"string"})";
    table.add(
        {.method = "GET",
         .pattern = "/api/v1/compare/samples",
         .id = "compare_samples",
         .section = "Groups and comparison",
         .summary = "Samples of two runs with both answers, the largest difference first",
         .query = page_parameters(
             {{"base", "id of a run", text, true},
              {"candidate", "id of a run", text, true},
              {"only", "flips: passed in one and not in the other", R"({"enum":["flips","all"]})"},
              {"min_difference", "of the scores, either way", R"({"type":"number","minimum":0})"}}),
         .answers = {{200, "a page of samples", "SamplePairs"},
                     {404, "there is no such run", "Problem"},
                     {413, "a run has too many trials", "Problem"}}},
        [&services](Call& call) { return compare_samples(services, call); });
    table.add({.method = "GET",
               .pattern = "/api/v1/groups",
               .id = "list_groups",
               .section = "Groups and comparison",
               .summary = "Groups, the newest first",
               .query = {{"limit", "at most so many",
                          R"({"type":"integer","minimum":1,"maximum":500,"default":100})"}},
               .answers = {{200, "the groups", "GroupList"}}},
              [&services](Call& call) { return list_groups(services.services, call); });
    table.add({.method = "GET",
               .pattern = "/api/v1/groups/{id}/matrix",
               .id = "get_matrix",
               .section = "Groups and comparison",
               .summary = "Samples by runs of a group",
               .query = page_parameters({{"differ", "only where one run passed and another did not",
                                          R"({"type":"boolean"})"}}),
               .answers = {{200, "a page of rows", "Matrix"},
                           {404, "there is no such group", "Problem"},
                           {413, "the group is too large", "Problem"}}},
              [&services](Call& call) { return show_matrix(services, call); });
    table.add({.method = "GET",
               .pattern = "/api/v1/trends",
               .id = "get_trend",
               .section = "Groups and comparison",
               .summary = "The runs of a name, the oldest first, and what changed between them",
               .query = {{"name", "of the runs", text, true}},
               .answers = {{200, "the 200 newest that are over", "Trend"}}},
              [&services](Call& call) { return show_trend(services.services, call); });
    table.add(
        {.method = "POST",
         .pattern = "/api/v1/validate",
         .id = "validate_run",
         .section = "Runs",
         .summary = "What is wrong with a run file, or what it would do; starts nothing",
         .role = Role::submitter,
         .body_type = "application/yaml",
         .body_schema = "RunFile",
         .answers = {{200, "faults, or the number of calls and what they may cost", "Validation"},
                     {413, "the run file is too large", "Problem"}},
         .max_body_bytes = runfile::kMaxRunFileBytes + std::uint64_t{64} * 1024},
        [&services](Call& call) { return validate(services.services, call); });
}

}  // namespace evalfleet::api
