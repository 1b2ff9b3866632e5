#include "coordinator/api/openapi.hpp"

#include "common/json/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::api {
namespace {

using ::testing::HasSubstr;

boost::asio::awaitable<http::Reply> nothing(Call&) {
    co_return http::Reply::empty(204);
}

RouteTable example() {
    RouteTable table;
    RouteSpec spec;
    spec.method = "PUT";
    spec.pattern = "/api/v1/things/{id}";
    spec.id = "put_thing";
    spec.section = "Things";
    spec.summary = "Keeps a <thing>";
    spec.role = access::Role::submitter;
    spec.query = {{"version", "which"}};
    spec.body_type = "application/json";
    spec.answers = {{201, "it is kept", "Dataset"}, {409, "it is another", "Problem"}};
    table.add(spec, nothing);
    return table;
}

TEST(Openapi, DescribesARouteWithAllThatItTakesAndAnswers) {
    const auto document = json::Document::parse(openapi_json(example()));
    ASSERT_TRUE(document) << document.error().message;
    const auto path = document->root().find("paths")->find("/api/v1/things/{id}");
    ASSERT_TRUE(path);
    const json::Value operation = *path->find("put");
    EXPECT_EQ(operation.get<std::string>("operationId").value(), "put_thing");
    EXPECT_EQ(operation.get<std::string>("x-role").value(), "submitter");
    EXPECT_EQ(operation.get<json::Array>("parameters")->size(), 2U);
    for (const char* status : {"201", "409", "400", "401", "403", "429", "default"})
        EXPECT_TRUE(operation.find("responses")->find(status)) << status;
}

TEST(Openapi, TakesJsonWhereItTakesYaml) {
    RouteTable table;
    RouteSpec spec;
    spec.method = "POST";
    spec.pattern = "/api/v1/things";
    spec.body_type = "application/yaml";
    table.add(spec, nothing);
    const auto document = json::Document::parse(openapi_json(table));
    const json::Value content = *document->root()
                                     .find("paths")
                                     ->find("/api/v1/things")
                                     ->find("post")
                                     ->find("requestBody")
                                     ->find("content");
    EXPECT_TRUE(content.find("application/yaml"));
    EXPECT_TRUE(content.find("application/json"));
}

TEST(Openapi, SaysWhereItIsAndUnderWhichLicence) {
    const auto document = json::Document::parse(openapi_json(example()));
    EXPECT_EQ(document->root().get<json::Array>("servers")->size(), 1U);
    EXPECT_EQ(
        document->root().find("info")->find("license")->get<std::string>("identifier").value(),
        "Apache-2.0");
}

// Every schema that is referred to must be there.
TEST(Openapi, RefersOnlyToSchemasItHas) {
    const std::string text = openapi_json(example());
    const auto document = json::Document::parse(text);
    const json::Value schemas = *document->root().find("components")->find("schemas");
    const std::string mark = "#/components/schemas/";
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
        const auto begin = at + mark.size();
        const std::string name = text.substr(begin, text.find('"', begin) - begin);
        EXPECT_TRUE(schemas.find(name)) << name;
    }
}

TEST(Openapi, SaysWhatFilesHoldAsTheirOwnSchemasDo) {
    const auto document = json::Document::parse(openapi_json(example()));
    const json::Value schemas = *document->root().find("components")->find("schemas");
    for (const char* name : {"Record", "Summary", "GroupSummary", "RunMetadata", "RunFile", "Judge",
                             "Policy", "Summary.gate", "RunFile.policy"})
        EXPECT_TRUE(schemas.find(name)) << name;
    EXPECT_FALSE(schemas.find("Summary")->find("$defs"));
    EXPECT_FALSE(schemas.find("Record")->find("$id"));
    EXPECT_THAT(openapi_json(example()), ::testing::Not(HasSubstr("#/$defs/")));
}

TEST(Openapi, SaysWhatANameInThePathIsOf) {
    EXPECT_THAT(openapi_json(example()), HasSubstr("id of one of the things"));
}

TEST(ApiPage, ShowsEveryRouteAndEscapesWhatItShows) {
    const std::string page = api_page(example());
    EXPECT_THAT(page, HasSubstr("/api/v1/things/{id}"));
    EXPECT_THAT(page, HasSubstr("Keeps a &lt;thing&gt;"));
    EXPECT_THAT(page, HasSubstr("submitter"));
    EXPECT_THAT(page, ::testing::Not(HasSubstr("<script")));
}

}  // namespace
}  // namespace evalfleet::api
