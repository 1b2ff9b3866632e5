#include "tests/integration/worker/imposters.hpp"

#include <gmock/gmock.h>

namespace evalfleet::worker {
namespace {

using ::testing::HasSubstr;
using testing::HttpImposter;
using testing::Script;

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
    Fleet fleet(never_called);
    redirect(fleet, speech.type, imposter.url(""), speech.stream);
    const job::TrialRecord record = run_one(fleet);
    EXPECT_EQ(record.answer, "Paris.") << record.error_message.value_or("");
    EXPECT_EQ(record.finish_reason, "stop");
    EXPECT_EQ(record.model_reported, "m-1");
    EXPECT_EQ(record.input_tokens, 20);
    EXPECT_EQ(record.output_tokens, 5);
    EXPECT_EQ(record.correctness_score, 2);
    EXPECT_EQ(record.latency_first_token_ms.has_value(), speech.stream);
    ASSERT_TRUE(record.latency_model_ms && record.timing.round_trip_ms);
    EXPECT_EQ(record.latency_model_source, job::LatencySource::wire_estimate);
    // The time to the first byte is generation, whether it is streamed or not.
    EXPECT_GE(*record.latency_model_ms + *record.timing.round_trip_ms + 0.002,
              *record.timing.first_byte_ms);
    EXPECT_LE(*record.latency_model_ms, *record.latency_e2e_ms);
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

/// A stream that says that it ended, on a connection that breaks before the last chunk.
std::string broken_at_the_end(const std::string& stream) {
    constexpr std::string_view kLastChunk = "0\r\n\r\n";
    return stream.substr(0, stream.size() - kLastChunk.size());
}

TEST(WorkerProtocol, BelievesAStreamThatSaysThatItEndedWhateverBecomesOfItsConnection) {
    HttpImposter imposter({answer_with(broken_at_the_end(anthropic_stream("Paris."))),
                           answer_with(broken_at_the_end(anthropic_stream(kVerdict)))});
    Fleet fleet(never_called);
    redirect(fleet, "anthropic", imposter.url(""), true);
    const job::TrialRecord record = run_one(fleet);
    EXPECT_EQ(record.answer, "Paris.") << record.error_message.value_or("");
    EXPECT_EQ(record.attempts, 1);
    EXPECT_TRUE(record.failed_attempts.empty());
    EXPECT_EQ(record.output_tokens, 5);
    EXPECT_EQ(record.correctness_score, 2);
    EXPECT_EQ(imposter.requests().size(), 2U) << "nothing was billed twice";
}

/// A fleet whose provider is this shell script.
void answer_by_program(Fleet& fleet, const std::string& script) {
    files::blocking_write_atomically(fleet.folder() / "program.sh", script).value();
    files::blocking_write_atomically(
        fleet.folder() / "providers.json",
        R"({"providers": {"main": {"type": "command", "command": ["sh", ")" +
            (fleet.folder() / "program.sh").string() +
            R"("], "prices": {"input_usd_per_mtok": 2, "output_usd_per_mtok": 10}}}})")
        .value();
}

TEST(WorkerProtocol, LetsAProgramAnswer) {
    Fleet fleet(never_called);
    answer_by_program(fleet, "grep -q Capital || exit 9\ncat <<'END'\n{\"answer\": \"" + kVerdict +
                                 "\", \"finish_reason\": \"stop\", \"model\": \"m-1\", "
                                 "\"usage\": {\"input_tokens\": 20, \"output_tokens\": 5}}\nEND\n");
    const job::TrialRecord record = run_one(fleet);
    EXPECT_THAT(record.answer.value_or(record.error_message.value_or("")),
                HasSubstr("accuracy_score"));
    EXPECT_EQ(record.model_reported, "m-1");
    EXPECT_EQ(record.input_tokens, 20);
    EXPECT_EQ(record.correctness_score, 2);
    EXPECT_GT(record.latency_e2e_ms.value_or(0), 0);
    EXPECT_TRUE(record.cost_usd);
}

TEST(WorkerProtocol, LeavesOutWhatAProgramDoesNotTake) {
    Fleet fleet(never_called);
    answer_by_program(fleet,
                      "if grep -q seed; then echo 'unrecognized option: --seed' >&2; exit 2; "
                      "fi\necho '{\"answer\": \"Paris.\"}'\n");
    const job::TrialRecord record = run_one(fleet);
    EXPECT_EQ(record.answer, "Paris.") << record.error_message.value_or("");
    EXPECT_THAT(record.refused_parameters, ::testing::Contains("seed"));
    EXPECT_EQ(record.attempts, 2);
}

TEST(WorkerProtocol, SaysWhatAProgramPrintedInsteadOfAnAnswer) {
    Fleet fleet(never_called);
    answer_by_program(fleet, "echo 'loading the model' >&2\n");
    const job::TrialRecord record = run_one(fleet);
    EXPECT_EQ(record.error_kind, job::CallError::malformed_response);
    EXPECT_EQ(record.attempts, 1);
    EXPECT_THAT(
        record.error_message.value_or(""),
        HasSubstr("printed nothing on its standard output, and on standard error: loading"));
}

TEST(WorkerProtocol, DoesNotWaitForWhatAProgramLeavesBehind) {
    Fleet fleet(never_called);
    answer_by_program(fleet, "setsid sh -c 'while [ -d " + fleet.folder().path().string() +
                                 " ]; do sleep 0.05; done' &\necho '{\"answer\": \"Paris.\"}'\n");
    EXPECT_EQ(run_one(fleet).answer, "Paris.");
}

TEST(WorkerProtocol, TellsWhatAProgramComplainedOf) {
    Fleet fleet(never_called, R"("limits": {"max_attempts": 1})");
    answer_by_program(fleet, "echo 'no such model here' >&2\nexit 3\n");
    const job::TrialRecord record = run_one(fleet);
    EXPECT_EQ(record.error_kind, job::CallError::http_5xx);
    EXPECT_THAT(record.error_message.value_or(""), HasSubstr("exit code 3: no such model here"));
}

TEST(WorkerProtocol, EndsAProgramThatDoesNotEnd) {
    Fleet fleet(never_called, R"("limits": {"timeout_ms": 500})");
    answer_by_program(fleet, "sleep 600\n");
    const job::TrialRecord record = run_one(fleet);
    EXPECT_TRUE(record.timed_out);
    EXPECT_EQ(record.error_kind, job::CallError::timeout);
}

TEST(WorkerProtocol, ReadsAStreamThatComesByteByByte) {
    HttpImposter imposter({Script().read_request().drip(openai_stream("Paris.")),
                           answer_with(openai_stream(kVerdict))});
    Fleet fleet(never_called);
    redirect(fleet, "openai", imposter.url(""), true);
    EXPECT_EQ(run_one(fleet).answer, "Paris.");
}

TEST(WorkerProtocol, DoesNotBelieveATimeThatIsLongerThanTheCall) {
    for (const char* header : {"openai-processing-ms: 3600000", "Server-Timing: p;dur=3600000"}) {
        const std::string reply =
            response("200 OK", R"({"choices":[{"message":{"content":"Paris."}}]})",
                     "Content-Type: application/json\r\n" + std::string(header) + "\r\n");
        HttpImposter imposter({answer_with(reply), answer_with(openai_whole(kVerdict))});
        Fleet fleet(never_called);
        redirect(fleet, "openai", imposter.url(""), false);
        const job::TrialRecord record = run_one(fleet);
        EXPECT_EQ(record.latency_model_source, job::LatencySource::wire_estimate) << header;
        EXPECT_LE(*record.latency_model_ms, *record.latency_e2e_ms);
    }
}

TEST(WorkerProtocol, KeepsTheUsageOfAnAnswerThatWasAllReasoning) {
    HttpImposter imposter({answer_with(response(
        "200 OK",
        R"({"model":"m-1","choices":[{"message":{"content":""},"finish_reason":"length"}],)"
        R"("usage":{"prompt_tokens":20,"completion_tokens":1024,)"
        R"("completion_tokens_details":{"reasoning_tokens":1024}}})"))});
    Fleet fleet(never_called);
    redirect(fleet, "openai", imposter.url(""), false);
    const job::TrialRecord record = run_one(fleet);
    EXPECT_EQ(record.error_kind, job::CallError::empty_response);
    EXPECT_EQ(record.finish_reason, "length");
    EXPECT_EQ(record.input_tokens, 20);
    EXPECT_EQ(record.output_tokens, 1024);
    EXPECT_EQ(record.reasoning_tokens, 1024);
    EXPECT_EQ(record.tokens_source, job::TokensSource::provider);
    EXPECT_DOUBLE_EQ(record.cost_usd.value_or(0), 20 * 2e-6 + 1024 * 10e-6);
    EXPECT_EQ(record.latency_model_source, job::LatencySource::wire_estimate);
}

TEST(WorkerProtocol, KeepsWhatAStreamCountedBeforeTimeRanOut) {
    const std::string whole = anthropic_stream("Paris.");
    const std::size_t end = whole.find("message_delta");
    HttpImposter imposter({Script().read_request().send(whole.substr(0, end)).hang()});
    Fleet fleet(never_called, R"("limits": {"timeout_ms": 500})");
    redirect(fleet, "anthropic", imposter.url(""), true);
    const job::TrialRecord record = run_one(fleet);
    EXPECT_TRUE(record.timed_out);
    EXPECT_EQ(record.answer, std::nullopt);
    EXPECT_EQ(record.input_tokens, 20);
    EXPECT_EQ(record.output_tokens, 1);
    EXPECT_TRUE(record.cost_usd);
}

TEST(WorkerProtocol, SaysWhereItRuns) {
    HttpImposter imposter(
        {answer_with(openai_whole("Paris.")), answer_with(openai_whole(kVerdict))});
    Fleet fleet(never_called);
    redirect(fleet, "openai", imposter.url(""), false);
    const auto worker = fleet.start_worker({"--environment", "region=eu-west-1,deployment=test"});
    fleet.enqueue(0, R"({"id": "q1", "task": "Capital?"})");
    EXPECT_THAT(
        fleet.blocking_next_record().worker_environment.value_or(""),
        ::testing::StartsWith("region=eu-west-1,deployment=test,runtime=evalfleet-worker "));
}

TEST(WorkerProtocol, TriesAgainWithoutWhatTheModelRefuses) {
    const std::string refusal =
        response("400 Bad Request",
                 R"({"error":{"message":"Unsupported value: 'temperature'","type":)"
                 R"("invalid_request_error","param":"temperature","code":"unsupported_value"}})");
    HttpImposter imposter({answer_with(refusal), answer_with(openai_whole("Paris.")),
                           answer_with(openai_whole(kVerdict))});
    Fleet fleet(never_called);
    redirect(fleet, "openai", imposter.url(""), false);
    const job::TrialRecord record = run_one(fleet);
    EXPECT_EQ(record.answer, "Paris.");
    EXPECT_EQ(record.attempts, 2);
    EXPECT_THAT(record.refused_parameters, ::testing::ElementsAre("temperature"));
    EXPECT_EQ(record.seed_supported, true);
    EXPECT_THAT(imposter.requests().at(0), HasSubstr("\"temperature\""));
    EXPECT_THAT(imposter.requests().at(1), ::testing::Not(HasSubstr("\"temperature\"")));
}

}  // namespace
}  // namespace evalfleet::worker
