#include "coordinator/api/result_routes.hpp"

#include "coordinator/api/file_reply.hpp"
#include "coordinator/api/heavy_jobs.hpp"
#include "coordinator/api/query_reader.hpp"
#include "coordinator/api/replies.hpp"
#include "coordinator/api/run_view.hpp"
#include "coordinator/api/text_report.hpp"
#include "coordinator/records/record_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace evalfleet::api {

namespace asio = boost::asio;

namespace {

constexpr std::string_view kReportPage = "report.html";

struct ResultFile {
    std::string route;
    std::string name;  // in the run's folder
    std::string content_type;
    std::string id;
    std::string summary;
    bool is_result = true;  // not there before the run is over
    std::string schema{};   // of components/schemas
};

std::optional<http::Reply> refuse_unless_there(const std::optional<RunView>& view,
                                               const std::string& id, bool is_result) {
    if (!view) return not_found("run", id);
    if (!is_result || view->has_results()) return std::nullopt;
    return conflict("the run is " + std::string(to_string(view->progress.phase)) +
                    "; its results are there once it is done or cancelled");
}

asio::awaitable<http::Reply> show_file(Services& services, const ResultFile& file, Call& call) {
    const std::string id = call.request.parameter("id");
    const auto view = co_await find_run(services, id);
    if (auto refusal = refuse_unless_there(view, id, file.is_result)) co_return std::move(*refusal);
    auto reply = co_await file_reply(
        services.quick_pool, services.catalog.folder(id).file(file.name), file.content_type);
    if (reply) {
        if (file.name == kReportPage)
            reply->headers.set("Content-Security-Policy", std::string(kReportPolicy));
        co_return std::move(*reply);
    }
    if (reply.error().kind == ErrorKind::not_found)
        co_return not_found("file " + file.name + " of the run", id);
    co_return failure(reply.error());
}

asio::awaitable<http::Reply> show_text(Services& services, Call& call) {
    const std::string id = call.request.parameter("id");
    const auto view = co_await find_run(services, id);
    if (auto refusal = refuse_unless_there(view, id, true)) co_return std::move(*refusal);
    auto render = [&services, &id] {
        return blocking_text_report(services.catalog.folder(id).path());
    };
    std::vector<std::string> only{id};
    auto job = co_await reading_of(services, std::move(only));
    const auto text = co_await services.report_pool.run(std::move(job), render);
    if (!text) co_return failure(text.error());
    co_return http::Reply::text(*text);
}

std::optional<std::uint8_t> read_label(QueryReader& query) {
    const std::string name = query.text("failure_label");
    if (name.empty()) return std::nullopt;
    if (name == "none") return records::RecordKey::kNoLabel;
    const auto& names = job::Names<job::FailureLabel>::values;
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<std::uint8_t>(found - names.begin());
    query.fail("failure_label", fmt::format("allowed: none, {}", fmt::join(names, ", ")));
    return std::nullopt;
}

records::PageRequest read_request(QueryReader& query) {
    records::PageRequest page;
    page.filter.label = read_label(query);
    if (const std::string type = query.text("task_type"); !type.empty())
        page.filter.task_type = type;
    page.filter.passed = query.boolean("passed");
    page.filter.sample_id = query.text("sample_id", 1024);
    page.filter.text = query.text("q", 200);
    for (const std::string& tag : query.texts("tag", 8)) {
        const auto colon = tag.find(':');
        if (colon == std::string::npos || colon == 0)
            query.fail("tag", "allowed: key:value");
        else
            page.filter.tags.emplace_back(tag.substr(0, colon), tag.substr(colon + 1));
    }
    page.limit = query.number("limit", 50, 1, 500);
    page.offset = query.number("offset", 0, 0, std::uint64_t{1} << 48);
    page.first = query.number("cursor", 0, 0, std::uint64_t{1} << 48);
    if (page.offset > 0 && page.first > 0) query.fail("offset", "not together with cursor");
    if (page.offset > 0 && !page.filter.needs_only_keys())
        query.fail("offset", "not together with sample_id, tag or q; use cursor");
    return page;
}

std::string to_json(const records::PageRequest& request, const records::RecordPage& page) {
    std::string text = R"({"records":[)";
    for (const std::string& record : page.records) {
        if (text.back() != '[') text.push_back(',');
        text += record;
    }
    // What a later page counts from its own beginning is not the number of all matches.
    const bool is_whole = page.total && request.first == 0;
    text += R"(],"total":)" + (is_whole ? std::to_string(*page.total) : std::string("null"));
    text += fmt::format(R"(,"offset":{},"limit":{},"next_cursor":)", request.offset, request.limit);
    text += page.next ? '"' + std::to_string(*page.next) + '"' : "null";
    return text + "}";
}

Result<records::RecordPage> blocking_page(const store::RunFolder& folder,
                                          const records::PageRequest& request) {
    const auto records = folder.file("records.jsonl");
    const auto index = records::RecordIndex::blocking_open(records, record_index_of(folder));
    if (!index) return index.error();
    return records::blocking_search(records, *index, request);
}

asio::awaitable<http::Reply> show_records(Services& services, Call& call) {
    const std::string id = call.request.parameter("id");
    QueryReader query(call.request.query);
    const records::PageRequest request = read_request(query);
    if (auto refusal = query.refusal()) co_return std::move(*refusal);
    const auto view = co_await find_run(services, id);
    if (auto refusal = refuse_unless_there(view, id, true)) co_return std::move(*refusal);
    auto search = [&] { return blocking_page(services.catalog.folder(id), request); };
    auto job = co_await searching_of(services, id);
    const auto page = co_await services.report_pool.run(std::move(job), search);
    if (!page) co_return failure(page.error());
    co_return http::Reply::json(to_json(request, *page));
}

const std::vector<ResultFile>& result_files() {
    static const std::vector<ResultFile> files = {
        {"metadata", "run.json", "application/json", "get_metadata",
         "Everything needed to repeat or audit the run", false, "RunMetadata"},
        {"summary", "summary.json", "application/json", "get_summary",
         "Aggregates, confidence intervals and verdict", true, "Summary"},
        {"report.html", "report.html", "text/html; charset=utf-8", "get_report_html",
         "The report as a page"},
        {"report.md", "report.md", "text/markdown; charset=utf-8", "get_report_markdown",
         "The report as Markdown"},
        {"junit.xml", "junit.xml", "application/xml", "get_junit", "The gates as JUnit XML"},
        {"regression", "regression.json", "application/json", "get_regression",
         "What came of the comparison with the run's baseline; 404 without one"},
        {"manifest", "manifest.json", "application/json", "get_manifest",
         "The hashes of the run's files"},
        {"slices.jsonl", "slices.jsonl", "application/x-ndjson", "get_slices",
         "Figures of the run and of its slices, one a line; 404 of a run of an earlier version"},
        {"records.jsonl", "records.jsonl", "application/x-ndjson", "download_records",
         "Every record, one a line"}};
    return files;
}

std::vector<Answer> result_answers(std::string description, std::string content_type,
                                   std::string schema = {}) {
    return {{200, std::move(description), std::move(schema), std::move(content_type)},
            {404, "there is no such run", "Problem"},
            {409, "the run has no results yet", "Problem"}};
}

void add_records_route(RouteTable& table, Services& services) {
    const std::string number = R"({"type":"integer","minimum":0})";
    table.add({.method = "GET",
               .pattern = "/api/v1/runs/{id}/records",
               .id = "list_records",
               .section = "Results",
               .summary = "A page of trials, by sample and repeat",
               .query = {{"failure_label", "with this label; none: without one"},
                         {"task_type", "of this type"},
                         {"passed", "by the Rubric's condition", R"({"type":"boolean"})"},
                         {"sample_id", "of this sample"},
                         {"tag", "key:value; may be repeated",
                          R"({"type":"array","items":{"type":"string"}})"},
                         {"q", "in whose record this text occurs"},
                         {"offset", "so many matches are passed over", number},
                         {"limit", "at most so many",
                          R"({"type":"integer","minimum":1,"maximum":500,"default":50})"},
                         {"cursor", "next_cursor of the page before"}},
               .answers = {{200, "a page of records", "RecordPage"},
                           {404, "there is no such run", "Problem"},
                           {409, "the run has no results yet", "Problem"}}},
              [&services](Call& call) { return show_records(services, call); });
}

}  // namespace

void add_result_routes(RouteTable& table, Services& services) {
    for (const ResultFile& file : result_files()) {
        table.add({.method = "GET",
                   .pattern = "/api/v1/runs/{id}/" + file.route,
                   .id = file.id,
                   .section = "Results",
                   .summary = file.summary,
                   .answers = result_answers(file.name + " of the run's folder", file.content_type,
                                             file.schema)},
                  [&services, &file](Call& call) { return show_file(services, file, call); });
    }
    table.add({.method = "GET",
               .pattern = "/api/v1/runs/{id}/report.txt",
               .id = "get_report_text",
               .section = "Results",
               .summary = "The report for a terminal",
               .answers = result_answers("the report", "text/plain; charset=utf-8")},
              [&services](Call& call) { return show_text(services, call); });
    add_records_route(table, services);
}

}  // namespace evalfleet::api
