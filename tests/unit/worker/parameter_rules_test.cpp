#include "worker/providers/protocols.hpp"

#include <gtest/gtest.h>

#include <vector>

/// What servers really answer to a parameter that they do not take, in the shapes in which they do.
namespace evalfleet::worker {
namespace {

using providers::ProviderType;

struct Said {
    const char* who;
    int status;
    const char* body;
    const char* refused;
};

/// Bodies stand on several lines here, which JSON's texts cannot.
std::string in_one_line(std::string_view body) {
    std::string out;
    for (const char c : body) {
        if (c == '\n') out += ' ';
        const bool is_margin = c == '\n' || (c == ' ' && out.ends_with(' '));
        if (!is_margin) out += c;
    }
    return out;
}

std::string refused_by(ProviderType type, int status, std::string_view body) {
    return find_protocol(type)
        .read_refusal(status, {}, in_one_line(body), {})
        .refused_parameter.value_or("none");
}

std::string refused_by(int status, std::string_view body) {
    return refused_by(ProviderType::openai, status, body);
}

TEST(ParameterRules, KnowARefusedParameterInEveryServersWords) {
    const std::vector<Said> all{
        {"vLLM", 400,
         R"({"object":"error","message":"[{'type': 'extra_forbidden', 'loc': ('body',
             'stream_options'), 'msg': 'Extra inputs are not permitted', 'input': None}]",
             "type":"BadRequestError","param":null,"code":400})",
         "stream_options"},
        {"vLLM, a form", 400,
         R"({"error":{"message":"1 validation error: {'type': 'literal_error', 'loc': ('body',
             'response_format', 'type'), 'msg': \"Input should be 'text' or 'json_schema'\"}",
             "type":"BadRequestError","param":null,"code":400}})",
         "response_format"},
        {"FastAPI, nested", 422,
         R"({"detail":[{"type":"literal_error","loc":["body","response_format","type"],
             "msg":"Input should be 'text'","input":"json_object"}]})",
         "response_format"},
        {"llama.cpp", 400,
         R"({"error":{"code":400,"message":"response_format type must be one of \"text\" or
             \"json_object\", but got: json_schema","type":"invalid_request_error"}})",
         "response_format"},
        {"llama.cpp, not built in", 501,
         R"({"error":{"code":501,"message":"This server does not support response_format",
             "type":"not_supported_error"}})",
         "response_format"},
        {"llama-cpp-python", 500,
         R"({"error":{"message":"[{'type': 'literal_error', 'loc': ('body', 'response_format')}]",
             "type":"internal_server_error","param":null,"code":null}})",
         "response_format"},
        {"a server in Python", 500, "create() got an unexpected keyword argument 'seed'", "seed"},
        {"LiteLLM", 500,
         R"({"error":{"message":"ollama does not support parameters: {'seed': 1}, for model=llama3.
             To drop these, set `litellm.drop_params=True`","type":null,"param":null,"code":500}})",
         "seed"},
        {"LiteLLM, a model that reasons", 400,
         R"({"error":{"message":"litellm.UnsupportedParamsError: gpt-5-nano doesn't support
             temperature=0.1 while reasoning is active. Only temperature=1 is supported",
             "type":"None","param":null,"code":"400"}})",
         "temperature"},
        {"LiteLLM, of OpenAI", 400,
         R"({"error":{"message":"litellm.BadRequestError: OpenAIException - Unsupported parameter:
             'stop' is not supported with this model.","type":null,"param":null,"code":"400"}})",
         "stop"},
        {"OpenRouter", 400,
         R"({"error":{"message":"Provider returned error","code":400,"metadata":{"raw":
             "{\n  \"error\": {\n    \"message\": \"Unsupported parameter: 'temperature' is not
             supported with this model.\",\n    \"param\": \"temperature\",\n    \"code\": null\n }}",
             "provider_name":"OpenAI"}},"user_id":"u"})",
         "temperature"},
        {"OpenRouter, no such endpoint", 404,
         R"({"error":{"message":"No endpoints found that support the requested parameters:
             reasoning_effort is not supported","code":404}})",
         "reasoning_effort"},
        {"Mistral", 422,
         R"({"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","seed"],
             "msg":"Extra inputs are not permitted","input":42}]},"type":"invalid_request_error",
             "param":null,"code":null})",
         "seed"},
        {"Mistral, twice", 400,
         R"({"object":"Error","detail":[{"type":"extra_forbidden","loc":["body","reasoning_effort"],
             "msg":"Extra inputs are not permitted"}],"message":[{"type":"extra_forbidden",
             "loc":["body","reasoning_effort"],"msg":"Extra inputs are not permitted"}],
             "type":"invalid_request_error","code":3001})",
         "reasoning_effort"},
        {"Groq", 400,
         R"({"error":{"message":"property 'seed' is unsupported","type":"invalid_request_error"}})",
         "seed"},
        {"Groq, reasoning", 400,
         R"({"error":{"message":"`reasoning_effort` is not supported with this model",
             "type":"invalid_request_error","param":"reasoning_effort"}})",
         "reasoning_effort"},
        {"Groq, a form", 400,
         R"({"error":{"message":"This model does not support response format `json_schema`. See
             supported models","type":"invalid_request_error"}})",
         "response_format"},
        {"xAI", 400,
         R"({"code":"Client specified an invalid argument","error":"Model grok-4-latest does not
             support parameter reasoningEffort."})",
         "reasoning_effort"},
        {"xAI, stop", 400,
         R"({"code":"invalid-argument","error":"Argument not supported on this model: stop"})",
         "stop"},
        {"TGI", 422,
         R"({"error":"Input validation error: `top_p` must be > 0.0 and < 1.0",
             "error_type":"validation"})",
         "top_p"},
        {"SGLang", 400,
         R"({"object":"error","message":"[{'type': 'extra_forbidden', 'loc': ('body', 'seed'),
             'msg': 'Extra inputs are not permitted', 'input': 42}]","type":"Bad Request",
             "param":null,"code":400})",
         "seed"},
        {"Azure", 400,
         R"({"error":{"message":"Unrecognized request argument supplied: max_completion_tokens",
             "type":"invalid_request_error","param":null,"code":null}})",
         "max_completion_tokens"},
        {"Azure, a path", 400,
         R"({"error":{"requestid":"r","code":400,"message":"Validation error at
             #/max_completion_tokens: Extra inputs are not permitted\nValidation error at #/store:
             Extra inputs are not permitted"}})",
         "max_completion_tokens"},
        {"Azure AI, JSON in a text", 400,
         R"({"error":{"code":"Invalid input","message":"{\"detail\":[{\"type\":\"extra_forbidden\",
             \"loc\":[\"body\",\"stream_options\",\"include_usage\"],\"msg\":\"Extra inputs are not
             permitted\",\"input\":true}]}","status":422}})",
         "stream_options"},
        {"Azure AI, details", 422,
         R"({"error":{"code":"Invalid input","status":422,"message":"invalid input error",
             "details":[{"type":"extra_forbidden","loc":["body","seed"],
             "msg":"Extra inputs are not permitted","input":42}]}})",
         "seed"},
        {"Azure AI, in words", 400,
         R"({"detail":"Extra parameters ['seed'] are not allowed when extra-parameters is not set"})",
         "seed"},
        {"OpenAI", 400,
         R"({"error":{"message":"Unsupported value: 'temperature' does not support 0 with this model.
             Only the default (1) value is supported.","type":"invalid_request_error",
             "param":"temperature","code":"unsupported_value"}})",
         "temperature"},
        {"OpenAI, an unknown one", 400,
         R"({"error":{"message":"m","param":"seed","code":"unknown_parameter"}})", "seed"},
        {"Moonshot", 400,
         R"({"error":{"message":"invalid top_p: only 0.95 is allowed for this model",
             "type":"invalid_request_error"}})",
         "top_p"},
        {"an error under 404 as text", 404, "response_format is not supported", "response_format"},
    };
    for (const Said& each : all)
        EXPECT_EQ(refused_by(each.status, each.body), each.refused) << each.who;
}

TEST(ParameterRules, KnowWhatOtherProtocolsSay) {
    EXPECT_EQ(refused_by(ProviderType::gemini, 400,
                         R"({"error":{"code":400,"message":"Invalid JSON payload received. Unknown
                             name \"topP\" at 'generation_config': Cannot find field.",
                             "status":"INVALID_ARGUMENT"}})"),
              "top_p");
    EXPECT_EQ(refused_by(ProviderType::gemini, 400,
                         R"({"error":{"code":400,"message":"JSON mode is not enabled for
                             models/gemma-3","status":"INVALID_ARGUMENT"}})"),
              "response_format");
    EXPECT_EQ(refused_by(ProviderType::vertex_gemini, 400,
                         R"([{"error":{"code":400,"message":"Thinking level is not supported for
                             this model.","status":"INVALID_ARGUMENT"}}])"),
              "reasoning_effort");
    EXPECT_EQ(refused_by(ProviderType::ollama, 400,
                         R"({"error":"\"llama3.1\" does not support thinking"})"),
              "reasoning_effort");
    EXPECT_EQ(refused_by(ProviderType::anthropic, 400,
                         R"({"type":"error","error":{"type":"invalid_request_error","message":
                             "This model does not support the effort parameter."}})"),
              "reasoning_effort");
    EXPECT_EQ(refused_by(ProviderType::bedrock, 400,
                         R"({"message":"Malformed input request: #: extraneous key [top_p] is not
                             permitted, please reformat your input and try again."})"),
              "top_p");
    EXPECT_EQ(refused_by(ProviderType::command, 500, "exit code 2: unrecognized option: --seed"),
              "seed");
    EXPECT_EQ(refused_by(ProviderType::command, 500,
                         R"({"error": {"message": "seed is not supported", "status": 400}})"),
              "seed");
}

TEST(ParameterRules, LeaveWhatTheRunMustMend) {
    const auto said = [](const std::string& message, int status = 400) {
        return refused_by(status, R"({"error": {"message": ")" + message + R"("}})");
    };
    EXPECT_EQ(said("temperature must be between 0 and 2"), "none");
    EXPECT_EQ(said("max_tokens is too large: 100000. This model supports at most 4096"), "none");
    EXPECT_EQ(said("reasoning_effort: Input should be 'low' or 'high'"), "none");
    EXPECT_EQ(said("Unsupported value: 'reasoning_effort' does not support 'none' with this model. "
                   "Supported values are: 'low' and 'high'."),
              "none");
    EXPECT_EQ(said("the model does not support images; reseed the cache"), "none");
    EXPECT_EQ(said("seed is not supported", 429), "none");
    EXPECT_EQ(said("seed is not supported", 503), "none");
    EXPECT_EQ(said("unknown model. " + std::string(200, 'x') + " the seed was 42"), "none");
    EXPECT_EQ(said(std::string(5000, 'x') + " seed is not supported"), "none");
    EXPECT_EQ(refused_by(500, "<html>seed is not supported</html>"), "none");
    EXPECT_EQ(refused_by(422, R"({"detail": [{"type": "missing", "loc": ["body", "seed"],
        "msg": "Field required"}]})"),
              "none");
}

TEST(ParameterRules, HoldForErrorsUnderAGoodStatusToo) {
    const auto reply =
        find_protocol(ProviderType::openai).read_reply({}, R"({"error": {"code": 400, "message":
        "property 'seed' is unsupported"}})");
    ASSERT_TRUE(reply && reply->refusal);
    EXPECT_EQ(reply->refusal->refused_parameter, "seed");
}

TEST(ParameterRules, ShowTheWordsOfTheProviderBehindARouter) {
    const Refusal refusal = find_protocol(ProviderType::openai)
                                .read_refusal(400, {}, R"({"error": {"message":
        "Provider returned error", "code": 400, "metadata": {"raw":
        "{\"error\": {\"message\": \"at most 1 image\"}}"}}})",
                                              {});
    EXPECT_EQ(refusal.message, "HTTP 400: Provider returned error: at most 1 image (400)");
}

}  // namespace
}  // namespace evalfleet::worker
