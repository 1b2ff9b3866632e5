#include "tests/integration/worker/imposters.hpp"

#include <gmock/gmock.h>

/// Every row of the table of failures in docs/semantics.md, section 2.1. The rows and their tests:
///
/// - the call's time is over: Timeout, TimeoutInTheBody
/// - an attempt's own time is over: IsTriedAgainAfterAnAttemptThatRanOutOfItsOwnTime
/// - refused, reset, closed, connecting takes too long: Reset, Closed, IsConnectWhere...
/// - no such host: IsConnectWithoutAnotherAttemptWhereThereIsNoSuchHost
/// - a body whose connection breaks: CutBody, CutStream
/// - certificate or handshake: IsTlsWhere...
/// - 408, 409, 498: RequestTimeout, Conflict, CapacityExceeded
/// - other 4xx: BadRequest, WrongKey, Forbidden, UnknownModel, FilteredPrompt
/// - 400 for a parameter: WorkerProtocol.TriesAgainWithoutWhatTheModelRefuses (protocol_test.cpp)
/// - 429: TooMany; for money or a quota of the day: OutOfMoney, OutOfMoneyUnder200, DailyQuota
/// - 5xx: ServerError, Overloaded, NotImplemented, VersionNotSupported
/// - an error under 200 or in a stream: ErrorUnder200..., ErrorInAStream...
/// - a stream that is over before it said so: BrokenStream
/// - a body of another shape, a redirect: Html, Redirect
/// - compressed, too large, no HTTP: Gzip, TooLarge, TooLargeInChunks, LongHeader, NoHttp
/// - no text: EmptyAnswer
/// - the run was cancelled: WorkerLifecycle.StopsTheCallsOfACancelledRun (lifecycle_test.cpp)
/// - its worker was lost too often: tests/unit/coordinator/runs/intake_test.cpp
namespace evalfleet::worker {
namespace {

using testing::HttpImposter;
using testing::Script;

struct Failure {
    const char* name;
    Script script;  // of every connection
    job::CallError kind;
    int attempts;  // of two that are allowed
    std::optional<std::int64_t> status;
    bool stream = false;
    bool timed_out = false;
    const char* finish_reason = nullptr;
    const char* type = "openai";
};

std::vector<Failure> failures() {
    using job::CallError;
    const auto refuse = [](const std::string& status, const std::string& body = "{}") {
        return answer_with(response(status, body));
    };
    const auto broken = chunked("text/event-stream",
                                {"data: {\"choices\":[{\"delta\":{\"content\":\"Par\"}}]}\n\n"});
    const auto mid_error = [](const std::string& code) {
        return answer_with(
            chunked("text/event-stream",
                    {"data: {\"choices\":[{\"delta\":{\"content\":\"Par\"}}]}\n\n",
                     R"(data: {"error":{"message":"lost","code":)" + code + "}}\n\n"}));
    };
    const auto under_200 = [refuse](const std::string& code) {
        return refuse("200 OK", R"({"error":{"message":"no","code":)" + code + "}}");
    };
    const std::string daily =
        R"({"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"m","details":[)"
        R"({"violations":[{"quotaId":"GenerateRequestsPerDayPerProject"}]},{"retryDelay":"9s"}]}})";
    return {
        {"Timeout", Script().read_request().hang(), CallError::timeout, 1, {}, false, true},
        {"TimeoutInTheBody",
         Script().read_request().send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{").hang(),
         CallError::timeout, 1, 200, false, true},
        {"Closed", Script().read_request(), CallError::connect, 2, {}},
        {"Reset", Script().read_request().reset(), CallError::connect, 2, {}},
        {"CutBody",
         Script().read_request().send("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"cho"),
         CallError::connect, 2, 200},
        {"CutStream",
         Script().read_request().send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                                      "Transfer-Encoding: chunked\r\n\r\n7\r\ndata: {"),
         CallError::connect, 2, 200, true},
        {"BadRequest", refuse("400 Bad Request"), CallError::http_4xx, 1, 400},
        {"WrongKey", refuse("401 Unauthorized"), CallError::http_4xx, 1, 401},
        {"Forbidden", refuse("403 Forbidden"), CallError::http_4xx, 1, 403},
        {"UnknownModel", refuse("404 Not Found"), CallError::http_4xx, 1, 404},
        {"FilteredPrompt",
         refuse("400 Bad Request", R"({"error":{"code":"content_filter","message":"no"}})"),
         CallError::http_4xx, 1, 400, false, false, "content_filter"},
        {"RequestTimeout", refuse("408 Request Timeout"), CallError::http_4xx, 2, 408},
        {"Conflict", refuse("409 Conflict"), CallError::http_4xx, 2, 409},
        {"CapacityExceeded", refuse("498 Capacity Exceeded"), CallError::http_4xx, 2, 498},
        {"TooMany", refuse("429 Too Many Requests"), CallError::http_429, 2, 429},
        {"OutOfMoney",
         refuse("429 Too Many Requests",
                R"({"error":{"code":"insufficient_quota","message":"m"}})"),
         CallError::http_429, 1, 429},
        {"OutOfMoneyUnder200", under_200(R"("insufficient_quota")"), CallError::http_429, 1, 200},
        {"DailyQuota", refuse("429 Too Many Requests", daily), CallError::http_429, 1, 429, false,
         false, nullptr, "gemini"},
        {"ServerError", refuse("500 Internal Server Error"), CallError::http_5xx, 2, 500},
        {"NotImplemented", refuse("501 Not Implemented"), CallError::http_5xx, 1, 501},
        {"Overloaded", refuse("529 Overloaded"), CallError::http_5xx, 2, 529},
        {"VersionNotSupported", refuse("505 HTTP Version Not Supported"), CallError::http_5xx, 1,
         505},
        {"ErrorUnder200", under_200("503"), CallError::http_5xx, 2, 200},
        {"ErrorUnder200Of4xx", under_200("400"), CallError::http_4xx, 1, 200},
        {"ErrorUnder200Of429", under_200("429"), CallError::http_429, 2, 200},
        {"ErrorInAStream", mid_error("502"), CallError::http_5xx, 2, 200, true},
        {"ErrorInAStreamOf4xx", mid_error("400"), CallError::http_4xx, 1, 200, true},
        {"ErrorInAStreamOf429", mid_error("429"), CallError::http_429, 2, 200, true},
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
        {"TooLargeInChunks",
         answer_with(chunked("application/json",
                             std::vector<std::string>(17, std::string(1024 * 1024, ' ')))),
         CallError::malformed_response, 1, 200},
        {"LongHeader",
         Script().read_request().send("HTTP/1.1 200 OK\r\nX: " + std::string(70'000, 'x')),
         CallError::malformed_response,
         1,
         {}},
        {"NoHttp",
         Script().read_request().send("SSH-2.0-OpenSSH_9.2\r\n"),
         CallError::malformed_response,
         1,
         {}},
        {"EmptyAnswer", answer_with(response("200 OK", completion(""))), CallError::empty_response,
         1, 200, false, false, "stop"},
    };
}

class WorkerFailure : public ::testing::TestWithParam<Failure> {};

TEST_P(WorkerFailure, IsWhatTheTableSays) {
    const Failure& failure = GetParam();
    HttpImposter imposter({failure.script});
    const std::string limits =
        failure.timed_out ? R"("limits": {"timeout_ms": 300})" : R"("limits": {"max_attempts": 2})";
    Fleet fleet(never_called, limits);
    redirect(fleet, failure.type, imposter.url(""), failure.stream);
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
    Fleet fleet(never_called, R"("limits": {"max_attempts": 2})");
    redirect(fleet, "openai", url, false);
    const job::TrialRecord record = run_one(fleet);
    EXPECT_EQ(record.error_kind, job::CallError::connect);
    EXPECT_EQ(record.attempts, 2);
    EXPECT_EQ(record.http_status, std::nullopt);
}

TEST(WorkerFailure, IsTlsWhereTheOtherSideSpeaksNone) {
    HttpImposter imposter({Script().send("HTTP/1.1 400 Bad Request\r\n\r\n")});
    Fleet fleet(never_called, R"("limits": {"max_attempts": 2})");
    redirect(fleet, "openai", "https://127.0.0.1:" + std::to_string(imposter.port()), false);
    const job::TrialRecord record = run_one(fleet);
    EXPECT_EQ(record.error_kind, job::CallError::tls) << record.error_message.value_or("");
    EXPECT_EQ(record.attempts, 1);
    EXPECT_EQ(record.http_status, std::nullopt);
}

TEST(WorkerFailure, IsTlsWhereNobodyVouchesForTheCertificate) {
    testing::CertificateAuthority authority;
    HttpImposter imposter({Script().answer(completion("x"))}, authority.issue_server());
    Fleet fleet(never_called, R"("limits": {"max_attempts": 2})");
    redirect(fleet, "openai", imposter.url(""), false);
    const job::TrialRecord record = run_one(fleet);
    EXPECT_EQ(record.error_kind, job::CallError::tls) << record.error_message.value_or("");
    EXPECT_EQ(record.attempts, 1);
    EXPECT_EQ(record.http_status, std::nullopt);
}

TEST(WorkerFailure, IsConnectWhereConnectingTakesTooLong) {
    HttpImposter imposter({Script().hang()});  // never shakes hands
    Fleet fleet(never_called, R"("limits": {"max_attempts": 2, "connect_timeout_ms": 100})");
    redirect(fleet, "openai", "https://127.0.0.1:" + std::to_string(imposter.port()), false);
    const job::TrialRecord record = run_one(fleet);
    EXPECT_EQ(record.error_kind, job::CallError::connect) << record.error_message.value_or("");
    EXPECT_EQ(record.attempts, 2);
    EXPECT_FALSE(record.timed_out);
}

TEST(WorkerFailure, IsConnectWithoutAnotherAttemptWhereThereIsNoSuchHost) {
    // A label has at most 63 letters, so that no name server needs to be asked.
    const std::string host = std::string(64, 'a') + ".invalid";
    Fleet fleet(never_called, R"("limits": {"max_attempts": 2})");
    redirect(fleet, "openai", "http://" + host, false);
    const job::TrialRecord record = run_one(fleet);
    EXPECT_EQ(record.error_kind, job::CallError::connect) << record.error_message.value_or("");
    EXPECT_EQ(record.attempts, 1);
    EXPECT_EQ(record.http_status, std::nullopt);
}

TEST(WorkerFailure, IsTriedAgainAfterAnAttemptThatRanOutOfItsOwnTime) {
    const std::string limits = R"("limits": {"timeout_ms": 60000, "attempt_timeout_ms": 300,
                                             "max_attempts": 2})";
    HttpImposter slow_once(
        {Script().read_request().hang(), answer_with(response("200 OK", completion("Paris.")))});
    Fleet fleet(never_called, limits);
    redirect(fleet, "openai", slow_once.url(""), false);
    const job::TrialRecord answered = run_one(fleet);
    EXPECT_EQ(answered.answer, "Paris.") << answered.error_message.value_or("");
    EXPECT_EQ(answered.attempts, 2);
    EXPECT_EQ(answered.failed_attempts.at("timeout"), 1);
    EXPECT_FALSE(answered.timed_out);

    HttpImposter slow({Script().read_request().hang()});
    Fleet other(never_called, limits);
    redirect(other, "openai", slow.url(""), false);
    const job::TrialRecord given_up = run_one(other);
    EXPECT_EQ(given_up.error_kind, job::CallError::timeout);
    EXPECT_EQ(given_up.attempts, 2);
    EXPECT_TRUE(given_up.timed_out);
}

}  // namespace
}  // namespace evalfleet::worker
