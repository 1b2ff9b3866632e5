#include "tests/integration/http/server_fixture.hpp"
#include "tests/support/certificates.hpp"
#include "tests/support/coordinator_process.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <thread>

namespace evalfleet {
namespace {

using http::RawClient;
using testing::Answer;
using ::testing::AnyOf;
using testing::CoordinatorProcess;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// The one process all of these attack; each test ends by asking whether it is the same as before.
class Hostile : public ::testing::Test {
  protected:
    static void SetUpTestSuite() {
        coordinator_ =
            new CoordinatorProcess({"--rate-limit", "0", "--address-rate-limit", "0"}, true);
    }
    static void TearDownTestSuite() {
        delete coordinator_;
        coordinator_ = nullptr;
    }

    static Answer call(const std::string& method, const std::string& path,
                       const std::string& body = "", CoordinatorProcess::Fields headers = {}) {
        headers.emplace_back("Authorization", "Bearer admin");
        return coordinator_->call(method, path, body, headers);
    }
    static std::string raw(const std::string& bytes) {
        RawClient client(coordinator_->port());
        client.send(bytes);
        return client.read_to_end();
    }
    void TearDown() override {
        EXPECT_EQ(::kill(coordinator_->pid(), 0), 0) << coordinator_->log();
        EXPECT_EQ(call("GET", "/api/v1/runs").status, 200) << "others are affected";
    }

    static CoordinatorProcess* coordinator_;
};

CoordinatorProcess* Hostile::coordinator_ = nullptr;

const std::string kHead = "Host: localhost\r\nAuthorization: Bearer admin\r\n";

TEST_F(Hostile, RefusesBodiesThatAreAnnouncedTooLarge) {
    const std::string answer =
        raw("POST /api/v1/runs HTTP/1.1\r\n" + kHead + "Content-Length: 99999999999\r\n\r\n");
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 413 "));
}

TEST_F(Hostile, RefusesBodiesThatNeverEnd) {
    RawClient client(coordinator_->port());
    client.send("POST /api/v1/runs HTTP/1.1\r\n" + kHead + "Transfer-Encoding: chunked\r\n\r\n");
    const std::string chunk = "10000\r\n" + std::string(0x10000, 'x') + "\r\n";
    std::thread sender([&] {
        for (int i = 0; i < 200; ++i)  // 13 MB; the limit is 4 MiB
            client.send(chunk);
    });
    EXPECT_THAT(client.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 413 "));
    sender.join();
}

TEST_F(Hostile, RefusesHeadsThatNeverEnd) {
    RawClient client(coordinator_->port());
    client.send("GET /api/v1/runs HTTP/1.1\r\n");
    std::thread sender([&] {
        for (int i = 0; i < 2000; ++i)
            client.send("X-Filler-" + std::to_string(i) + ": " + std::string(100, 'x') + "\r\n");
    });
    EXPECT_THAT(client.read_until("\r\n\r\n"), StartsWith("HTTP/1.1 431 "));
    sender.join();
}

TEST_F(Hostile, EndsConnectionsThatDripTheirHead) {
    std::vector<std::unique_ptr<RawClient>> drips;
    for (int i = 0; i < 100; ++i) {
        drips.push_back(std::make_unique<RawClient>(coordinator_->port()));
        drips.back()->send("GET /api/v1/runs HTTP/1.1\r\nX-Slow: ");
    }
    // A byte a second keeps none of them alive: the head as a whole has ten seconds.
    for (int second = 0; second < 12; ++second) {
        for (const auto& drip : drips)
            drip->send("x");
        EXPECT_EQ(call("GET", "/api/v1/runs").status, 200);
        ::usleep(1'000'000);
    }
    for (const auto& drip : drips)
        EXPECT_THAT(drip->read_to_end(), AnyOf("", StartsWith("HTTP/1.1 408 ")));
}

TEST_F(Hostile, SurvivesGarbage) {
    EXPECT_THAT(raw("\r\n\r\n\x16\x03\x01\x02\x00\x01\x00\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
    EXPECT_THAT(raw("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
    EXPECT_THAT(raw("GET /api/v1/runs HTTP/9.9\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
    EXPECT_THAT(raw("POST /api/v1/runs HTTP/1.1\r\n" + kHead +
                    "Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx"),
                StartsWith("HTTP/1.1 400 "));
    EXPECT_THAT(raw("POST /api/v1/runs HTTP/1.1\r\n" + kHead +
                    "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc"),
                StartsWith("HTTP/1.1 400 "));
    EXPECT_THAT(raw("POST /api/v1/runs HTTP/1.1\r\n" + kHead +
                    "Transfer-Encoding: chunked\r\n\r\nnot a size\r\n"),
                StartsWith("HTTP/1.1 400 "));
}

TEST_F(Hostile, RefusesWhatIsNotUtf8) {
    const std::string bad = "\xff\xfe\xc3\x28";
    EXPECT_EQ(call("POST", "/api/v1/runs", "{\"version\":1,\"name\":\"" + bad + "\"}").status, 422);
    EXPECT_EQ(call("POST", "/api/v1/runs", "version: 1\nname: " + bad + "\n").status, 422);
    EXPECT_EQ(call("PUT", "/api/v1/datasets/qa", "{\"task\":\"" + bad + "\"}\n").status, 422);
    EXPECT_EQ(call("GET", "/api/v1/runs/%ff%fe").status, 404);
    EXPECT_EQ(call("GET", "/api/v1/runs/%zz").status, 400);
    EXPECT_EQ(call("GET", "/api/v1/runs?name=%ff").status, 200) << "it matches nothing";
    EXPECT_EQ(call("GET", "/api/v1/runs?name=%f").status, 400);
}

TEST_F(Hostile, FindsNothingOutsideTheStore) {
    for (const std::string id : {"..%2f..%2f..%2fetc%2fpasswd", "%2e%2e", "..", ".", ".new-x",
                                 "a%2fb", "%00", "a%00b", "%2fetc%2fpasswd", "..%5c..%5cx"}) {
        for (const char* what :
             {"", "/summary", "/records", "/report.html", "/metadata", "/events"})
            EXPECT_THAT(call("GET", "/api/v1/runs/" + id + what).status, AnyOf(400, 404))
                << id << what;
        EXPECT_THAT(call("PUT", "/api/v1/datasets/" + id, "{\"task\":\"x\"}\n").status,
                    AnyOf(400, 404, 405, 422))
            << id;
        EXPECT_THAT(call("GET", "/api/v1/groups/" + id).status, AnyOf(400, 404)) << id;
        EXPECT_THAT(call("PUT", "/api/v1/baselines/" + id, R"({"run_id":"x"})").status,
                    AnyOf(400, 404, 405, 422))
            << id;
        EXPECT_THAT(call("DELETE", "/api/v1/runs/" + id).status, AnyOf(400, 404, 405)) << id;
    }
}

TEST_F(Hostile, LetsNobodyWriteItsHeaders) {
    const Answer in_path = call("GET", "/api/v1/runs/x%0d%0aX-Injected:%20yes");
    EXPECT_EQ(in_path.status, 404);
    EXPECT_THAT(in_path.head, Not(HasSubstr("X-Injected")));
    const Answer in_id = call("GET", "/api/v1/runs", "", {{"X-Request-Id", "a b\tc<script>"}});
    EXPECT_THAT(in_id.head, Not(HasSubstr("script")));
    const std::string bare =
        raw("GET /api/v1/runs HTTP/1.1\r\nHost: localhost\nX-Injected: yes\r\n\r\n");
    EXPECT_THAT(bare, AnyOf(StartsWith("HTTP/1.1 400 "), StartsWith("HTTP/1.1 401 ")));
    EXPECT_EQ(call("POST", "/api/v1/runs", "x", {{"Idempotency-Key", "a\tb"}}).status, 400);
}

TEST_F(Hostile, RefusesWhatIsNestedTooDeeply) {
    const std::string deep(100'000, '[');
    EXPECT_EQ(call("POST", "/api/v1/runs", "{\"a\":" + deep).status, 422);
    EXPECT_EQ(
        call("POST", "/api/v1/runs", "{\"a\":" + deep + std::string(100'000, ']') + "}").status,
        422);
    EXPECT_EQ(call("POST", "/api/v1/runs", deep).status, 422) << "as YAML";
    EXPECT_EQ(call("PUT", "/api/v1/datasets/qa", "{\"task\":" + deep + "\n").status, 422);
    std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
    for (int i = 1; i < 12; ++i) {
        const std::string before = "*a" + std::to_string(i - 1);
        bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
        for (int j = 0; j < 9; ++j)
            bomb += "," + before;
        bomb += "]\n";
    }
    EXPECT_EQ(call("POST", "/api/v1/runs", bomb).status, 422);
}

TEST_F(Hostile, TellsNothingToThoseWithoutAToken) {
    EXPECT_EQ(coordinator_->get("/api/v1/runs").status, 401);
    for (const std::string header :
         {"Bearer", "Bearer ", "Bearer  x", "Basic YWRtaW4=", "bearer\tx", "admin", "Token admin"})
        EXPECT_EQ(coordinator_->get("/api/v1/runs", {{"Authorization", header}}).status, 401)
            << header;
    EXPECT_EQ(
        coordinator_->get("/api/v1/runs", {{"Authorization", "Bearer " + std::string(20'000, 'x')}})
            .status,
        401);
    EXPECT_EQ(coordinator_->get("/api/v1/runs?token=admin").status, 401);
    // Whether something exists is not told either.
    EXPECT_EQ(coordinator_->get("/api/v1/runs/none").status, 401);
    EXPECT_EQ(coordinator_->call("DELETE", "/api/v1/runs/none").status, 401);
}

TEST_F(Hostile, RefusesPagesOfOtherSites) {
    EXPECT_EQ(call("POST", "/api/v1/runs", "x", {{"Origin", "https://evil.example"}}).status, 403);
    EXPECT_THAT(call("OPTIONS", "/api/v1/runs", "", {{"Origin", "https://evil.example"}}).head,
                Not(HasSubstr("Access-Control")));
}

std::size_t resident_bytes(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
    std::size_t pages = 0;
    file >> pages >> pages;
    return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

// Ten thousand, or as many as this process may have open.
std::size_t crowd_size() {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    ::getrlimit(RLIMIT_NOFILE, &limit);
    return std::min<std::size_t>(10'000, limit.rlim_cur > 600 ? limit.rlim_cur - 500 : 100);
}

std::vector<int> connect_crowd(std::uint16_t port, std::size_t count) {
    std::vector<int> crowd;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    for (std::size_t i = 0; i < count; ++i) {
        const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
            ::close(socket);
            break;
        }
        crowd.push_back(socket);
    }
    return crowd;
}

TEST_F(Hostile, ServesOthersBesideThousandsWhoSayNothing) {
    const std::size_t before = resident_bytes(coordinator_->pid());
    const std::vector<int> crowd = connect_crowd(coordinator_->port(), crowd_size());
    EXPECT_GE(crowd.size(), 100U);
    for (int i = 0; i < 20; ++i)
        EXPECT_EQ(call("GET", "/api/v1/runs").status, 200);
    const std::size_t each = (resident_bytes(coordinator_->pid()) - before) / crowd.size();
    RecordProperty("connections", static_cast<int>(crowd.size()));
    RecordProperty("bytes_each", static_cast<int>(each));
    EXPECT_LT(each, 64U * 1024) << "a quiet connection costs too much";
    for (const int socket : crowd)
        ::close(socket);
}

TEST(HostileCrowd, IsClosedFromItsOldestMemberWhenThereIsNoMoreRoom) {
    const CoordinatorProcess coordinator({"--max-connections", "100"});
    const std::vector<int> crowd = connect_crowd(coordinator.port(), 300);
    EXPECT_EQ(crowd.size(), 300U);
    for (int i = 0; i < 20; ++i)
        EXPECT_EQ(coordinator.get("/api/v1/runs").status, 200);
    pollfd first{crowd.front(), POLLIN, 0};
    EXPECT_EQ(::poll(&first, 1, 10'000), 1) << "the oldest was not closed";
    for (const int socket : crowd)
        ::close(socket);
}

TEST(HostileCrowd, LeavesAPlaceForProbesWhenThereIsNoDescriptorLeft) {
    const CoordinatorProcess coordinator;
    EXPECT_EQ(coordinator.get("/healthz").status, 200);
    const rlimit few{64, 64};
    ASSERT_EQ(::prlimit(coordinator.pid(), RLIMIT_NOFILE, &few, nullptr), 0);
    const std::vector<int> crowd = connect_crowd(coordinator.port(), 300);
    EXPECT_EQ(crowd.size(), 300U);
    for (int i = 0; i < 20; ++i)
        EXPECT_EQ(coordinator.get("/healthz").status, 200);
    for (const int socket : crowd)
        ::close(socket);
}

// Behind an ingress all have one address: what strangers send from there must not lock out those
// who have a token.
TEST(HostileJunk, DoesNotLockOutWhoHasAToken) {
    const CoordinatorProcess coordinator({"--address-rate-limit", "5"}, true);
    int throttled = 0;
    for (int i = 0; i < 50; ++i) {
        const auto headers = i % 2 == 0 ? CoordinatorProcess::Fields{}
                                        : CoordinatorProcess::as("junk" + std::to_string(i));
        throttled += coordinator.get("/api/v1/runs", headers).status == 429 ? 1 : 0;
    }
    EXPECT_GT(throttled, 20);
    EXPECT_EQ(coordinator.get("/api/v1/runs", CoordinatorProcess::as("reader")).status, 200);
    EXPECT_EQ(coordinator.get("/healthz").status, 200);
}

TEST(HostileName, IsNotAnsweredByACoordinatorWithoutTokens) {
    const CoordinatorProcess coordinator;
    RawClient client(coordinator.port());
    client.send("GET /api/v1/runs HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(client.read_to_end(), StartsWith("HTTP/1.1 403 "));
}

TEST(TlsCoordinator, AnswersOverTlsOnly) {
    testing::CertificateAuthority authority;
    const auto files = authority.issue_server();
    const testing::TemporaryFolder folder;
    testing::RedisServer redis{{}};
    testing::Process coordinator(
        {EVALFLEET_BIN_DIR "/evalfleet-coordinator", "--redis", redis.url(), "--store",
         (folder / "store").string(), "--listen", "127.0.0.1:0", "--port-file",
         (folder / "port").string(), "--tls-cert", files.certificate.string(), "--tls-key",
         files.key.string()},
        folder / "log");
    std::string port;
    for (int i = 0; i < 1200 && port.empty(); ++i) {
        std::ifstream(folder / "port") >> port;
        ::usleep(50'000);
    }
    const auto curl = [&](const std::vector<std::string>& arguments) {
        std::vector<std::string> argv{
            "curl", "-sS", "-o", (folder / "body").string(), "-D", (folder / "head").string()};
        argv.insert(argv.end(), arguments.begin(), arguments.end());
        return testing::Process(argv, folder / "curl.log").wait();
    };
    const std::string url = "https://127.0.0.1:" + port + "/healthz";
    EXPECT_EQ(curl({"--cacert", authority.certificate().string(), url}), 0);
    std::ifstream head(folder / "head");
    const std::string text((std::istreambuf_iterator<char>(head)), {});
    EXPECT_THAT(text, HasSubstr("200"));
    EXPECT_THAT(text, HasSubstr("Strict-Transport-Security"));
    EXPECT_NE(curl({url}), 0) << "its authority is not known";
    EXPECT_NE(curl({"http://127.0.0.1:" + port + "/healthz"}), 0);
}

}  // namespace
}  // namespace evalfleet
