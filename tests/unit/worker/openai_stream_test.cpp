#include "tests/unit/worker/protocol_fixtures.hpp"
#include "worker/providers/azure_openai.hpp"
#include "worker/providers/openai_chat.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string chunk(const std::string& members) {
    return R"(data: {"id":"chatcmpl-1","object":"chat.completion.chunk","model":"gpt-4o-2024-08-06",)"
           R"("system_fingerprint":"fp_1",)" +
           members + "}\n\n";
}

std::string text(const std::string& piece) {
    return chunk(R"("choices":[{"index":0,"delta":{"content":")" + piece +
                 R"("},"finish_reason":null}],"usage":null)");
}

const std::string kRole = chunk(
    R"("choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}])");
const std::string kStop =
    chunk(R"("choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null)");
const std::string kUsage = chunk(
    R"("choices":[],"usage":{"prompt_tokens":19,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":8}})");
const std::string kDone = "data: [DONE]\n\n";

TEST(OpenAiStream, IsAskedForWithUsage) {
    ModelRequest request = question("gpt-4o", "2024-08-06");
    request.stream = true;
    const WireRequest wire = make(OpenAiChat(), "https://host/v1", request);
    EXPECT_TRUE(wire.stream);
    EXPECT_THAT(wire.http.body,
                HasSubstr(R"("stream":true,"stream_options":{"include_usage":true})"));
}

TEST(OpenAiStream, AddsUpTextAndKnowsWhenTheFirstCame) {
    const auto reply = stream(
        OpenAiChat(), {kRole, text("Par"), ": keep-alive\n\n" + text("is."), kStop, kUsage + kDone},
        {{"x-request-id", "req_9"}, {"openai-processing-ms", "12"}});
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->answer, "Paris.");
    EXPECT_EQ(reply->first_token_at, moment(1));
    EXPECT_EQ(reply->finish_reason, "stop");
    EXPECT_EQ(reply->model_reported, "gpt-4o-2024-08-06");
    EXPECT_EQ(reply->system_fingerprint, "fp_1");
    EXPECT_EQ(reply->request_id, "req_9");
    EXPECT_EQ(reply->usage, (Usage{19, 3, 8, std::nullopt}));
    EXPECT_EQ(reply->provider_time_ms, std::nullopt);  // the header was sent before the end
}

TEST(OpenAiStream, ReadsTheSameWhereverItIsCut) {
    const std::string whole = kRole + text("Par\\u00e9") + text("is.") + kStop + kUsage + kDone;
    for (std::size_t size = 1; size < 40; ++size) {
        const auto reply = stream_cut(OpenAiChat(), whole, size);
        ASSERT_TRUE(reply) << size;
        EXPECT_EQ(reply->answer, "Par\u00e9is.");
    }
}

TEST(OpenAiStream, IsBrokenOffWithoutItsTerminatorAndAFinishReason) {
    for (const std::string& body : {std::string(), kRole, text("Par"), text("x") + "data: [DO"}) {
        const auto reply = stream(OpenAiChat(), {body});
        ASSERT_FALSE(reply) << body;
        EXPECT_EQ(reply.error().kind, ErrorKind::transient) << body;
    }
}

TEST(OpenAiStream, MayLackTheEmptyLineBehindItsLastEvent) {
    const std::string unfinished = kStop.substr(0, kStop.size() - 2);
    for (const std::string& end : {unfinished, unfinished + "\n", std::string("data: [DONE]")}) {
        const auto reply = stream(OpenAiChat(), {text("Paris."), end});
        ASSERT_TRUE(reply) << end;
        EXPECT_EQ(reply->answer, "Paris.");
    }
    EXPECT_FALSE(stream(OpenAiChat(), {text("Par"), kStop.substr(0, 20)}));
}

TEST(OpenAiStream, SkipsSignsOfLife) {
    const auto reply = stream(OpenAiChat(), {": OPENROUTER PROCESSING\n\nevent: ping\ndata: \n\n",
                                             text("Paris."), "data:\n\n", kStop + kDone});
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->answer, "Paris.");
}

TEST(OpenAiStream, IsNotWholeByAnEmptyFinishReason) {
    const std::string piece =
        "data: {\"choices\":[{\"delta\":{\"content\":\"Par\"},\"finish_reason\":\"\"}]}\n\n";
    EXPECT_FALSE(stream(OpenAiChat(), {piece}));
    const auto whole = stream(OpenAiChat(), {piece, kDone});
    ASSERT_TRUE(whole) << whole.error().message;
    EXPECT_EQ(whole->finish_reason, std::nullopt);
}

TEST(OpenAiStream, MayBeAWholeAnswerUnderAnyName) {
    const std::string whole =
        R"({"choices":[{"message":{"content":"Paris."},"finish_reason":"stop"}],)"
        R"("usage":{"prompt_tokens":20,"completion_tokens":3}})";
    const auto reply = stream(OpenAiChat(), {whole.substr(0, 30), whole.substr(30)});
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->answer, "Paris.");
    EXPECT_EQ(reply->usage, (Usage{20, 3, {}, {}}));
    const auto refused = stream(OpenAiChat(), {R"({"error":{"message":"slow","code":429}})"});
    ASSERT_TRUE(refused && refused->refusal);
    EXPECT_EQ(refused->refusal->status, 429);
    EXPECT_FALSE(stream(OpenAiChat(), {whole.substr(0, 60)}));
}

TEST(OpenAiStream, TellsAnErrorInTheMiddle) {
    const auto plain = stream(OpenAiChat(), {text("Par"), R"(data: {"error":{"message":"upstream",)"
                                                          R"("type":"server_error"}})"
                                                          "\n\n"});
    ASSERT_TRUE(plain && plain->refusal);
    EXPECT_EQ(plain->refusal->status, 500);
    EXPECT_THAT(plain->refusal->message, HasSubstr("upstream"));
    // Groq.
    const auto named =
        stream(OpenAiChat(),
               {text("Par"),
                "event: error\ndata: {\"error\":{\"message\":\"over\",\"status_code\":429}}\n\n"});
    ASSERT_TRUE(named && named->refusal);
    EXPECT_EQ(named->refusal->status, 429);
}

TEST(OpenAiStream, TellsAnErrorOfTheChoice) {
    const auto reply =
        stream(OpenAiChat(),
               {text("Par"), chunk(R"("choices":[{"delta":{"content":""},"finish_reason":"error",)"
                                   R"("error":{"code":502,"message":"provider went away"}}])") +
                                 kDone});
    ASSERT_TRUE(reply && reply->refusal);
    EXPECT_EQ(reply->refusal->status, 502);
}

TEST(OpenAiStream, DoesNotComeBackForWhatMoneyMustMend) {
    const auto reply =
        stream(OpenAiChat(),
               {"data: {\"error\":{\"message\":\"m\",\"code\":\"insufficient_quota\"}}\n\n"});
    ASSERT_TRUE(reply && reply->refusal);
    EXPECT_EQ(reply->refusal->status, 429);
    EXPECT_EQ(reply->refusal->should_retry, false);
}

TEST(OpenAiStream, GivesARefusalAsTheAnswer) {
    const auto reply =
        stream(OpenAiChat(),
               {kRole, chunk(R"("choices":[{"delta":{"refusal":"I cannot."}}])"), kStop + kDone});
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->answer, "I cannot.");
    EXPECT_EQ(reply->finish_reason, "refusal");
}

TEST(OpenAiStream, RefusesChunksOfAnotherShape) {
    for (const char* data :
         {"<html>", "[", "5", R"({"choices":5})", R"({"choices":[{"delta":{"content":7}}]})"}) {
        EXPECT_FALSE(stream(OpenAiChat(), {"data: " + std::string(data) + "\n\n" + kDone})) << data;
    }
}

TEST(OpenAiStream, ReadsTheTimesThatServersReport) {
    const std::string groq = chunk(
        R"("choices":[],"x_groq":{"usage":{"prompt_tokens":5,"completion_tokens":2,"total_time":0.25}})");
    EXPECT_EQ(stream(OpenAiChat(), {text("x"), groq, kDone})->provider_time_ms, 250);
    EXPECT_EQ(stream(OpenAiChat(), {text("x"), groq, kDone})->usage.output_tokens, 2);
    const std::string llama =
        chunk(R"("choices":[],"timings":{"prompt_ms":10.5,"predicted_ms":100})");
    EXPECT_EQ(stream(OpenAiChat(), {text("x"), llama, kDone})->provider_time_ms, 110.5);
    const std::string vllm =
        chunk(R"("choices":[],"metrics":{"time_to_first_token_ms":20,"generation_time_ms":80})");
    const auto reply = stream(OpenAiChat(), {text("x"), vllm, kDone});
    EXPECT_EQ(reply->provider_time_ms, 100);
}

TEST(OpenAiParameters, LeavesOutWhatReasoningModelsRefuse) {
    const WireRequest wire = make(OpenAiChat(), "https://host/v1", question("o3", "2025-04-16"));
    EXPECT_THAT(wire.http.body, Not(HasSubstr("temperature")));
    EXPECT_THAT(wire.http.body, Not(HasSubstr("top_p")));
    EXPECT_THAT(wire.refused_parameters, ElementsAre("temperature", "top_p"));
    EXPECT_THAT(make(OpenAiChat(), "https://host/v1", question("gpt-4o")).refused_parameters,
                IsEmpty());
}

TEST(OpenAiParameters, LeavesOutWhatAModelWasFoundToRefuse) {
    ModelRequest request = question("m");
    request.refused = {"temperature", "seed", "max_tokens"};
    const WireRequest wire = make(OpenAiChat(), "https://host/v1", request);
    EXPECT_THAT(wire.refused_parameters, ElementsAre("temperature", "seed"));
    EXPECT_THAT(wire.http.body, HasSubstr("\"max_completion_tokens\":64"));
}

TEST(OpenAiParameters, KnowsWhichOneWasRefused) {
    const Refusal refusal = OpenAiChat().read_refusal(
        400, {},
        R"({"error":{"message":"Unsupported value: 'temperature'","type":)"
        R"("invalid_request_error","param":"temperature","code":"unsupported_value"}})",
        {});
    EXPECT_EQ(refusal.refused_parameter, "temperature");
}

TEST(AzureOpenAi, AsksTheDeployment) {
    const WireRequest wire =
        make(AzureOpenAi(), "https://r.openai.azure.com", question("my gpt/4?"), "2025-01-01");
    EXPECT_EQ(wire.http.url.target,
              "/openai/deployments/my%20gpt%2F4%3F/chat/completions?api-version=2025-01-01");
    EXPECT_FALSE(wire.http.headers.contains("authorization"));
}

TEST(AzureOpenAi, SpeaksTheNewForm) {
    const WireRequest wire =
        make(AzureOpenAi(), "https://r.openai.azure.com/openai/v1/", question("dep"));
    EXPECT_EQ(wire.http.url.target, "/openai/v1/chat/completions");
    EXPECT_EQ(body_of(wire).root().get<std::string>("model").value(), "dep");
}

TEST(AzureOpenAi, SkipsWhatItsFiltersSayAroundTheAnswer) {
    const std::string before =
        R"(data: {"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":)"
        R"([{"prompt_index":0,"content_filter_results":{"hate":{"filtered":false}}}]})"
        "\n\n";
    const std::string after =
        R"(data: {"id":"","object":"","created":0,"model":"","system_fingerprint":"","choices":)"
        R"([{"index":0,"finish_reason":null,"content_filter_results":{},"content_filter_offsets":)"
        R"({"check_offset":44}}]})"
        "\n\n";
    const auto reply =
        stream(AzureOpenAi(), {before, kRole, text("Paris."), kStop, after, kUsage, after, kDone});
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->answer, "Paris.");
    EXPECT_EQ(reply->first_token_at, moment(2));
    EXPECT_EQ(reply->finish_reason, "stop");
    EXPECT_EQ(reply->model_reported, "gpt-4o-2024-08-06");
    EXPECT_EQ(reply->system_fingerprint, "fp_1");
    EXPECT_EQ(reply->request_id, "chatcmpl-1");
    EXPECT_EQ(reply->usage, (Usage{19, 3, 8, {}}));
}

TEST(AzureOpenAi, TellsAFilterInTheMiddle) {
    const auto cut =
        stream(AzureOpenAi(),
               {text("Par"), chunk(R"("choices":[{"delta":{},"finish_reason":"content_filter"}])"),
                kDone});
    ASSERT_TRUE(cut) << cut.error().message;
    EXPECT_EQ(cut->answer, "Par");
    EXPECT_EQ(cut->finish_reason, "content_filter");
    const auto refused = stream(
        AzureOpenAi(), {"data: {\"error\":{\"message\":\"m\",\"code\":\"content_filter\"}}\n\n"});
    ASSERT_TRUE(refused && refused->refusal);
    EXPECT_EQ(refused->refusal->status, 400);
    EXPECT_EQ(refused->refusal->finish_reason, "content_filter");
}

TEST(AzureOpenAi, ReadsItsRefusals) {
    const Refusal busy = AzureOpenAi().read_refusal(
        429, {{"apim-request-id", "a1"}},
        R"({"error":{"code":"429","message":"Too many. Please retry after 12 seconds."}})", {});
    EXPECT_EQ(busy.retry_after, std::chrono::seconds(12));
    EXPECT_EQ(busy.request_id, "a1");
    const Refusal filtered = AzureOpenAi().read_refusal(
        400, {},
        R"({"error":{"code":"content_filter","message":"filtered","param":"prompt",)"
        R"("status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}})",
        {});
    EXPECT_EQ(filtered.finish_reason, "content_filter");
}

TEST(OpenAiStream, IsWholeOnceItSaidWhyItFinished) {
    const auto reply = stream(OpenAiChat(), {kRole, text("Paris."), kStop});
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ(reply->answer, "Paris.");
    EXPECT_EQ(reply->finish_reason, "stop");
    EXPECT_FALSE(stream(OpenAiChat(), {kRole, text("Paris.")})) << "nobody said that it ended";
}

TEST(OpenAiStream, JoinsCharactersThatCameInTwoHalves) {
    const auto answer = [](const std::vector<std::string>& pieces) {
        std::string body;
        for (const std::string& piece : pieces)
            body += text(piece);
        return stream(OpenAiChat(), {body + kStop + kDone}).value().answer;
    };
    EXPECT_EQ(answer({"a \\ud83d", "\\ude00 b"}), "a \xF0\x9F\x98\x80 b");
    EXPECT_EQ(answer({"\\ud83d\\ude00", "\\uD83D", "\\uDE01"}), "\xF0\x9F\x98\x80\xF0\x9F\x98\x81");
    EXPECT_EQ(answer({"\\ud83d", "x"}), "\xEF\xBF\xBDx") << "the other half never came";
    EXPECT_EQ(answer({"\\ude00\\ud83d"}), "\xEF\xBF\xBD\xEF\xBF\xBD");
    EXPECT_EQ(answer({R"(\\ud83d)", R"(\\ude00)"}), R"(\ud83d\ude00)") << "text about escapes";
    EXPECT_EQ(answer({"\xF4\x8F\xBF\xBF"}), "\xF4\x8F\xBF\xBF") << "a character of its own";
}

}  // namespace
}  // namespace evalfleet::worker
