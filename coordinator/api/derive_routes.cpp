#include "coordinator/api/derive_routes.hpp"

#include "common/job/judge_json.hpp"
#include "common/job/policy_json.hpp"
#include "common/json/document.hpp"
#include "coordinator/api/idempotency.hpp"
#include "coordinator/api/replies.hpp"
#include "coordinator/api/submission_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace evalfleet::api {

namespace asio = boost::asio;

namespace {

using access::Role;

// Labels are some hundred bytes each.
constexpr std::uint64_t kMaxBodyBytes = std::uint64_t{32} * 1024 * 1024;

Status read_judge(json::Value value, runs::Rejudgement& rejudgement) {
    auto judge = job::read_judge_spec(value);
    if (!judge) return judge.error();
    rejudgement.judge = std::move(*judge);
    return {};
}

Status read_labels(json::Value value, runs::Rejudgement& rejudgement) {
    const auto object = value.as_object();
    if (!object) return object.error();
    runs::GivenLabels labels;
    for (const auto& [key, member] : *object) {
        if (key != "text" && key != "version")
            return value.error("unknown key \"" + std::string(key) + "\"; allowed: text, version");
        auto text = member.as<std::string>();
        if (!text) return text.error();
        if (key == "version" && (text->empty() || text->size() > 256))
            return member.unexpected("1 to 256 bytes");
        (key == "text" ? labels.text : labels.version) = std::move(*text);
    }
    if (labels.text.empty()) return value.error("has no text, which is to be JSON Lines");
    rejudgement.labels = std::move(labels);
    return {};
}

Status read_policy(json::Value value, runs::Rejudgement& rejudgement) {
    auto policy = job::read_policy(value);
    if (!policy) return policy.error();
    rejudgement.policy = std::move(*policy);
    return {};
}

Status read_name(json::Value value, runs::Rejudgement& rejudgement) {
    auto name = value.as<std::string>();
    if (!name) return name.error();
    if (name->empty() || name->size() > 256) return value.unexpected("1 to 256 bytes");
    rejudgement.name = std::move(*name);
    return {};
}

Status read_redacted(json::Value value, runs::Rejudgement& rejudgement) {
    const auto redacted = value.as_bool();
    if (!redacted) return redacted.error();
    rejudgement.redacted = *redacted;
    return {};
}

Result<runs::Rejudgement> read_rejudgement(std::string_view body) {
    const auto document = json::Document::parse(body);
    if (!document) return document.error();
    const auto object = document->root().as_object();
    if (!object) return object.error();
    runs::Rejudgement rejudgement;
    for (const auto& [key, value] : *object) {
        Status read = document->root().error("unknown key \"" + std::string(key) +
                                             "\"; allowed: judge, labels, policy, name, redacted");
        if (key == "judge") read = read_judge(value, rejudgement);
        if (key == "labels") read = read_labels(value, rejudgement);
        if (key == "policy") read = read_policy(value, rejudgement);
        if (key == "name") read = read_name(value, rejudgement);
        if (key == "redacted") read = read_redacted(value, rejudgement);
        if (!read) return read.error();
    }
    return rejudgement;
}

Status blocking_check_provider(const Services& services, const runs::Rejudgement& rejudgement) {
    const auto names = blocking_provider_names(services);
    if (!names) return names.error();
    if (!rejudgement.judge || names->empty()) return {};
    const std::string& provider = rejudgement.judge->model.provider;
    if (std::find(names->begin(), names->end(), provider) != names->end()) return {};
    return Error{
        ErrorKind::invalid,
        fmt::format("judge.provider: found \"{}\", which the operator's providers do not have; "
                    "allowed: {}",
                    provider, fmt::join(*names, ", "))};
}

// "judge.name: expected ..." is a fault of the field `judge.name`.
http::Reply body_problem(const Error& error) {
    const auto colon = error.message.find(": ");
    const std::string field = error.message.substr(0, colon);
    const bool is_path =
        colon != std::string::npos &&
        field.find_first_not_of("abcdefghijklmnopqrstuvwxyz_.[]0123456789") == std::string::npos;
    if (!is_path) return failure(error);
    return field_problem(422, field, error.message.substr(colon + 2));
}

asio::awaitable<http::Reply> rejudge(Services& services, Call& call) {
    const auto body = co_await call.request.body->read_all();
    if (!body) co_return http::to_problem(body.error()).to_reply();
    auto key = read_key(call, *body);
    if (!key) co_return field_problem(400, "Idempotency-Key", key.error().message);
    auto rejudgement = read_rejudgement(*body);
    if (!rejudgement) co_return body_problem(rejudgement.error());
    auto check = [&] { return blocking_check_provider(services, *rejudgement); };
    const Status known = co_await services.quick_pool.run(check);
    if (!known) co_return body_problem(known.error());
    const auto result = co_await services.registry.rejudge(
        call.request.parameter("id"), std::move(*rejudgement), std::move(*key));
    if (!result && result.error().kind == ErrorKind::invalid)
        co_return body_problem(result.error());
    if (!result) co_return failure(result.error());
    call.made = result->run_ids;
    co_return submitted_reply(*result);
}

asio::awaitable<http::Reply> retry(Services& services, Call& call) {
    const auto body = co_await call.request.body->read_all();
    if (!body) co_return http::to_problem(body.error()).to_reply();
    auto key = read_key(call, "");
    if (!key) co_return field_problem(400, "Idempotency-Key", key.error().message);
    const auto result =
        co_await services.registry.retry(call.request.parameter("id"), std::move(*key));
    if (!result) co_return failure(result.error());
    call.made = result->run_ids;
    co_return submitted_reply(*result);
}

std::vector<Answer> derive_answers() {
    return {{201, "the run was made", "Submitted"},
            {200, "an earlier call with this key made it", "Submitted"},
            {404, "there is no such run", "Problem"},
            {409, "the run is not over", "Problem"},
            {422, "there is nothing to do, or the request is wrong", "Problem"}};
}

}  // namespace

void add_derive_routes(RouteTable& table, Services& services) {
    table.add(
        {.method = "POST",
         .pattern = "/api/v1/runs/{id}/rejudge",
         .id = "rejudge_run",
         .section = "Runs",
         .summary =
             "A new run from the stored answers, with another judge or policy, or people's scores",
         .role = Role::submitter,
         .headers = {key_parameter()},
         .body_type = "application/json",
         .body_schema = "Rejudgement",
         .answers = derive_answers(),
         .max_body_bytes = kMaxBodyBytes},
        [&services](Call& call) { return rejudge(services, call); });
    table.add({.method = "POST",
               .pattern = "/api/v1/runs/{id}/retry",
               .id = "retry_run",
               .section = "Runs",
               .summary = "A new run of the trials that failed for infrastructure reasons",
               .role = Role::submitter,
               .headers = {key_parameter()},
               .answers = derive_answers()},
              [&services](Call& call) { return retry(services, call); });
}

}  // namespace evalfleet::api
