#include "common/files/atomic_file.hpp"
#include "common/files/file.hpp"
#include "common/job/run_metadata.hpp"
#include "common/json/document.hpp"
#include "common/scoring/cost.hpp"
#include "tests/support/coordinator_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace evalfleet {
namespace {

using testing::Answer;
using testing::CoordinatorProcess;
using ::testing::HasSubstr;
using ::testing::Not;

std::string text(const Answer& answer, std::string_view member) {
    const auto document = json::Document::parse(answer.body);
    if (!document) return "no JSON: " + answer.body;
    const auto value = document->root().optional<std::string>(member);
    return value && *value ? **value : "";
}

// "field: message" of each error.
std::vector<std::string> errors(const Answer& answer) {
    std::vector<std::string> all;
    const auto document = json::Document::parse(answer.body);
    if (!document) return all;
    const auto list = document->root().get<json::Array>("errors");
    if (!list) return all;
    for (const json::Value error : *list)
        all.push_back(*error.get_or<std::string>("field", "") + ": " +
                      error.get<std::string>("message").value());
    return all;
}

std::vector<std::string> listed(const Answer& answer) {
    std::vector<std::string> ids;
    const auto document = json::Document::parse(answer.body);
    if (!document) return ids;
    const auto runs = document->root().get<json::Array>("runs").value();
    for (const json::Value run : runs)
        ids.push_back(run.get<std::string>("name").value());
    return ids;
}

TEST(Api, KeepsAnUploadedDatasetOnce) {
    const CoordinatorProcess coordinator;
    const std::string content = "{\"task\":\"one\"}\n";
    const auto put = [&](const std::string& query, const std::string& body) {
        return coordinator.call("PUT", "/api/v1/datasets/qa" + query, body);
    };
    const Answer first = put("?version=v1", content);
    EXPECT_EQ(first.status, 201) << first.body;
    const std::string hash = text(first, "hash");
    EXPECT_EQ(hash.size(), 64U);
    EXPECT_EQ(put("?version=v1", content).status, 200);
    EXPECT_EQ(put("?version=v1&hash=" + hash, content).status, 200);
    EXPECT_EQ(put("?version=v1", "{\"task\":\"two\"}\n").status, 409);
    EXPECT_EQ(put("?hash=" + hash, "{\"task\":\"two\"}\n").status, 422);
    const Answer bad = put("", "{\"task\":\"one\"}\n{\"tusk\":1}\n");
    EXPECT_EQ(bad.status, 422);
    EXPECT_THAT(bad.body, HasSubstr("\"line\":2"));
    EXPECT_EQ(text(coordinator.get("/api/v1/datasets/qa"), "id"), "qa");
    EXPECT_EQ(coordinator.get("/api/v1/datasets/none").status, 404);
    EXPECT_THAT(coordinator.get("/api/v1/datasets").body, HasSubstr(hash));
}

TEST(Api, TakesNoDatasetThatIsTooLarge) {
    const CoordinatorProcess coordinator({"--max-dataset-bytes", "64KiB"});
    const std::string large = "{\"task\":\"" + std::string(100'000, 'x') + "\"}\n";
    EXPECT_EQ(coordinator.call("PUT", "/api/v1/datasets/qa", large).status, 413);
    EXPECT_EQ(coordinator.get("/api/v1/datasets/qa").status, 404);
}

TEST(Api, NamesEveryFieldThatIsWrongAndStartsNothing) {
    const CoordinatorProcess coordinator;
    coordinator.put_dataset();
    const auto submit = [&](const std::string& body) {
        return coordinator.call("POST", "/api/v1/runs", body);
    };
    const Answer provider = submit(
        "version: 1\nname: t\ndataset: {id: qa}\n"
        "model: {provider: mian, name: m, version: \"1\"}\n"
        "judge: {provider: nobody, name: j, version: \"1\"}\n");
    EXPECT_EQ(provider.status, 422);
    EXPECT_EQ(provider.header("Content-Type"), "application/problem+json");
    EXPECT_THAT(errors(provider),
                ::testing::ElementsAre(HasSubstr("model.provider: found \"mian\""),
                                       HasSubstr("judge.provider: found \"nobody\"")));
    const Answer own = submit(CoordinatorProcess::run_file(
        "t", "providers: {main: {type: openai, base_url: \"http://evil.example\"}}\n"));
    EXPECT_EQ(own.status, 422);
    EXPECT_THAT(own.body, HasSubstr("belong to its operator"));
    EXPECT_THAT(errors(submit(CoordinatorProcess::run_file("t", "repeats: 0\n"))).front(),
                HasSubstr("repeats"));
    EXPECT_THAT(errors(submit(CoordinatorProcess::run_file("t", "rejudged_from: x\n"))).front(),
                HasSubstr("rejudged_from"));
    EXPECT_EQ(submit("{\"version\": 1,").status, 422);
    EXPECT_EQ(submit("").status, 422);
    EXPECT_THAT(coordinator.get("/api/v1/runs").body, HasSubstr("\"total\":0"));
}

TEST(Api, RefusesAModelThatItsProvidersTypeCallsFloating) {
    const CoordinatorProcess coordinator;
    coordinator.put_dataset();
    const auto submit = [&](const std::string& model) {
        return coordinator.call("POST", "/api/v1/runs",
                                "version: 1\nname: t\ndataset: {id: qa}\nmodel: " + model +
                                    "\njudge: {provider: main, name: j, version: \"1\"}\n");
    };
    const Answer floating = submit("{provider: main, name: gpt-4o, version: \"1\"}");
    EXPECT_EQ(floating.status, 422);
    EXPECT_THAT(errors(floating), ::testing::ElementsAre(HasSubstr("model.version: ")));
    const Answer plain = submit("{provider: main, name: gpt-4o}");
    EXPECT_EQ(plain.status, 422);
    EXPECT_THAT(errors(plain), ::testing::ElementsAre(HasSubstr("model: ")));
    EXPECT_EQ(submit("{provider: main, name: gpt-4o-2024-08-06}").status, 201);
}

TEST(Api, RefusesALimitOfCostForAProviderWithoutPrices) {
    const CoordinatorProcess coordinator;
    coordinator.put_dataset();
    const auto submit = [&](const std::string& judge) {
        return coordinator.call("POST", "/api/v1/runs",
                                "version: 1\nname: t\ndataset: {id: qa}\n"
                                "model: {provider: main, name: m, version: \"1\"}\n"
                                "limits: {max_cost_usd: 5}\njudge: {provider: " +
                                    judge + ", name: j, version: \"1\"}\n");
    };
    const Answer refused = submit("other");
    EXPECT_EQ(refused.status, 422);
    EXPECT_THAT(errors(refused), ::testing::ElementsAre(HasSubstr("limits.max_cost_usd: ")));
    EXPECT_EQ(submit("main").status, 201);
}

TEST(Api, WritesTheLabelOfTheKeyAndTheMethodOfSavingsIntoTheRunsMetadata) {
    const CoordinatorProcess coordinator;
    coordinator.put_dataset();
    const Answer made = coordinator.call("POST", "/api/v1/runs", CoordinatorProcess::run_file());
    ASSERT_EQ(made.status, 201) << made.body;
    const auto runs = std::filesystem::directory_iterator(coordinator.store() / "runs");
    const auto file = begin(runs)->path() / "run.json";
    const auto metadata = job::parse_run_metadata(files::blocking_read_file(file, 1 << 20).value());
    ASSERT_TRUE(metadata);
    EXPECT_EQ(metadata->api_key_id, "main-label");
    EXPECT_EQ(metadata->cache_savings_method, scoring::kCacheSavingsMethod);
    EXPECT_TRUE(metadata->pinned);
}

TEST(Api, ShowsTheJudgeWholeChatsUnlessTheRunFileSaysOtherwise) {
    const CoordinatorProcess coordinator;
    const auto profile_of = [&](const std::string& lines, const std::string& judge = "") {
        files::blocking_write_atomically(coordinator.data() / "d.jsonl", lines).value();
        const Answer made = coordinator.call("POST", "/api/v1/runs",
                                             "version: 1\nname: t\ndataset: {path: d.jsonl}\n"
                                             "model: {provider: main, name: m, version: \"1\"}\n"
                                             "judge: {provider: main, name: j, version: \"1\"" +
                                                 judge + "}\n");
        EXPECT_EQ(made.status, 201) << made.body;
        const auto file = coordinator.store() / "runs" / text(made, "run_id") / "run.json";
        return job::parse_run_metadata(files::blocking_read_file(file, 1 << 20).value())
            ->evaluator_profile;
    };
    const std::string chat = R"({"messages":[{"role":"user","content":"?"},)"
                             R"({"role":"assistant","content":"!"},{"role":"user","content":"?"}]})"
                             "\n";
    EXPECT_EQ(profile_of(chat), job::EvaluatorProfile::rubric_v1_chat);
    EXPECT_EQ(profile_of(chat, ", profile: rubric-v1"), job::EvaluatorProfile::rubric_v1);
    EXPECT_EQ(profile_of("{\"task\":\"?\"}\n"), job::EvaluatorProfile::rubric_v1);
}

TEST(Api, FindsDatasetsByIdVersionHashOrPathUnderTheRoot) {
    const CoordinatorProcess coordinator;
    coordinator.put_dataset();
    files::blocking_write_atomically(coordinator.data() / "d.jsonl", "{\"task\":\"x\"}\n").value();
    files::blocking_write_atomically(coordinator.data() / "bad.jsonl", "{\"tsk\":\"x\"}\n").value();
    files::blocking_write_atomically(coordinator.data().parent_path() / "secret.jsonl",
                                     "{\"task\":\"x\"}\n")
        .value();
    std::filesystem::create_symlink(coordinator.data().parent_path() / "secret.jsonl",
                                    coordinator.data() / "link.jsonl");
    const auto submit = [&](const std::string& dataset) {
        return coordinator.call("POST", "/api/v1/runs",
                                "version: 1\nname: t\ndataset: " + dataset +
                                    "\nmodel: {provider: main, name: m, version: \"1\"}\n"
                                    "judge: {provider: main, name: j, version: \"1\"}\n");
    };
    EXPECT_EQ(submit("{path: d.jsonl}").status, 201);
    EXPECT_EQ(submit("{path: \"" + (coordinator.data() / "d.jsonl").string() + "\"}").status, 201);
    EXPECT_EQ(submit("{id: qa}").status, 201);
    for (const char* wrong :
         {"{path: ../secret.jsonl}", "{path: link.jsonl}", "{path: /etc/passwd}",
          "{path: none.jsonl}", "{path: bad.jsonl}", "{id: none}", "{id: qa, version: v9}",
          "{id: ../qa}", "{path: ../store/lock}"}) {
        const Answer refused = submit(wrong);
        EXPECT_EQ(refused.status, 422) << wrong;
        EXPECT_THAT(refused.body, HasSubstr("dataset.")) << wrong;
    }
    EXPECT_THAT(errors(submit("{path: bad.jsonl}")).front(), HasSubstr("line 1"));
}

TEST(Api, GivesTheSameRunForTheSameKeyAlsoAfterACrash) {
    CoordinatorProcess coordinator;
    coordinator.put_dataset();
    const auto submit = [&](const std::string& key, const std::string& body) {
        return coordinator.call("POST", "/api/v1/runs", body, {{"Idempotency-Key", key}});
    };
    const std::string body = CoordinatorProcess::run_file();
    const Answer first = submit("nightly-1", body);
    EXPECT_EQ(first.status, 201);
    const std::string id = text(first, "run_id");
    EXPECT_EQ(first.header("Location"), "/api/v1/runs/" + id);
    const Answer again = submit("nightly-1", body);
    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(again.header("Idempotent-Replay"), "true");
    EXPECT_EQ(text(again, "run_id"), id);
    EXPECT_EQ(submit("nightly-1", CoordinatorProcess::run_file("other")).status, 422);
    coordinator.kill_and_restart();
    EXPECT_EQ(text(submit("nightly-1", body), "run_id"), id);
    EXPECT_NE(text(submit("nightly-2", body), "run_id"), id);
    EXPECT_EQ(submit("not visible", body).status, 400);
    EXPECT_THAT(coordinator.get("/api/v1/runs").body, HasSubstr("\"total\":2"));
}

TEST(Api, ListsRunsByPageAndFilter) {
    CoordinatorProcess coordinator;
    coordinator.put_dataset();
    for (const char* name : {"a-1", "a-2", "b-1"})
        ASSERT_EQ(
            coordinator.call("POST", "/api/v1/runs", CoordinatorProcess::run_file(name)).status,
            201);
    const auto list = [&](const std::string& query) {
        return coordinator.get("/api/v1/runs" + query);
    };
    EXPECT_EQ(listed(list("")).size(), 3U);
    EXPECT_EQ(listed(list("?name=a-*")).size(), 2U);
    EXPECT_EQ(listed(list("?name=b-1")), (std::vector<std::string>{"b-1"}));
    EXPECT_EQ(listed(list("?state=done")).size(), 0U);
    EXPECT_EQ(listed(list("?state=active")).size(), 3U);
    EXPECT_EQ(listed(list("?since=2999-01-01")).size(), 0U);
    const Answer first = list("?limit=2");
    const Answer second = list("?limit=2&cursor=" + text(first, "next_cursor"));
    EXPECT_EQ(listed(second).size(), 1U);
    EXPECT_THAT(second.body, HasSubstr("\"next_cursor\":null"));
    EXPECT_THAT(listed(first), Not(::testing::Contains(listed(second).front())));
    for (const char* wrong : {"?limit=0", "?limit=501", "?limit=x", "?state=odd", "?since=monday",
                              "?nmae=a", "?limit=-1"})
        EXPECT_EQ(list(wrong).status, 400) << wrong;
    coordinator.kill_and_restart();
    EXPECT_EQ(listed(list("")).size(), 3U);
}

TEST(Api, SteersARunAndRemovesItOnlyWhenItIsOver) {
    const CoordinatorProcess coordinator;
    coordinator.put_dataset();
    const std::string id =
        text(coordinator.call("POST", "/api/v1/runs", CoordinatorProcess::run_file()), "run_id");
    const std::string run = "/api/v1/runs/" + id;
    EXPECT_EQ(text(coordinator.get(run), "name"), "test");
    for (const char* results :
         {"/summary", "/records", "/report.html", "/junit.xml", "/report.txt"})
        EXPECT_EQ(coordinator.get(run + results).status, 409) << results;
    EXPECT_EQ(coordinator.get(run + "/metadata").status, 200);
    EXPECT_EQ(coordinator.call("DELETE", run).status, 409);
    for (int i = 0; i < 200 && text(coordinator.get(run), "state") != "running"; ++i)
        usleep(50'000);
    EXPECT_EQ(text(coordinator.call("POST", run + "/pause"), "state"), "paused");
    EXPECT_EQ(text(coordinator.call("POST", run + "/resume"), "state"), "running");
    EXPECT_EQ(coordinator.call("POST", run + "/cancel").status, 200);
    EXPECT_EQ(coordinator.call("POST", "/api/v1/runs/none/pause").status, 404);
    EXPECT_EQ(coordinator.get("/api/v1/compare?base=" + id + "&candidate=none").status / 100, 4);
    EXPECT_EQ(coordinator.get("/api/v1/compare?base=" + id).status, 400) << "candidate is missing";
    const auto margin = coordinator.get("/api/v1/compare?base=" + id + "&candidate=" + id +
                                        "&margin=aggregate_score%3D-1");
    EXPECT_EQ(margin.status, 400);
    EXPECT_THAT(margin.body, HasSubstr("aggregate_score: found '-1', allowed: a number above 0"));
    const auto detect =
        coordinator.get("/api/v1/compare?base=" + id + "&candidate=" + id + "&detect=speed%3D1");
    EXPECT_EQ(detect.status, 400);
    EXPECT_THAT(detect.body, HasSubstr("unknown metric 'speed'"));
}

TEST(Api, LetsEachRoleDoItsPartAndNotesWhoDidWhat) {
    CoordinatorProcess coordinator({"--metrics-token"}, true);
    const auto as = &CoordinatorProcess::as;
    EXPECT_EQ(coordinator.get("/api/v1/runs").status, 401);
    EXPECT_EQ(coordinator.get("/api/v1/runs", as("wrong")).status, 401);
    EXPECT_EQ(coordinator.get("/api/v1/runs", as("reader")).status, 200);
    EXPECT_EQ(coordinator.get("/healthz").status, 200);
    EXPECT_EQ(coordinator.get("/readyz").status, 200);
    EXPECT_EQ(coordinator.get("/metrics").status, 401);
    EXPECT_EQ(coordinator.get("/metrics", as("reader")).status, 200);
    EXPECT_EQ(coordinator.get("/api").status, 200);
    const std::string body = CoordinatorProcess::run_file();
    EXPECT_EQ(coordinator.call("POST", "/api/v1/runs", body).status, 401);
    EXPECT_EQ(coordinator.call("POST", "/api/v1/runs", body, as("reader")).status, 403);
    coordinator.put_dataset(as("submitter"));
    const Answer submitted = coordinator.call("POST", "/api/v1/runs", body, as("submitter"));
    ASSERT_EQ(submitted.status, 201);
    const std::string run = "/api/v1/runs/" + text(submitted, "run_id");
    EXPECT_EQ(coordinator.call("DELETE", run, "", as("submitter")).status, 403);
    EXPECT_EQ(coordinator.call("DELETE", run, "", as("admin")).status, 409);
    EXPECT_THAT(coordinator.get("/api/v1/datasets", as("reader")).body, HasSubstr("the-submitter"));

    coordinator.write_tokens({"admin"});
    bool is_shut_out = false;
    for (int i = 0; i < 200 && !is_shut_out; ++i) {
        is_shut_out = coordinator.get("/api/v1/runs", as("reader")).status == 401;
        if (!is_shut_out) usleep(50'000);
    }
    EXPECT_TRUE(is_shut_out) << "the tokens file was not read again";
    EXPECT_EQ(coordinator.get("/api/v1/runs", as("admin")).status, 200);

    const std::string log = coordinator.log();
    EXPECT_THAT(log, HasSubstr("\"action\":\"submit_run\""));
    EXPECT_THAT(log, HasSubstr("\"caller\":\"the-submitter\""));
    EXPECT_THAT(log, HasSubstr("\"made\":\"" + text(submitted, "run_id") + "\""));
    EXPECT_THAT(log, Not(HasSubstr("Bearer")));
    EXPECT_THAT(log, Not(HasSubstr("\"wrong\"")));
}

TEST(Api, LimitsTheRateOfAToken) {
    const CoordinatorProcess coordinator({"--rate-limit", "1"}, true);
    const auto reader = CoordinatorProcess::as("reader");
    Answer last;
    for (int i = 0; i < 20 && last.status != 429; ++i)
        last = coordinator.get("/api/v1/runs", reader);
    EXPECT_EQ(last.status, 429);
    EXPECT_GE(std::stoi(last.header("Retry-After")), 1);
    EXPECT_EQ(coordinator.get("/api/v1/runs", CoordinatorProcess::as("admin")).status, 200);
}

TEST(Api, SendsItsHouseHeadersWithEveryReply) {
    const CoordinatorProcess coordinator;
    for (const char* path :
         {"/api/v1/runs", "/api/v1/none", "/api/v1/runs?x=1", "/healthz", "/api"}) {
        const Answer answer = coordinator.get(path);
        EXPECT_EQ(answer.header("X-Content-Type-Options"), "nosniff") << path;
        EXPECT_THAT(answer.header("Content-Security-Policy"), HasSubstr("default-src 'none'"));
        EXPECT_THAT(answer.head, Not(HasSubstr("Access-Control"))) << path;
        EXPECT_NE(answer.header("X-Request-Id"), "") << path;
    }
}

// Everything that a schema requires and a value does not have, as paths.
// NOLINTNEXTLINE(misc-no-recursion): as deep as the schemas are.
void find_missing(json::Value schema, json::Value schemas, json::Value value,
                  const std::string& path, std::vector<std::string>& missing) {
    if (const auto reference = schema.find("$ref")) {
        const auto name = reference->as_string().value();
        const auto meant = schemas.find(name.substr(name.rfind('/') + 1));
        if (!meant) return missing.push_back(path + ": there is no schema " + std::string(name));
        return find_missing(*meant, schemas, value, path, missing);
    }
    if (const auto items = schema.find("items"); items && value.is_array()) {
        const auto elements = value.as_array().value();
        for (const json::Value element : elements)
            find_missing(*items, schemas, element, path + "[]", missing);
    }
    if (!value.is_object()) return;
    const auto required = schema.get_or<std::vector<std::string>>("required", {}).value();
    for (const std::string& name : required)
        if (!value.find(name)) missing.push_back(path + "." + name);
    const auto properties = schema.find("properties");
    if (!properties) return;
    const auto described = properties->as_object().value();
    for (const auto& [name, property] : described)
        if (const auto member = value.find(name))
            find_missing(property, schemas, *member, path + "." + std::string(name), missing);
}

std::vector<std::string> find_missing(json::Value schema, json::Value schemas,
                                      const std::string& body) {
    const auto document = json::Document::parse(body);
    if (!document) return {"no JSON: " + body};
    std::vector<std::string> missing;
    find_missing(schema, schemas, document->root(), "", missing);
    return missing;
}

TEST(Api, SchemasAreSeenToBeStale) {
    const auto schemas = json::Document::parse(
        R"({"A":{"required":["list"],"properties":{"list":{"items":{"$ref":"#/x/B"}}}},)"
        R"("B":{"required":["name"]}})");
    const json::Value schema = schemas->root().find("A").value();
    EXPECT_THAT(find_missing(schema, schemas->root(), R"({"list":[{"name":1}]})"),
                ::testing::IsEmpty());
    EXPECT_THAT(find_missing(schema, schemas->root(), R"({"list":[{"name":1},{}]})"),
                ::testing::ElementsAre(".list[].name"));
    EXPECT_THAT(find_missing(schema, schemas->root(), "{}"), ::testing::ElementsAre(".list"));
}

// Walks everything that the coordinator says of itself: each route must be there, and answer as
// described, with a real id where there is one and with one that does not exist.
TEST(Api, DescribesWhatItDoes) {
    const CoordinatorProcess coordinator;
    coordinator.put_dataset();
    const std::string id =
        text(coordinator.call("POST", "/api/v1/runs", CoordinatorProcess::run_file()), "run_id");
    const std::string group =
        text(coordinator.call("POST", "/api/v1/runs",
                              "version: 1\nname: pair\ndataset: {id: qa}\n"
                              "models: [{provider: main, name: m, version: \"1\"}, "
                              "{provider: main, name: n, version: \"1\"}]\n"
                              "judge: {provider: main, name: j, version: \"1\"}\n"),
             "group_id");
    ASSERT_NE(group, "");
    const Answer described = coordinator.get("/api/v1/openapi.json");
    const auto document = json::Document::parse(described.body);
    ASSERT_TRUE(document) << document.error().message;
    const std::string page = coordinator.get("/api").body;
    const json::Value schemas = document->root().find("components").value().find("schemas").value();
    int walked = 0;
    int checked = 0;
    const auto paths = document->root().get<json::Object>("paths").value();
    for (const auto& [pattern, operations] : paths) {
        EXPECT_THAT(page, HasSubstr(std::string(pattern)));
        const auto by_method = operations.as_object().value();
        for (const auto& [method, operation] : by_method) {
            for (const std::string& name : {id, group, std::string("qa"), std::string("none")}) {
                std::string path(pattern);
                if (const auto open = path.find('{'); open != std::string::npos)
                    path.replace(open, path.find('}') - open + 1, name);
                // They do not end.
                if (path.ends_with("/events") && (name == id || path == "/api/v1/events")) continue;
                std::string upper(method);
                for (char& c : upper)
                    c = static_cast<char>(std::toupper(c));
                const Answer answer = coordinator.call(upper, path);
                const auto answers = operation.get<json::Object>("responses").value();
                const auto known = answers.value().find(std::to_string(answer.status));
                ASSERT_TRUE(known)
                    << upper << " " << path << " answers " << answer.status << ": " << answer.body;
                EXPECT_NE(answer.status, 405) << upper << " " << path;
                EXPECT_LT(answer.status, 500) << upper << " " << path;
                if (const auto content = known->find("content")) {
                    const std::string type = answer.header("Content-Type");
                    const auto media = content->find(type);
                    EXPECT_TRUE(media) << upper << " " << path << ": " << type;
                    const auto schema = media ? media->find("schema") : std::nullopt;
                    if (schema && schema->find("$ref")) {
                        EXPECT_THAT(find_missing(*schema, schemas, answer.body),
                                    ::testing::IsEmpty())
                            << upper << " " << path << ": " << answer.body;
                        ++checked;
                    }
                }
                ++walked;
            }
        }
    }
    EXPECT_GT(walked, 90);
    EXPECT_GT(checked, 50);
}

TEST(Api, RefusesToListenToTheWorldWithoutTokens) {
    const testing::TemporaryFolder folder;
    testing::Process coordinator(
        {EVALFLEET_BIN_DIR "/evalfleet-coordinator", "--redis", "unix:///nowhere", "--store",
         (folder / "store").string(), "--listen", "0.0.0.0:0"},
        folder / "log");
    EXPECT_EQ(coordinator.wait(), 2);
    EXPECT_THAT(coordinator.output(), HasSubstr("--tokens-file"));
}

}  // namespace
}  // namespace evalfleet
