#include "coordinator/api/submit_routes.hpp"

#include "coordinator/api/idempotency.hpp"
#include "coordinator/api/replies.hpp"
#include "coordinator/api/submission_reader.hpp"

#include <utility>

namespace evalfleet::api {

namespace asio = boost::asio;

namespace {

using access::Role;

// A run file, and what its data set is called once it was uploaded.
constexpr std::uint64_t kMaxBodyBytes = runfile::kMaxRunFileBytes + std::uint64_t{64} * 1024;

bool is_json(const http::RequestContext& request, std::string_view body) {
    const auto type = request.headers.find("Content-Type");
    if (type && type->find("yaml") != std::string_view::npos) return false;
    const auto first = body.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && body[first] == '{';
}

asio::awaitable<http::Reply> submit(Services& services, Call& call) {
    const auto body = co_await call.request.body->read_all();
    if (!body) co_return http::to_problem(body.error()).to_reply();
    auto key = read_key(call, *body);
    if (!key) co_return field_problem(400, "Idempotency-Key", key.error().message);
    // What was taken in before is not checked again: the world may have changed since.
    if (*key) {
        const auto earlier = services.registry.find_earlier(**key);
        if (!earlier) co_return failure(earlier.error());
        if (*earlier) co_return submitted_reply(**earlier);
    }
    auto read = [&] {
        return blocking_read_submission(services, *body, is_json(call.request, *body));
    };
    async::HeavyPool::Job job{"submissions of " + call.caller.name};
    auto spec = co_await services.request_pool.run(std::move(job), read);
    if (!spec) co_return failure(spec.error());
    if (!*spec) co_return faults_problem("run file", spec->error());
    const auto result = co_await services.registry.submit(std::move(**spec), std::move(*key));
    if (!result) co_return failure(result.error());
    call.made = result->run_ids;
    auto note = [&services, &result, by = call.caller.name] {
        for (const std::string& id : result->run_ids)
            services.catalog.blocking_note_submitter(id, by);
    };
    if (!result->is_replay) co_await services.quick_pool.run(note);
    co_return submitted_reply(*result);
}

}  // namespace

void add_submit_routes(RouteTable& table, Services& services) {
    table.add(
        {.method = "POST",
         .pattern = "/api/v1/runs",
         .id = "submit_run",
         .section = "Runs",
         .summary = "Checks a run file, and starts its runs if nothing is wrong with it",
         .role = Role::submitter,
         .headers = {key_parameter()},
         .body_type = "application/yaml",
         .body_schema = "RunFile",
         .answers = {{201, "the runs were made", "Submitted"},
                     {200, "an earlier call with this key made them", "Submitted"},
                     {413, "the run file is too large", "Problem"},
                     {422, "the run file is wrong, or the key was used for another", "Problem"},
                     {507, "the disk is full", "Problem"}},
         .max_body_bytes = kMaxBodyBytes},
        [&services](Call& call) { return submit(services, call); });
}

}  // namespace evalfleet::api
