#include "coordinator/api/view_routes.hpp"

#include "common/files/file.hpp"
#include "common/job/manifest.hpp"
#include "common/job/run_metadata.hpp"
#include "common/job/run_spec.hpp"
#include "common/json/document.hpp"
#include "common/json/writer.hpp"
#include "common/log/line.hpp"
#include "coordinator/api/replies.hpp"
#include "coordinator/api/run_trials.hpp"
#include "coordinator/api/trial_parameters.hpp"
#include "coordinator/records/record_text.hpp"
#include "coordinator/runs/operator_providers.hpp"
#include "coordinator/views/live_gates.hpp"
#include "coordinator/views/live_view.hpp"
#include "coordinator/views/sample_view.hpp"
#include "coordinator/views/text_page.hpp"

#include <charconv>
#include <functional>
#include <limits>
#include <utility>

namespace evalfleet::api {

namespace asio = boost::asio;

namespace {

using access::Role;
using Hold = records::TrialShelf::Hold;

constexpr std::uint64_t kMaxFileBytes = std::uint64_t{64} * 1024 * 1024;

/// JSON out of a run's trials.
using Work = std::function<Result<std::string>(const RunView&, Hold&)>;

asio::awaitable<http::Reply> show(TrialServices& services, std::string id, Work work) {
    const auto view = co_await find_run(services.services, id);
    if (!view) co_return not_found("run", id);
    auto make = [&view, &work](Hold& hold) { return work(*view, hold); };
    const auto text = co_await with_trials(services, *view, make);
    if (!text) co_return failure(text.error());
    co_return http::Reply::json(*text);
}

asio::awaitable<http::Reply> show_trials(TrialServices& services, Call& call) {
    QueryReader query(call.request.query);
    auto request = read_trial_page(query);
    if (auto refusal = query.refusal()) co_return std::move(*refusal);
    Work work = [request = std::move(request)](const RunView&, Hold& hold) {
        return views::blocking_trial_page(hold, request);
    };
    co_return co_await show(services, call.request.parameter("id"), std::move(work));
}

Result<job::RunMetadata> blocking_metadata(const store::RunFolder& folder) {
    const auto text = files::blocking_read_file(folder.file("run.json"), kMaxFileBytes);
    if (!text) return text.error();
    return job::parse_run_metadata(*text);
}

std::filesystem::path review_file(const Services& services, const std::string& run_id) {
    return services.catalog.folder(run_id).file(job::kReviewsName);
}

std::optional<std::uint32_t> read_index(std::string_view text) {
    std::uint32_t index = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return index;
}

asio::awaitable<http::Reply> show_sample(TrialServices& services, Call& call) {
    const auto index = read_index(call.request.parameter("index"));
    if (!index) co_return not_found("sample", call.request.parameter("index"));
    Work work = [&services = services.services, index = *index](const RunView& view,
                                                                Hold& hold) -> Result<std::string> {
        const std::string& id = view.facts.run_id;
        auto metadata = blocking_metadata(services.catalog.folder(id));
        if (!metadata) return metadata.error();
        views::SampleContext context{std::move(*metadata)};
        auto reviews = views::blocking_read_reviews(review_file(services, id));
        if (reviews) context.reviews = std::move(*reviews);
        auto known = runs::blocking_read_operator_providers(services.providers_file);
        if (known) context.providers = std::move(*known);
        return views::blocking_sample_json(hold, index, context);
    };
    co_return co_await show(services, call.request.parameter("id"), std::move(work));
}

// Who makes the calls wait.
void write_throttles(json::Writer& writer, const runs::PoolWatch::View& pool) {
    writer.key("throttled_by").begin_array();
    for (const queue::LimitStats& limit : pool.limits) {
        const runs::RecentRefusals::Figures recent = pool.refusals.of(limit.key);
        if (recent.calls == 0 && limit.unmet == 0 && limit.paused.count() <= 0) continue;
        writer.begin_object()
            .member("provider", limit.key)
            .member("refused", limit.refused)
            .member("refused_recently", recent.calls)
            .member("recent_s", recent.span.count())
            .member("limit", limit.calls)
            .member("per_second", limit.rate)
            .member("in_use", limit.running)
            .member("waiting", limit.unmet)
            .member("paused_s", std::chrono::duration<double>(limit.paused).count())
            .member("reason", limit.reason)
            .end_object();
    }
    writer.end_array();
}

void write_flow(json::Writer& writer, const Services& services, const RunView& view) {
    writer.key("flow")
        .begin_object()
        .member("in_flight", view.progress.in_flight)
        .member("waiting", view.progress.waiting)
        .member("retrying", view.progress.retrying)
        .member("queued", view.progress.queued);
    if (view.is_over())
        writer.key("throttled_by").begin_array().end_array();
    else
        write_throttles(writer, services.pool_watch.view());
    writer.end_object();
}

// Its trials go out in random order then.
bool blocking_may_end_early(const store::RunFolder& folder) {
    const auto text = files::blocking_read_file(folder.spec(), kMaxFileBytes);
    if (!text) return false;
    const auto spec = job::parse_run_spec(*text);
    return spec && spec->early_stop == job::EarlyStop::gates;
}

// As the summary says once there is one.
views::LiveGates blocking_gates(const store::RunFolder& folder, const RunView& view,
                                const job::RunMetadata& metadata, Hold& hold) {
    if (view.has_results()) {
        const auto text = files::blocking_read_file(folder.file("summary.json"), kMaxFileBytes);
        const auto summary =
            text ? json::Document::parse(*text) : Result<json::Document>(text.error());
        if (summary) {
            if (const auto gates = views::gates_of_summary(summary->root())) return *gates;
        }
    }
    const views::LiveRun run{.run_id = view.facts.run_id,
                             .samples = static_cast<std::uint64_t>(metadata.sample_count),
                             .repeats = static_cast<std::uint64_t>(metadata.repeats),
                             .is_shuffled = blocking_may_end_early(folder)};
    return views::gates_so_far(hold.table(), metadata.policy.gates, run);
}

asio::awaitable<http::Reply> show_live(TrialServices& services, Call& call) {
    Work work = [&services = services.services](const RunView& view,
                                                Hold& hold) -> Result<std::string> {
        const store::RunFolder folder = services.catalog.folder(view.facts.run_id);
        const auto metadata = blocking_metadata(folder);
        if (!metadata) return metadata.error();
        std::string text;
        json::Writer writer(text);
        writer.begin_object().member("state", to_string(view.progress.phase));
        views::write(writer, blocking_gates(folder, view, *metadata, hold));
        views::write_outcomes(writer, hold.table());
        write_flow(writer, services, view);
        writer.end_object();
        return text;
    };
    co_return co_await show(services, call.request.parameter("id"), std::move(work));
}

asio::awaitable<http::Reply> show_texts(TrialServices& services, Call& call) {
    QueryReader query(call.request.query);
    const views::TextPageRequest request{
        query.number("first", 0, 0, std::numeric_limits<std::uint32_t>::max()),
        static_cast<std::size_t>(query.number("limit", 100, 1, 1000))};
    if (auto refusal = query.refusal()) co_return std::move(*refusal);
    Work work = [&services = services.services, request](const RunView& view,
                                                         Hold& hold) -> Result<std::string> {
        const auto metadata = blocking_metadata(services.catalog.folder(view.facts.run_id));
        if (!metadata) return metadata.error();
        return views::blocking_text_page(hold, *metadata, request);
    };
    co_return co_await show(services, call.request.parameter("id"), std::move(work));
}

asio::awaitable<http::Reply> show_timeline(TrialServices& services, Call& call) {
    Work work = [](const RunView&, Hold& hold) -> Result<std::string> {
        return views::timeline_json(hold.table());
    };
    co_return co_await show(services, call.request.parameter("id"), std::move(work));
}

asio::awaitable<http::Reply> show_reviews(Services& services, Call& call, bool as_file) {
    const std::string id = call.request.parameter("id");
    const auto view = co_await find_run(services, id);
    if (!view) co_return not_found("run", id);
    auto read = [&services, &id] {
        return views::blocking_read_reviews(review_file(services, id));
    };
    const auto reviews = co_await services.quick_pool.run(read);
    if (!reviews) co_return failure(reviews.error());
    if (!as_file) co_return http::Reply::json(views::reviews_json(*reviews));
    http::Reply reply = http::Reply::text(views::labels_file(*reviews));
    reply.headers.set("Content-Type", "application/x-ndjson");
    co_return reply;
}

// Fills in what the judge said of the trial; nobody can review what is not there.
Status blocking_complete(Hold& hold, views::Review& review) {
    for (const records::TrialEntry& trial : hold.table().of_sample(review.sample_index)) {
        if (trial.repeat != review.repeat) continue;
        const auto score = [](std::uint8_t given) {
            return given > 2 ? std::nullopt : std::optional<int>(given);
        };
        review.judge_accuracy = score(trial.accuracy);
        review.judge_faithfulness = score(trial.faithfulness);
        if (review.agrees || !review.accuracy) review.accuracy = review.judge_accuracy;
        if (review.agrees || !review.faithfulness) review.faithfulness = review.judge_faithfulness;
        auto texts = records::RecordText::blocking_open(hold.table());
        if (!texts) return texts.error();
        const auto line = texts->blocking_read(trial);
        if (!line) return line.error();
        const auto record = json::Document::parse(*line);
        if (!record) return record.error();
        const auto sample_id = record->root().get_or<std::string>(
            "sample_id", std::to_string(review.sample_index + 1));
        if (!sample_id) return sample_id.error();
        review.sample_id = *sample_id;
        return {};
    }
    return Error{ErrorKind::not_found, "the run has no such trial"};
}

asio::awaitable<http::Reply> add_review(TrialServices& services, Call& call) {
    const std::string id = call.request.parameter("id");
    const auto body = co_await call.request.body->read_all();
    if (!body) co_return http::to_problem(body.error()).to_reply();
    const auto document = json::Document::parse(*body);
    if (!document) co_return field_problem(422, "body", document.error().message);
    auto review = views::read_review(document->root());
    if (!review) co_return failure(review.error());
    review->by = call.caller.name;
    review->at = log::format_utc(services.services.clock.utc_now());
    Work work = [&services = services.services, &review](const RunView& view,
                                                         Hold& hold) -> Result<std::string> {
        if (const Status complete = blocking_complete(hold, *review); !complete)
            return complete.error();
        const Status kept =
            views::blocking_append_review(review_file(services, view.facts.run_id), *review);
        if (!kept) return kept.error();
        std::string text;
        json::Writer writer(text);
        views::write(writer, *review);
        return text;
    };
    http::Reply reply = co_await show(services, id, std::move(work));
    if (reply.status == 200) reply.status = 201;
    co_return reply;
}

std::vector<Answer> answers_of(std::string description, std::string schema) {
    return {{200, std::move(description), std::move(schema)},
            {404, "there is no such run", "Problem"},
            {413, "the run has too many trials to be listed here", "Problem"}};
}

std::vector<Parameter> trial_parameters() {
    const std::string boolean = R"({"type":"boolean"})";
    const std::string number = R"({"type":"number","minimum":0})";
    const std::string texts = R"({"type":"array","items":{"type":"string"}})";
    return {{"passed", "by the Rubric's condition", boolean},
            {"spec_passed", "by the Specification's", boolean},
            {"failure_label", "one or more, separated by commas; none: without one"},
            {"score", "of accuracy: 0, 1, 2 or none, separated by commas"},
            {"task_type", "of this type; may be repeated", texts},
            {"tag", "key:value; may be repeated: all must be there", texts},
            {"error_kind", "one or more, separated by commas; none: without one"},
            {"latency_min_ms", "end to end", number},
            {"latency_max_ms", "end to end", number},
            {"cost_min", "in USD, of model and judge", number},
            {"cost_max", "in USD, of model and judge", number},
            {"repeats_disagree", "some repeats of the sample passed and others did not", boolean},
            {"judge_retried", "the judge was asked more than once", boolean},
            {"q", "occurs in task, answer, rationale or sample_id, in either case"},
            {"sort", "by what", R"({"enum":["index","latency","cost","score","tokens"]})"},
            {"order", "which way", R"({"enum":["asc","desc"]})"},
            {"offset", "place in the list of what fits the filters, q aside",
             R"({"type":"integer","minimum":0})"},
            {"limit", "at most so many",
             R"({"type":"integer","minimum":1,"maximum":500,"default":50})"},
            {"facets", "count the values of each filter", boolean}};
}

void add_review_routes(RouteTable& table, TrialServices& services) {
    table.add({.method = "POST",
               .pattern = "/api/v1/runs/{id}/labels",
               .id = "add_label",
               .section = "Review",
               .summary = "Agrees with the judge of a trial, or says otherwise",
               .role = Role::submitter,
               .works_in_view = true,
               .body_type = "application/json",
               .body_schema = "NewLabel",
               .answers = {{201, "it is kept", "Label"},
                           {404, "there is no such run or trial", "Problem"},
                           {422, "a field is wrong", "Problem"},
                           {507, "the disk is full", "Problem"}}},
              [&services](Call& call) { return add_review(services, call); });
    table.add({.method = "GET",
               .pattern = "/api/v1/runs/{id}/labels",
               .id = "list_labels",
               .section = "Review",
               .summary = "What people said of the judge's scores, and how both agree",
               .answers = {{200, "the labels, the oldest first, and Cohen's kappa", "Labels"},
                           {404, "there is no such run", "Problem"}}},
              [&services](Call& call) { return show_reviews(services.services, call, false); });
    table.add({.method = "GET",
               .pattern = "/api/v1/runs/{id}/labels.jsonl",
               .id = "export_labels",
               .section = "Review",
               .summary = "The same as a file of manual labels, for derive --labels",
               .answers = {{200, "a label a line", "", "application/x-ndjson"},
                           {404, "there is no such run", "Problem"}}},
              [&services](Call& call) { return show_reviews(services.services, call, true); });
}

}  // namespace

void add_view_routes(RouteTable& table, TrialServices& services) {
    table.add({.method = "GET",
               .pattern = "/api/v1/runs/{id}/trials",
               .id = "list_trials",
               .section = "Trials",
               .summary = "Trials to filter, sort, count and search, also while the run goes on",
               .query = trial_parameters(),
               .answers = answers_of("a page of trials", "TrialPage")},
              [&services](Call& call) { return show_trials(services, call); });
    table.add({.method = "GET",
               .pattern = "/api/v1/runs/{id}/samples/{index}",
               .id = "get_sample",
               .section = "Trials",
               .summary = "One sample: its text, the prompt, all repeats, what people said",
               .answers = answers_of("the sample", "SampleDetail")},
              [&services](Call& call) { return show_sample(services, call); });
    const std::string number = R"({"type":"integer","minimum":0})";
    table.add({.method = "GET",
               .pattern = "/api/v1/runs/{id}/texts",
               .id = "list_texts",
               .section = "Trials",
               .summary = "Question, context, reference and prompt by sample",
               .query = {{"first", "from this sample on", number},
                         {"limit", "of so many samples at most",
                          R"({"type":"integer","minimum":1,"maximum":1000,"default":100})"}},
               .answers = answers_of("a page of texts", "TextPage")},
              [&services](Call& call) { return show_texts(services, call); });
    table.add({.method = "GET",
               .pattern = "/api/v1/runs/{id}/live",
               .id = "get_live",
               .section = "Trials",
               .summary = "The gates as they form, and what is under way",
               .answers = answers_of("the gates", "Live")},
              [&services](Call& call) { return show_live(services, call); });
    table.add({.method = "GET",
               .pattern = "/api/v1/runs/{id}/timeline",
               .id = "get_timeline",
               .section = "Trials",
               .summary = "Throughput, latency and errors over time",
               .answers = answers_of("at most 240 points", "Timeline")},
              [&services](Call& call) { return show_timeline(services, call); });
    add_review_routes(table, services);
}

}  // namespace evalfleet::api
