#include "worker/providers/openai_chat.hpp"

#include "common/json/document.hpp"
#include "worker/providers/openai_wire.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace evalfleet::worker {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kGood = R"({"id": "chatcmpl-1", "object": "chat.completion",
    "model": "gpt-4o-2024-08-06", "choices": [{"index": 0, "message": {"role": "assistant",
    "content": "Paris.", "refusal": null}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 19, "completion_tokens": 3, "total_tokens": 22,
              "prompt_tokens_details": {"cached_tokens": 8, "cache_write_tokens": 2}}})";

ModelRequest question() {
    return {.model = "gpt-4o",
            .version = "2024-08-06",
            .messages = {{job::MessageRole::system, "Be brief."},
                         {job::MessageRole::user, "Capital?\n"}},
            .generation = {.temperature = 0, .top_p = 1, .max_tokens = 64, .seed = 42}};
}

WireRequest make_wire(const ModelRequest& request) {
    const Endpoint endpoint{http::Url::parse("https://host/v1/").value(), {}};
    return OpenAiChat().make_request(endpoint, request);
}

http::Request make(const ModelRequest& request) {
    return make_wire(request).http;
}

Result<ModelReply> read(std::string_view body, const http::Headers& headers = {}) {
    return OpenAiChat().read_reply(headers, body);
}

Refusal refuse(int status, std::string_view body, const http::Headers& headers = {}) {
    return OpenAiChat().read_refusal(status, headers, body, {});
}

TEST(OpenAiChat, PostsToChatCompletions) {
    const http::Request request = make(question());
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.url.host, "host");
    EXPECT_EQ(request.url.target, "/v1/chat/completions");
    EXPECT_EQ(request.headers.find("content-type"), "application/json");
}

TEST(OpenAiChat, SendsEverySamplingFieldAndAllMessages) {
    const auto body = json::Document::parse(make(question()).body).value();
    const json::Value root = body.root();
    EXPECT_EQ(root.get<std::string>("model").value(), "gpt-4o-2024-08-06");
    EXPECT_EQ(root.get<double>("temperature").value(), 0);
    EXPECT_EQ(root.get<double>("top_p").value(), 1);
    EXPECT_EQ(root.get<int>("max_tokens").value(), 64);
    EXPECT_EQ(root.get<int>("seed").value(), 42);
    EXPECT_FALSE(root.get<bool>("stream").value());
    const auto messages = root.get<std::vector<json::Value>>("messages").value();
    ASSERT_EQ(messages.size(), 2U);
    EXPECT_EQ(messages[0].get<std::string>("role").value(), "system");
    EXPECT_EQ(messages[1].get<std::string>("role").value(), "user");
    EXPECT_EQ(messages[1].get<std::string>("content").value(), "Capital?\n");
}

TEST(OpenAiChat, LeavesTheSeedOutIfThereIsNone) {
    ModelRequest request = question();
    request.generation.seed.reset();
    EXPECT_THAT(make(request).body, Not(HasSubstr("seed")));
}

TEST(OpenAiChat, UsesTheNameOfTheTokenLimitThatTheModelKnows) {
    for (const char* model : {"o1", "o3-mini", "gpt-5", "gpt-6.1-sol"}) {
        ModelRequest request = question();
        request.model = model;
        EXPECT_THAT(make(request).body, HasSubstr("\"max_completion_tokens\":64")) << model;
    }
    for (const char* model : {"gpt-4o", "gpt-3.5-turbo", "llama-3", "olmo", "gpt-", ""}) {
        ModelRequest request = question();
        request.model = model;
        EXPECT_THAT(make(request).body, HasSubstr("\"max_tokens\":64")) << model;
    }
}

TEST(OpenAiChat, ReadsAnswerModelAndUsage) {
    const auto reply = read(kGood, {{"x-request-id", "req_9"}, {"openai-processing-ms", "786"}});
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->answer, "Paris.");
    EXPECT_EQ(reply->finish_reason, "stop");
    EXPECT_EQ(reply->model_reported, "gpt-4o-2024-08-06");
    EXPECT_EQ(reply->request_id, "req_9");
    EXPECT_EQ(reply->usage, (Usage{19, 3, 8, 2}));
    EXPECT_EQ(reply->provider_time_ms, 786);
}

TEST(OpenAiChat, FallsBackToTheBodysIdAndToServerTiming) {
    const auto reply = read(kGood, {{"server-timing", "a;dur=1.5, proxy;desc=\"x\";dur=164"}});
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->request_id, "chatcmpl-1");
    EXPECT_EQ(reply->server_timing_ms, 164);
}

TEST(OpenAiChat, ReadsHowMuchOfTheOutputWasReasoning) {
    for (const char* details : {"completion_tokens_details", "output_tokens_details"}) {
        const auto reply = read(R"({"choices": [{"message": {"content": ""}}], "usage": {
            "prompt_tokens": 19, "completion_tokens": 1024, ")" +
                                std::string(details) + R"(": {"reasoning_tokens": 1000}}})");
        ASSERT_TRUE(reply);
        EXPECT_EQ(reply->usage, (Usage{19, 1024, {}, {}, 1000})) << details;
    }
    EXPECT_EQ(read(R"({"choices": [{"message": {"content": ""}}], "usage": {
        "completion_tokens_details": null}})")
                  ->usage,
              Usage{});
}

TEST(OpenAiChat, KeepsWhatAnErrorUnderAGoodStatusCounts) {
    const auto reply = read(R"({"error": {"message": "m", "code": 502},
                                "usage": {"prompt_tokens": 19, "completion_tokens": 3}})");
    ASSERT_TRUE(reply && reply->refusal);
    EXPECT_EQ(reply->usage.output_tokens, 3);
}

TEST(OpenAiChat, KeepsTheProvidersTimeApartFromItsEdges) {
    const auto reply =
        read(kGood, {{"openai-processing-ms", "786"}, {"server-timing", "proxy;dur=790"}});
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->provider_time_ms, 786);
    EXPECT_EQ(reply->server_timing_ms, 790);
}

TEST(OpenAiChat, KeepsWhatIsNotReportedApartFromZero) {
    const auto reply = read(R"({"choices": [{"message": {"content": "x"}}]})");
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->usage, Usage{});
    EXPECT_EQ(reply->finish_reason, std::nullopt);
    EXPECT_EQ(reply->model_reported, std::nullopt);
    EXPECT_EQ(reply->provider_time_ms, std::nullopt);
}

TEST(OpenAiChat, GivesARefusalAsTheAnswer) {
    const auto reply = read(R"({"choices": [{"message": {"content": null,
        "refusal": "I cannot."}, "finish_reason": "stop"}]})");
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->answer, "I cannot.");
    EXPECT_EQ(reply->finish_reason, "refusal");
}

TEST(OpenAiChat, GivesAnEmptyAnswerIfThereIsNoText) {
    for (const char* message : {R"({"content": ""})", R"({"content": null})", R"({})"}) {
        const auto reply = read(R"({"choices": [{"message": )" + std::string(message) +
                                R"(, "finish_reason": "content_filter"}]})");
        ASSERT_TRUE(reply) << message;
        EXPECT_EQ(reply->answer, "");
        EXPECT_EQ(reply->finish_reason, "content_filter");
    }
}

TEST(OpenAiChat, RefusesBodiesOfAnotherShape) {
    for (const char* body :
         {"", "null", "[]", "\"text\"", "<html>busy</html>", "{", R"({})", R"({"choices": {}})",
          R"({"choices": []})", R"({"choices": [1]})", R"({"choices": [{}]})",
          R"({"choices": [{"message": null}]})", R"({"choices": [{"message": {"content": 5}}]})",
          R"({"choices": [{"message": {"content": ["part"]}}]})"}) {
        const auto reply = read(body);
        ASSERT_FALSE(reply) << body;
        EXPECT_EQ(reply.error().kind, ErrorKind::invalid) << body;
    }
}

TEST(OpenAiChat, TellsTheErrorThatCameUnderStatus200) {
    const auto reply = read(R"({"error": {"message": "upstream failed", "code": 502}})");
    ASSERT_TRUE(reply && reply->refusal);
    EXPECT_EQ(reply->refusal->status, 502);
    EXPECT_THAT(reply->refusal->message, HasSubstr("upstream failed (502)"));
    EXPECT_EQ(read(R"({"error": "busy"})")->refusal->status, 500);
    const auto of_choice = read(R"({"choices": [{"finish_reason": "error", "error": {"code": 503,
        "message": "m"}, "message": {"content": "Par"}}]})");
    ASSERT_TRUE(of_choice && of_choice->refusal);
    EXPECT_EQ(of_choice->refusal->status, 503);
}

TEST(OpenAiChat, IgnoresCountsThatMakeNoSense) {
    for (const char* usage : {"null", "[]", "7", R"({"prompt_tokens": "19"})",
                              R"({"prompt_tokens": -1, "completion_tokens": 1.5})",
                              R"({"prompt_tokens": 1e300, "prompt_tokens_details": 3})"}) {
        const auto reply = read(R"({"choices": [{"message": {"content": "x"}}], "usage": )" +
                                std::string(usage) + "}");
        ASSERT_TRUE(reply) << usage;
        EXPECT_EQ(reply->usage, Usage{}) << usage;
    }
}

TEST(OpenAiChat, TellsWhyACallWasRefused) {
    EXPECT_EQ(refuse(400, R"({"error": {"message": "bad", "type": "t", "param": null,
                             "code": "c"}})")
                  .message,
              "HTTP 400: bad (t) (c)");
    EXPECT_EQ(refuse(503, R"({"error": "server busy"})").message, "HTTP 503: server busy");
    EXPECT_EQ(refuse(502, "<html>").message, "HTTP 502: <html>");
    EXPECT_EQ(refuse(500, "").message, "HTTP 500");
    EXPECT_EQ(refuse(500, "[1]").message, "HTTP 500");
}

TEST(OpenAiChat, ReadsWhenToComeBack) {
    using std::chrono::milliseconds;
    EXPECT_EQ(refuse(429, "", {{"retry-after", "2"}}).retry_after, milliseconds(2000));
    EXPECT_EQ(refuse(429, "", {{"retry-after", "2"}, {"retry-after-ms", "150"}}).retry_after,
              milliseconds(150));
    EXPECT_EQ(refuse(429, "").retry_after, std::nullopt);
}

TEST(OpenAiChat, DoesNotComeBackForWhatMoneyMustMend) {
    EXPECT_EQ(
        refuse(429, R"({"error": {"message": "m", "type": "insufficient_quota"}})").should_retry,
        false);
    EXPECT_EQ(
        refuse(429, R"({"error": {"message": "m", "code": "rate_limit_exceeded"}})").should_retry,
        std::nullopt);
}

TEST(OpenAiChat, LetsTheServerSayWhetherToTryAgain) {
    EXPECT_EQ(refuse(400, "", {{"x-should-retry", "true"}}).should_retry, true);
    EXPECT_EQ(refuse(500, "", {{"x-should-retry", "false"}}).should_retry, false);
    EXPECT_EQ(refuse(500, "", {{"x-should-retry", "perhaps"}}).should_retry, std::nullopt);
}

TEST(OpenAiChat, SurvivesAnyDamageToAReply) {
    std::mt19937 random(7);
    for (int round = 0; round < 20'000; ++round) {
        std::string body(kGood);
        for (int damage = 0; damage < 1 + round % 4 && !body.empty(); ++damage) {
            const std::size_t at = random() % body.size();
            switch (random() % 4) {
                case 0:
                    body[at] = static_cast<char>(random());
                    break;
                case 1:
                    body.erase(at, random() % 16);
                    break;
                case 2:
                    body.insert(at, body.substr(random() % body.size(), 12));
                    break;
                default:
                    body.resize(std::max<std::size_t>(at, 1));
                    break;
            }
        }
        const auto reply = read(body);
        EXPECT_TRUE(reply || !reply.error().message.empty());
        EXPECT_FALSE(refuse(500, body).message.empty());
    }
}

TEST(OpenAiChat, SurvivesDeepNesting) {
    EXPECT_FALSE(read(std::string(100'000, '[')));
    EXPECT_FALSE(read(R"({"choices":)" + std::string(5000, '[') + std::string(5000, ']') + "}"));
}

TEST(OpenAiChat, KnowsAParameterThatAServerDoesNotTakeInEveryWayThatIsSaid) {
    const auto refused = [](int status, const std::string& body) {
        return refuse(status, body).refused_parameter.value_or("none");
    };
    const auto said = [&](const std::string& message) {
        return refused(400, R"({"error": {"message": ")" + message + R"("}})");
    };
    EXPECT_EQ(refused(422, R"({"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"],
        "msg": "Extra inputs are not permitted", "input": 42}]})"),
              "seed");
    EXPECT_EQ(refused(422, R"({"object": "Error", "message": {"detail": [{"type":
        "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]},
        "type": "invalid_request_error", "param": null, "code": null})"),
              "seed");
    EXPECT_EQ(refused(400, R"({"error": {"message": "m", "param": "max_completion_tokens",
        "code": "unsupported_parameter"}})"),
              "max_completion_tokens");
    EXPECT_EQ(said("Unrecognized request argument supplied: seed"), "seed");
    EXPECT_EQ(said("property 'seed' is unsupported"), "seed");
    EXPECT_EQ(said("Unsupported parameter: 'max_tokens' is not supported with this model. Use "
                   "'max_completion_tokens' instead."),
              "max_tokens");
    EXPECT_EQ(said("Unknown name \\\"seed\\\" at 'generation_config': Cannot find field."), "seed");
    EXPECT_EQ(said("'response_format.type' must be 'json_schema' or 'text'"), "response_format");
    EXPECT_EQ(said("temperature must be between 0 and 2"), "none");
    EXPECT_EQ(said("the model does not support images; reseed the cache"), "none");
    EXPECT_EQ(refused(500, R"({"error": {"message": "seed is not supported"}})"), "seed");
    EXPECT_EQ(refused(503, R"({"error": {"message": "seed is not supported"}})"), "none");
    EXPECT_EQ(refused(422, R"({"detail": [{"type": "missing", "loc": ["body", "seed"],
        "msg": "Field required"}]})"),
              "none");
}

TEST(OpenAiChat, AsksWithTheOtherNameOfTheTokenLimitIfOneIsRefused) {
    ModelRequest request = question();
    request.model = "o3";
    request.refused = {"max_completion_tokens"};
    EXPECT_THAT(make(request).body, HasSubstr("\"max_tokens\":64"));
    request.model = "llama";
    EXPECT_THAT(make(request).body, HasSubstr("\"max_tokens\":64"));
    request.refused = {"max_tokens"};
    EXPECT_THAT(make(request).body, HasSubstr("\"max_completion_tokens\":64"));
}

TEST(OpenAiChat, LeavesAFormatOutOnlyWhereNobodyInsistsOnIt) {
    ModelRequest request = question();
    request.generation.response_format.emplace();
    request.refused = {"response_format"};
    EXPECT_THAT(make(request).body, HasSubstr(R"("response_format":{"type":"json_object"})"));
    request.may_drop_format = true;
    EXPECT_THAT(make(request).body, Not(HasSubstr("response_format")));
    EXPECT_THAT(make_wire(request).refused_parameters, ::testing::ElementsAre("response_format"));
}

TEST(OpenAiChat, AsksForTheFormOfAnAnswerAndWhereItStops) {
    ModelRequest request = question();
    request.generation.stop = job::StopSequences{{"a", "b"}};
    request.generation.response_format = job::ResponseFormat{R"({"type":"object"})"};
    EXPECT_THAT(make(request).body, HasSubstr(R"("stop":["a","b"])"));
    EXPECT_THAT(make(request).body,
                HasSubstr(R"("response_format":{"type":"json_schema","json_schema":{"name":)"
                          R"("answer","schema":{"type":"object"},"strict":true}})"));
}

TEST(OpenAiChat, KeepsTheTextOfErrorsInEveryShape) {
    EXPECT_EQ(refuse(422, R"({"detail": "Not authenticated"})").message,
              "HTTP 422: Not authenticated");
    EXPECT_EQ(refuse(422, R"({"detail": [{"loc": ["body", "messages", 0], "msg": "bad role",
                              "type": "value_error"}, {"msg": "and more"}]})")
                  .message,
              "HTTP 422: messages: bad role; and more");
    EXPECT_EQ(
        refuse(400, R"({"object": "Error", "message": {"detail": "no"}, "type": "t"})").message,
        "HTTP 400: no (t)");
    EXPECT_EQ(refuse(400, R"({"error": {"message": {"error": {"reason": 5}}}})").message,
              R"(HTTP 400: {"reason":5})");
    EXPECT_EQ(refuse(500, R"({"error": "", "message": "down"})").message, "HTTP 500: down");
    EXPECT_EQ(refuse(401, R"({"statusCode": 401, "message": "no key"})").message,
              "HTTP 401: no key");
}

TEST(OpenAiChat, DoesNotTakeAnEmptyErrorUnderAGoodStatusForOne) {
    for (const char* error : {R"("")", "false", "null", "0", "{}", "[]"}) {
        const auto reply = read(R"({"choices": [{"message": {"content": "x"}}], "error": )" +
                                std::string(error) + "}");
        ASSERT_TRUE(reply) << error;
        EXPECT_FALSE(reply->refusal) << error;
        EXPECT_EQ(reply->answer, "x");
    }
}

TEST(OpenAiChat, CountsReasoningThatOnlyTheTotalHas) {
    const auto usage = [](const std::string& counts) {
        return read(R"({"choices": [{"message": {"content": "x"}}], "usage": {)" + counts + "}}")
            ->usage;
    };
    EXPECT_EQ(usage(R"("prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 115,
                       "completion_tokens_details": {"reasoning_tokens": 100})"),
              (Usage{10, 105, {}, {}, 100}));
    EXPECT_EQ(usage(R"("prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 115)"),
              (Usage{10, 105, {}, {}, 100}));
    EXPECT_EQ(usage(R"("prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 0)"),
              (Usage{10, 5, {}, {}}));
}

TEST(OpenAiChat, ReadsAnAnswerBehindAByteOrderMark) {
    const auto reply = read(
        "\xEF\xBB\xBF"
        R"({"choices": [{"message": {"content": "x"}}]})");
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->answer, "x");
}

TEST(OpenAiChat, ReadsAnAnswerWithHalfACharacter) {
    const auto reply = read(R"({"choices": [{"message": {"content": "a\ud83d b"}}]})");
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->answer, "a\xEF\xBF\xBD b");
}

TEST(OpenAiChat, SaysHowMuchAModelShallThink) {
    ModelRequest request = question();
    request.generation.reasoning_effort = "high";
    request.generation.thinking_budget = 5;
    EXPECT_THAT(make(request).body, HasSubstr(R"("reasoning_effort":"high")"));
    EXPECT_THAT(make_wire(request).refused_parameters, ::testing::ElementsAre("thinking_budget"));
    request.model = "gpt-5.6-sol";
    EXPECT_THAT(make(request).body, Not(HasSubstr("temperature")));
    request.generation.reasoning_effort = "none";
    EXPECT_THAT(make(request).body, HasSubstr("temperature")) << "it samples as others do";
}

}  // namespace
}  // namespace evalfleet::worker
