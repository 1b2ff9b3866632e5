#include "tests/integration/worker/imposters.hpp"
#include "tests/support/certificates.hpp"

#include <gmock/gmock.h>

namespace evalfleet::worker {
namespace {

using ::testing::HasSubstr;
using testing::HttpImposter;
using testing::Script;

TEST(WorkerConnection, ThatWasClosedUnderARequestIsAnAttemptOfItsOwn) {
    HttpImposter server(
        {Script().answer(completion("Paris.")).answer(completion(verdict())).read_request(),
         Script().answer(completion("Oslo.")).answer(completion(verdict())).hang()});
    Fleet fleet(never_called, R"("limits": {"max_attempts": 1, "give_up_after_ms": 0})");
    fleet.write_provider(R"("idle_timeout_ms": 600000)", "providers.json", "main",
                         "http://127.0.0.1:" + std::to_string(server.port()));
    const auto worker = fleet.start_worker();
    fleet.enqueue(0);
    EXPECT_EQ(fleet.blocking_next_record().attempts, 1);
    fleet.enqueue(1);
    const job::TrialRecord second = fleet.blocking_next_record();
    EXPECT_EQ(second.answer, "Oslo.");
    EXPECT_EQ(second.attempts, 2) << "one more than is allowed for failures of the provider";
    ASSERT_EQ(second.failed_attempts.size(), 1U);
    EXPECT_EQ(second.failed_attempts.begin()->second, 1);
    EXPECT_EQ(server.count_connections(), 2U);
}

TEST(WorkerConnection, TrustsAnAuthorityOfItsProviderAndShowsACertificate) {
    testing::CertificateAuthority authority;
    HttpImposter server(
        {Script().answer(completion("Paris.")).answer(completion(verdict())).hang()},
        authority.issue_server(), authority.certificate());
    const auto identity = authority.issue_client("worker");
    Fleet fleet(never_called);
    fleet.write_provider(R"("ca_file": ")" + authority.certificate().string() +
                             R"(", "client_cert_file": ")" + identity.certificate.string() +
                             R"(", "client_key_file": ")" + identity.key.string() + "\"",
                         "providers.json", "main",
                         "https://127.0.0.1:" + std::to_string(server.port()));
    EXPECT_EQ(run_one(fleet).answer, "Paris.");
}

TEST(WorkerConnection, NeedsCertificateFilesThatCanBeUsed) {
    Fleet fleet(never_called);
    fleet.write_provider(R"("ca_file": "/nonexistent/ca.pem")", "providers.json", "main",
                         "https://127.0.0.1:1");
    const auto worker = fleet.start_worker();
    EXPECT_EQ(worker->blocking_await_exit(), 2);
    EXPECT_THAT(worker->output(), HasSubstr("provider 'main': TLS authorities"));
    EXPECT_THAT(worker->output(), HasSubstr("/nonexistent/ca.pem"));
}

}  // namespace
}  // namespace evalfleet::worker
