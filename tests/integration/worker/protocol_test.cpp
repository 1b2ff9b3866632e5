#include "common/files/atomic_file.hpp"
#include "tests/integration/worker/fleet.hpp"
#include "tests/support/http_imposter.hpp"

#include <gmock/gmock.h>

namespace evalfleet::worker {
namespace {

using ::testing::HasSubstr;
using testing::HttpImposter;
using testing::Script;

std::string response(const std::string& status_line, const std::string& body,
                     const std::string& headers = "Content-Type: application/json\r\n") {
    return "HTTP/1.1 " + status_line + "\r\n" + headers +
           "Connection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
           body;
}

std::string chunked(const std::string& type, const std::vector<std::string>& pieces) {
    std::string out = "HTTP/1.1 200 OK\r\nContent-Type: " + type +
                      "\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (const std::string& piece : pieces) {
        char size[32];
        std::snprintf(size, sizeof(size), "%zx\r\n", piece.size());
        out += size + piece + "\r\n";
    }
    return out + "0\r\n\r\n";
}

Script answer_with(std::string bytes) {
    return Script().read_request().send(std::move(bytes));
}

/// Sends the worker's calls to the imposter instead of the fleet's own model.
void redirect(Fleet& fleet, const std::string& type, const std::string& url, bool stream) {
    files::blocking_write_atomically(
        fleet.folder() / "providers.json",
        R"({"providers": {"main": {"type": ")" + type + R"(", "base_url": ")" + url +
            R"(", "api_key_env": "TEST_KEY", "stream": )" + (stream ? "true" : "false") +
            R"(, "prices": {"input_usd_per_mtok": 2, "output_usd_per_mtok": 10}}}})")
        .value();
}

job::TrialRecord run_one(Fleet& fleet) {
    const auto worker = fleet.start_worker();
    fleet.enqueue(0, R"({"id": "q1", "task": "Capital?"})");
    return fleet.blocking_next_record();
}

// --- Every protocol, whole and streamed ---------------------------------------------------------

struct Speech {
    const char* name;
    const char* type;
    bool stream;
    std::string model_reply;  // "Paris.", 20 tokens in and 5 out
    std::string judge_reply;  // a verdict
    const char* path;         // of the request
};

const std::string kVerdict =
    R"({\"accuracy_score\": 2, \"faithfulness_score\": 2, \"rationale\": \"ok\"})";

std::string openai_whole(const std::string& text) {
    return response(
        "200 OK",
        R"({"id":"c","model":"m-1","choices":[{"message":{"content":")" + text +
            R"("},"finish_reason":"stop"}],"usage":{"prompt_tokens":20,"completion_tokens":5}})");
}

std::string openai_stream(const std::string& text) {
    return chunked(
        "text/event-stream",
        {R"(data: {"id":"c","model":"m-1","choices":[{"delta":{"content":")" + text + "\"}}]}\n\n",
         "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
         "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":20,\"completion_tokens\":5}}\n\n",
         "data: [DONE]\n\n"});
}

std::string anthropic_whole(const std::string& text) {
    return response(
        "200 OK",
        R"({"id":"msg","type":"message","model":"m-1","content":[{"type":"text","text":")" + text +
            R"("}],"stop_reason":"end_turn","usage":{"input_tokens":12,"cache_read_input_tokens":8,"output_tokens":5}})");
}

std::string anthropic_stream(const std::string& text) {
    return chunked(
        "text/event-stream",
        {R"(data: {"type":"message_start","message":{"id":"msg","model":"m-1","usage":{"input_tokens":12,"cache_read_input_tokens":8,"output_tokens":1}}})"
         "\n\n",
         R"(data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":")" +
             text + "\"}}\n\n",
         R"(data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}})"
         "\n\n",
         "data: {\"type\":\"message_stop\"}\n\n"});
}

std::string gemini_body(const std::string& text) {
    return R"({"candidates":[{"content":{"parts":[{"text":")" + text +
           R"("}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":20,"candidatesTokenCount":5},"modelVersion":"m-1"})";
}

std::string ollama_body(const std::string& text) {
    return R"({"model":"m-1","message":{"role":"assistant","content":")" + text +
           R"("},"done":true,"done_reason":"stop","prompt_eval_count":20,"eval_count":5})";
}

std::vector<Speech> speeches() {
    const auto whole = [](const std::string& body) { return response("200 OK", body); };
    const auto events = [](const std::string& body) {
        return chunked("text/event-stream", {"data: " + body + "\r\n\r\n"});
    };
    const auto lines = [](const std::string& body) {
        return chunked("application/x-ndjson", {body + "\n"});
    };
    return {
        {"OpenAi", "openai", false, openai_whole("Paris."), openai_whole(kVerdict),
         "POST /chat/completions "},
        {"OpenAiStream", "openai", true, openai_stream("Paris."), openai_stream(kVerdict),
         "POST /chat/completions "},
        {"Azure", "azure-openai", false, openai_whole("Paris."), openai_whole(kVerdict),
         "POST /openai/deployments/m/chat/completions?api-version="},
        {"AzureStream", "azure-openai", true, openai_stream("Paris."), openai_stream(kVerdict),
         "POST /openai/deployments/m/chat/completions?api-version="},
        {"Anthropic", "anthropic", false, anthropic_whole("Paris."), anthropic_whole(kVerdict),
         "POST /v1/messages "},
        {"AnthropicStream", "anthropic", true, anthropic_stream("Paris."),
         anthropic_stream(kVerdict), "POST /v1/messages "},
        {"Gemini", "gemini", false, whole(gemini_body("Paris.")), whole(gemini_body(kVerdict)),
         "POST /v1beta/models/m:generateContent "},
        {"GeminiStream", "gemini", true, events(gemini_body("Paris.")),
         events(gemini_body(kVerdict)), "POST /v1beta/models/m:streamGenerateContent?alt=sse "},
        {"Ollama", "ollama", false, whole(ollama_body("Paris.")), whole(ollama_body(kVerdict)),
         "POST /api/chat "},
        {"OllamaStream", "ollama", true, lines(ollama_body("Paris.")), lines(ollama_body(kVerdict)),
         "POST /api/chat "},
    };
}

class WorkerProtocol : public ::testing::TestWithParam<Speech> {};

TEST_P(WorkerProtocol, TakesATrialToItsRecord) {
    const Speech& speech = GetParam();
    HttpImposter imposter({answer_with(speech.model_reply), answer_with(speech.judge_reply)});
    Fleet fleet([](const SeenCall&) -> Action { return {}; });
    redirect(fleet, speech.type, imposter.url(""), speech.stream);
    const job::TrialRecord record = run_one(fleet);
    EXPECT_EQ(record.answer, "Paris.") << record.error_message.value_or("");
    EXPECT_EQ(record.finish_reason, "stop");
    EXPECT_EQ(record.model_reported, "m-1");
    EXPECT_EQ(record.input_tokens, 20);
    EXPECT_EQ(record.output_tokens, 5);
    EXPECT_EQ(record.correctness_score, 2);
    EXPECT_EQ(record.latency_first_token_ms.has_value(), speech.stream);
    EXPECT_TRUE(record.latency_model_ms && record.latency_model_source);
    EXPECT_TRUE(record.timing_error_bound_ms);
    EXPECT_TRUE(record.timing.queue_wait_ms);
    EXPECT_TRUE(record.timing.connect_ms && record.timing.first_byte_ms && record.timing.model_ms &&
                record.timing.judge_ms);
    EXPECT_TRUE(record.cost_usd && record.evaluator_cost_usd);
    ASSERT_EQ(imposter.requests().size(), 2U);
    EXPECT_THAT(imposter.requests().front(), HasSubstr(speech.path));
}

INSTANTIATE_TEST_SUITE_P(All, WorkerProtocol, ::testing::ValuesIn(speeches()),
                         [](const auto& test) { return test.param.name; });

TEST(WorkerProtocol, ReadsAStreamThatComesByteByByte) {
    HttpImposter imposter({Script().read_request().drip(openai_stream("Paris.")),
                           answer_with(openai_stream(kVerdict))});
    Fleet fleet([](const SeenCall&) -> Action { return {}; });
    redirect(fleet, "openai", imposter.url(""), true);
    EXPECT_EQ(run_one(fleet).answer, "Paris.");
}

TEST(WorkerProtocol, TriesAgainWithoutWhatTheModelRefuses) {
    const std::string refusal =
        response("400 Bad Request",
                 R"({"error":{"message":"Unsupported value: 'temperature'","type":)"
                 R"("invalid_request_error","param":"temperature","code":"unsupported_value"}})");
    HttpImposter imposter({answer_with(refusal), answer_with(openai_whole("Paris.")),
                           answer_with(openai_whole(kVerdict))});
    Fleet fleet([](const SeenCall&) -> Action { return {}; });
    redirect(fleet, "openai", imposter.url(""), false);
    const job::TrialRecord record = run_one(fleet);
    EXPECT_EQ(record.answer, "Paris.");
    EXPECT_EQ(record.attempts, 2);
    EXPECT_THAT(record.refused_parameters, ::testing::ElementsAre("temperature"));
    EXPECT_EQ(record.seed_supported, true);
    EXPECT_THAT(imposter.requests().at(0), HasSubstr("\"temperature\""));
    EXPECT_THAT(imposter.requests().at(1), ::testing::Not(HasSubstr("\"temperature\"")));
}

// --- Every row of the table of failure kinds in docs/semantics.md -------------------------------

struct Failure {
    const char* name;
    Script script;  // of every connection
    job::CallError kind;
    int attempts;  // of two that are allowed
    std::optional<std::int64_t> status;
    bool stream = false;
    bool timed_out = false;
    const char* finish_reason = nullptr;
};

std::vector<Failure> failures() {
    using job::CallError;
    const auto refuse = [](const std::string& status, const std::string& body = "{}") {
        return answer_with(response(status, body));
    };
    const auto broken = chunked("text/event-stream",
                                {"data: {\"choices\":[{\"delta\":{\"content\":\"Par\"}}]}\n\n"});
    const auto mid_error =
        chunked("text/event-stream", {"data: {\"choices\":[{\"delta\":{\"content\":\"Par\"}}]}\n\n",
                                      "data: {\"error\":{\"message\":\"lost\",\"code\":502}}\n\n"});
    return {
        {"Timeout", Script().read_request().hang(), CallError::timeout, 1, {}, false, true},
        {"Reset", Script().read_request().reset(), CallError::connect, 2, {}},
        {"CutBody",
         Script().read_request().send("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"cho"),
         CallError::connect, 2, 200},
        {"BadRequest", refuse("400 Bad Request"), CallError::http_4xx, 1, 400},
        {"WrongKey", refuse("401 Unauthorized"), CallError::http_4xx, 1, 401},
        {"Forbidden", refuse("403 Forbidden"), CallError::http_4xx, 1, 403},
        {"UnknownModel", refuse("404 Not Found"), CallError::http_4xx, 1, 404},
        {"FilteredPrompt",
         refuse("400 Bad Request", R"({"error":{"code":"content_filter","message":"no"}})"),
         CallError::http_4xx, 1, 400, false, false, "content_filter"},
        {"RequestTimeout", refuse("408 Request Timeout"), CallError::http_4xx, 2, 408},
        {"TooMany", refuse("429 Too Many Requests"), CallError::http_429, 2, 429},
        {"OutOfMoney",
         refuse("429 Too Many Requests",
                R"({"error":{"code":"insufficient_quota","message":"m"}})"),
         CallError::http_429, 1, 429},
        {"ServerError", refuse("500 Internal Server Error"), CallError::http_5xx, 2, 500},
        {"NotImplemented", refuse("501 Not Implemented"), CallError::http_5xx, 1, 501},
        {"ErrorUnder200", refuse("200 OK", R"({"error":{"code":503,"message":"busy"}})"),
         CallError::http_5xx, 2, 200},
        {"ErrorInAStream", answer_with(mid_error), CallError::http_5xx, 2, 200, true},
        {"BrokenStream", answer_with(broken), CallError::malformed_response, 2, 200, true},
        {"Html", answer_with(response("200 OK", "<html>", "Content-Type: text/html\r\n")),
         CallError::malformed_response, 1, 200},
        {"Redirect", answer_with(response("302 Found", "", "Location: http://else/\r\n")),
         CallError::malformed_response, 1, 302},
        {"Gzip",
         answer_with(response("200 OK", "\x1f\x8b", "Content-Encoding: gzip\r\n")),
         CallError::malformed_response,
         1,
         {}},
        {"TooLarge",
         Script().read_request().send("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n{"),
         CallError::malformed_response,
         1,
         {}},
        {"EmptyAnswer", answer_with(openai_whole("")), CallError::empty_response, 1, 200, false,
         false, "stop"},
    };
}

class WorkerFailure : public ::testing::TestWithParam<Failure> {};

TEST_P(WorkerFailure, IsWhatTheTableSays) {
    const Failure& failure = GetParam();
    HttpImposter imposter({failure.script});
    const std::string limits =
        failure.timed_out ? R"("limits": {"timeout_ms": 300})" : R"("limits": {"max_attempts": 2})";
    Fleet fleet([](const SeenCall&) -> Action { return {}; }, limits);
    redirect(fleet, "openai", imposter.url(""), failure.stream);
    const job::TrialRecord record = run_one(fleet);
    EXPECT_EQ(record.error_kind, failure.kind) << record.error_message.value_or("no message");
    EXPECT_EQ(record.attempts, failure.attempts);
    EXPECT_EQ(record.http_status, failure.status);
    EXPECT_EQ(record.timed_out, failure.timed_out);
    EXPECT_EQ(record.finish_reason.value_or("none"),
              failure.finish_reason ? failure.finish_reason : "none");
    EXPECT_TRUE(record.error_message && !record.error_message->empty());
    EXPECT_EQ(record.input_tokens, std::nullopt);
    EXPECT_EQ(record.correctness_score, 0);
    EXPECT_EQ(record.sample_score, 0);
    EXPECT_EQ(record.failure_label, failure.timed_out
                                        ? job::FailureLabel::timeout_or_latency_exceeded
                                        : job::FailureLabel::other);
    EXPECT_TRUE(record.latency_e2e_ms && record.timing_error_bound_ms);
}

INSTANTIATE_TEST_SUITE_P(All, WorkerFailure, ::testing::ValuesIn(failures()),
                         [](const auto& test) { return test.param.name; });

TEST(WorkerFailure, IsConnectWhereNobodyListens) {
    std::string url;
    {
        const HttpImposter gone({Script()});
        url = gone.url("");
    }
    Fleet fleet([](const SeenCall&) -> Action { return {}; }, R"("limits": {"max_attempts": 2})");
    redirect(fleet, "openai", url, false);
    const job::TrialRecord record = run_one(fleet);
    EXPECT_EQ(record.error_kind, job::CallError::connect);
    EXPECT_EQ(record.attempts, 2);
    EXPECT_EQ(record.http_status, std::nullopt);
}

TEST(WorkerFailure, IsTlsWhereTheOtherSideSpeaksNone) {
    HttpImposter imposter({Script().send("HTTP/1.1 400 Bad Request\r\n\r\n")});
    Fleet fleet([](const SeenCall&) -> Action { return {}; }, R"("limits": {"max_attempts": 2})");
    redirect(fleet, "openai", "https://127.0.0.1:" + std::to_string(imposter.port()), false);
    const job::TrialRecord record = run_one(fleet);
    EXPECT_EQ(record.error_kind, job::CallError::tls) << record.error_message.value_or("");
    EXPECT_EQ(record.http_status, std::nullopt);
}

}  // namespace
}  // namespace evalfleet::worker
