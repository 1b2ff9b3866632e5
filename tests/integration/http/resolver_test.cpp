#include "common/http/resolver.hpp"

#include "tests/integration/http/client_fixture.hpp"
#include "tests/support/name_server.hpp"

#include <gmock/gmock.h>

/// How names become addresses, asked of a name server on the loopback.
namespace evalfleet::http {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::HttpImposter;
using testing::NameRecord;
using testing::NameServer;
using testing::Script;

/// The addresses as texts, or the error.
std::vector<std::string> texts_of(const Result<Addresses>& addresses) {
    if (!addresses) return {addresses.error().message};
    std::vector<std::string> texts;
    for (const auto& address : *addresses)
        texts.push_back(address.to_string());
    return texts;
}

/// A resolver on a clock that the test moves.
class NameResolution : public ::testing::Test {
  protected:
    explicit NameResolution(NameRecord record = {.v4 = {"127.0.0.9"}, .ttl = 300})
        : server_(std::move(record)) {}

    Result<Addresses> resolve(const std::string& host) {
        return testing::run(context_, resolver_.resolve(host));
    }

    boost::asio::io_context context_{1};
    testing::ManualClock clock_;
    NameServer server_;
    NameLookup names_{server_.place()};
    Resolver resolver_{
        clock_, {}, [this](const std::string& host) { return names_.blocking_ask(host); }};
};

TEST_F(NameResolution, KeepsAnAnswerAsLongAsItsTtlSays) {
    EXPECT_THAT(texts_of(resolve("model.test")), ElementsAre("127.0.0.9"));
    server_.set({.v4 = {"127.0.0.10"}, .ttl = 5});
    clock_.advance(299s);
    EXPECT_THAT(texts_of(resolve("model.test")), ElementsAre("127.0.0.9"));
    EXPECT_EQ(server_.count_questions(), 1U);
    clock_.advance(1s);
    EXPECT_THAT(texts_of(resolve("model.test")), ElementsAre("127.0.0.10"));
    clock_.advance(4s);
    EXPECT_THAT(texts_of(resolve("model.test")), ElementsAre("127.0.0.10"));
    EXPECT_EQ(server_.count_questions(), 2U);
    clock_.advance(1s);
    EXPECT_THAT(texts_of(resolve("model.test")), ElementsAre("127.0.0.10"));
    EXPECT_EQ(server_.count_questions(), 3U);
}

TEST_F(NameResolution, TakesTheTtlOfAnAliasThatIsShorter) {
    server_.set({.v4 = {"127.0.0.9"}, .ttl = 3600, .alias_ttl = 20});
    EXPECT_THAT(texts_of(resolve("alias.test")), ElementsAre("127.0.0.9"));
    clock_.advance(19s);
    EXPECT_TRUE(resolve("alias.test"));
    EXPECT_EQ(server_.count_questions(), 1U);
    clock_.advance(1s);
    EXPECT_TRUE(resolve("alias.test"));
    EXPECT_EQ(server_.count_questions(), 2U);
}

TEST_F(NameResolution, AsksOnceASecondForANameThatMustNotBeKept) {
    server_.set({.v4 = {"127.0.0.9"}, .ttl = 0});
    for (int i = 0; i < 5; ++i)
        EXPECT_TRUE(resolve("model.test"));
    EXPECT_EQ(server_.count_questions(), 1U);
    clock_.advance(1s);
    EXPECT_TRUE(resolve("model.test"));
    EXPECT_EQ(server_.count_questions(), 2U);
}

TEST_F(NameResolution, GivesBothFamiliesByTurns) {
    server_.set({.v4 = {"127.0.0.1", "127.0.0.2"}, .v6 = {"::1"}, .ttl = 60});
    const auto addresses = resolve("both.test");
    ASSERT_TRUE(addresses) << addresses.error().message;
    ASSERT_EQ(addresses->size(), 3U);
    EXPECT_NE((*addresses)[0].is_v6(), (*addresses)[1].is_v6());
}

TEST_F(NameResolution, TellsANameThatDoesNotExistFromAServerThatFails) {
    EXPECT_EQ(resolve("nowhere.test").error().kind, ErrorKind::not_found);
    EXPECT_THAT(resolve("nowhere.test").error().message, HasSubstr("no such host: nowhere.test"));
    server_.set({.mood = NameRecord::Mood::fails});
    const auto failed = resolve("model.test");
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().kind, ErrorKind::transient);
    EXPECT_THAT(failed.error().message, HasSubstr("looking up model.test"));
}

TEST_F(NameResolution, DoesNotKeepAFailure) {
    server_.set({.mood = NameRecord::Mood::fails});
    EXPECT_FALSE(resolve("model.test"));
    server_.set({.v4 = {"127.0.0.9"}, .ttl = 60});
    EXPECT_TRUE(resolve("model.test"));
}

TEST_F(NameResolution, KnowsTheSystemsHostsWithoutAsking) {
    EXPECT_TRUE(resolve("localhost"));
    EXPECT_EQ(server_.count_questions(), 0U);
}

TEST_F(NameResolution, AsksAnewForANameWhoseAddressesWereOfNoUse) {
    EXPECT_TRUE(resolve("model.test"));
    resolver_.forget("model.test");
    EXPECT_TRUE(resolve("model.test"));
    EXPECT_EQ(server_.count_questions(), 2U);
}

TEST_F(NameResolution, GivesUpAQuestionThatNobodyAnswersWhenStopped) {
    server_.set({.mood = NameRecord::Mood::is_silent});
    auto asked =
        std::async(std::launch::async, [this] { return names_.blocking_ask("silent.test"); });
    server_.blocking_await_questions(1);
    names_.stop();
    const auto answer = asked.get();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().kind, ErrorKind::transient);
}

TEST_F(HttpClientTest, ReachesAServerByTheNameThatANameServerKnows) {
    NameServer names({.v4 = {"127.0.0.1"}, .ttl = 60});
    HttpImposter server({Script().answer("found").hang()});
    ClientConfig config;
    config.name_servers = names.place();
    client(config);
    const auto response = send(get("http://model.test:" + std::to_string(server.port())));
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->body, "found");
}

TEST_F(HttpClientTest, LooksANameUpAnewAfterNoneOfItsAddressesAnswered) {
    HttpImposter server({Script().answer("moved").hang()});
    NameServer names({.v4 = {"127.0.0.3"}, .ttl = 3600});
    ClientConfig config;
    config.name_servers = names.place();
    client(config);
    const std::string url = "http://model.test:" + std::to_string(server.port());
    EXPECT_FALSE(send(get(url)));
    names.set({.v4 = {"127.0.0.1"}, .ttl = 3600});
    const auto response = send(get(url));
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(response->body, "moved");
}

}  // namespace
}  // namespace evalfleet::http
