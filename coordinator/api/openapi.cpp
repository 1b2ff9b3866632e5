#include "coordinator/api/openapi.hpp"

#include "common/json/writer.hpp"
#include "common/version/version.hpp"
#include "coordinator/api/schemas.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace evalfleet::api {

namespace asio = boost::asio;

namespace {

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return text;
}

std::string reference(const std::string& schema) {
    return R"({"$ref":"#/components/schemas/)" + schema + R"("})";
}

void write_parameter(json::Writer& writer, const Parameter& parameter, std::string_view in) {
    writer.begin_object()
        .member("name", parameter.name)
        .member("in", in)
        .member("required", parameter.required)
        .member("description", parameter.description)
        .key("schema")
        .raw(parameter.schema)
        .end_object();
}

// The names in braces of a pattern.
std::vector<std::string> path_names(std::string_view pattern) {
    std::vector<std::string> names;
    for (auto open = pattern.find('{'); open != std::string_view::npos;
         open = pattern.find('{', open + 1)) {
        const auto close = pattern.find('}', open);
        names.emplace_back(pattern.substr(open + 1, close - open - 1));
        if (names.back().ends_with('*')) names.back().pop_back();
    }
    return names;
}

/// What a name in the path is of: the segment before it says.
std::string meaning_of(const std::string& pattern, const std::string& name) {
    const auto at = pattern.find("/{" + name);
    const auto begin = pattern.rfind('/', at - 1);
    if (at == std::string::npos || begin == std::string::npos) return name;
    return name + " of one of the " + pattern.substr(begin + 1, at - begin - 1);
}

void write_parameters(json::Writer& writer, const RouteSpec& spec) {
    writer.key("parameters").begin_array();
    for (const std::string& name : path_names(spec.pattern)) {
        const std::string meaning = meaning_of(spec.pattern, name);
        write_parameter(writer, {name, meaning, R"({"type":"string"})", true}, "path");
    }
    for (const Parameter& parameter : spec.query)
        write_parameter(writer, parameter, "query");
    for (const Parameter& parameter : spec.headers)
        write_parameter(writer, parameter, "header");
    writer.end_array();
}

void write_media(json::Writer& writer, const std::string& type, const std::string& schema) {
    writer.key(type).begin_object();
    if (!schema.empty()) writer.key("schema").raw(reference(schema));
    writer.end_object();
}

void write_content(json::Writer& writer, const std::string& type, const std::string& schema) {
    writer.key("content").begin_object();
    write_media(writer, type, schema);
    writer.end_object();
}

// Whoever takes YAML takes JSON of the same shape.
void write_body(json::Writer& writer, const RouteSpec& spec) {
    writer.key("requestBody").begin_object().member("required", true);
    writer.key("content").begin_object();
    write_media(writer, spec.body_type, spec.body_schema);
    if (spec.body_type == "application/yaml")
        write_media(writer, "application/json", spec.body_schema);
    writer.end_object().end_object();
}

void write_answers(json::Writer& writer, const RouteSpec& spec) {
    std::vector<Answer> answers = spec.answers;
    if (spec.role) {
        answers.push_back({401, "a known token is needed", "Problem"});
        answers.push_back({403, "the token's role is not enough", "Problem"});
    }
    if (!spec.query.empty() || !spec.body_type.empty())
        answers.push_back({400, "a parameter or the body is wrong", "Problem"});
    answers.push_back({429, "too many requests; Retry-After says when to come back", "Problem"});
    writer.key("responses").begin_object();
    std::vector<int> written;
    for (const Answer& answer : answers) {
        if (std::find(written.begin(), written.end(), answer.status) != written.end()) continue;
        written.push_back(answer.status);
        writer.key(std::to_string(answer.status)).begin_object();
        writer.member("description", answer.description);
        const bool is_problem = answer.schema == "Problem";
        if (answer.status != 204)
            write_content(writer, is_problem ? "application/problem+json" : answer.content_type,
                          answer.schema);
        writer.end_object();
    }
    writer.key("default").begin_object().member("description", "any other failure");
    write_content(writer, "application/problem+json", "Problem");
    writer.end_object().end_object();
}

void write_operation(json::Writer& writer, const RouteSpec& spec) {
    writer.key(lower(spec.method)).begin_object();
    writer.member("operationId", spec.id).member("summary", spec.summary);
    writer.key("tags").begin_array().value(spec.section).end_array();
    writer.member("x-role", spec.role ? std::string(to_string(*spec.role)) : std::string("none"));
    writer.key("security").begin_array();
    if (spec.role) writer.begin_object().key("token").begin_array().end_array().end_object();
    writer.end_array();
    write_parameters(writer, spec);
    if (!spec.body_type.empty()) write_body(writer, spec);
    write_answers(writer, spec);
    writer.end_object();
}

asio::awaitable<http::Reply> show_json(const RouteTable& table) {
    co_return http::Reply::json(openapi_json(table));
}

asio::awaitable<http::Reply> show_page(const RouteTable& table) {
    co_return http::Reply::html(api_page(table));
}

}  // namespace

std::string described_path(std::string pattern) {
    std::erase(pattern, '*');
    return pattern;
}

std::string openapi_json(const RouteTable& table) {
    std::map<std::string, std::vector<const RouteSpec*>> paths;
    for (const RouteTable::Route& route : table.routes())
        paths[route.spec.pattern].push_back(&route.spec);
    std::string text;
    json::Writer writer(text);
    writer.begin_object().member("openapi", "3.1.0").key("info").begin_object();
    writer.member("title", "evalfleet coordinator").member("version", build_info().version);
    writer.member("description",
                  "Submit, watch and compare evaluation runs. docs/api.md says more.");
    writer.key("license")
        .begin_object()
        .member("name", "Apache 2.0")
        .member("identifier", "Apache-2.0")
        .end_object();
    writer.end_object().key("servers").raw(R"([{"url":"/","description":"this coordinator"}])");
    writer.key("paths").begin_object();
    for (const auto& [pattern, specs] : paths) {
        writer.key(described_path(pattern)).begin_object();
        for (const RouteSpec* spec : specs)
            write_operation(writer, *spec);
        writer.end_object();
    }
    writer.end_object().key("components").begin_object();
    writer.key("securitySchemes")
        .raw(R"({"token":{"type":"http","scheme":"bearer"}})")
        .key("schemas")
        .raw(schemas_json())
        .end_object()
        .end_object();
    return text;
}

void add_description_routes(RouteTable& table) {
    table.add({.method = "GET",
               .pattern = "/api/v1/openapi.json",
               .id = "get_openapi",
               .section = "About",
               .summary = "This API, as OpenAPI 3.1",
               .role = std::nullopt,
               .needs_store = false,
               .answers = {{200, "the document"}}},
              [&table](Call&) { return show_json(table); });
    table.add({.method = "GET",
               .pattern = "/api",
               .id = "get_api_page",
               .section = "About",
               .summary = "This API, for people",
               .role = std::nullopt,
               .needs_store = false,
               .answers = {{200, "a page", "", "text/html; charset=utf-8"}}},
              [&table](Call&) { return show_page(table); });
}

}  // namespace evalfleet::api
