#include "common/files/atomic_file.hpp"
#include "common/queue/functions_text.hpp"
#include "tests/integration/redis/scenario.hpp"
#include "tests/support/fleet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

namespace evalfleet {
namespace {

namespace asio = boost::asio;
using testing::Fleet;
using ::testing::HasSubstr;

/// The users that docs/operations.md tells operators to make, as it stands there.
std::string documented_users() {
    const std::string page =
        files::blocking_read_file(EVALFLEET_TEST_DATA_DIR "/../docs/operations.md", 1 << 20)
            .value();
    const auto begin = page.find("user evalfleet-loader");
    const auto end = page.find("```", begin);
    if (begin == std::string::npos || end == std::string::npos) throw std::runtime_error("no ACL");
    return page.substr(begin, end - begin);
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}

/// A server with the documented users, those of a second pool, and one who may do everything.
std::string users_of_two_pools() {
    const std::string first = documented_users();
    std::istringstream lines(first);
    std::string all = first;
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("user evalfleet-main")) all += replaced(line, "main", "other") + "\n";
    return replaced(all, "PASSWORD", "secret") + "user root on >secret ~* &* +@all\n";
}

/// As the library calls it, with its generation in front. A name that the library does not have is
/// an error: an attack by it would fail for the wrong reason.
std::string function_named(const std::string& name) {
    const std::string library(queue::functions_text());
    std::smatch prefix;
    const bool is_there =
        std::regex_search(library, prefix, std::regex("'(ef[0-9]+_)' *\\.\\.")) &&
        std::regex_search(library, std::regex("register[a-z_]*\\('" + name + "',"));
    if (!is_there) throw std::runtime_error("no such function: " + name);
    return prefix[1].str() + name;
}

const std::string kMain = "evalfleet-main:secret";
const std::string kOther = "evalfleet-other:secret";
const std::string kLoader = "evalfleet-loader:LOADER_secret";
const std::string kRoot = "root:secret";

class DocumentedAcl : public ::testing::Test {
  protected:
    DocumentedAcl() {
        files::blocking_write_atomically(folder_ / "users.acl", users_of_two_pools()).value();
        Fleet::Options options;
        options.workers = 1;
        options.redis = {"--aclfile", (folder_ / "users.acl").string()};
        options.redis_user = kMain;
        fleet_.emplace(options);
    }

    /// `evalfleet functions WHAT` as this user; its exit code.
    int functions(const std::string& what, const std::string& user) {
        std::filesystem::remove(folder_ / "functions.log");
        testing::Process process(
            {EVALFLEET_BIN_DIR "/evalfleet", "functions", what, "--redis", fleet_->redis_url(user)},
            folder_ / "functions.log");
        const int code = process.wait();
        said_ = process.output();
        return code;
    }

    /// What Redis says to a command of this user.
    Result<redis::Reply> tell(const std::string& user, const std::vector<std::string>& words) {
        Result<redis::Reply> answer = Error{ErrorKind::internal, "nothing was said"};
        const redis::Play play = [&](redis::Client& client) -> asio::awaitable<void> {
            redis::Command command(words.front());
            for (std::size_t i = 1; i < words.size(); ++i)
                command.add(words[i]);
            answer = co_await client.execute(std::move(command), redis::soon());
        };
        redis::with_client(redis::parse_url(fleet_->redis_url(user)).value(), play);
        return answer;
    }

    bool await_ready() {
        return Fleet::await_true([&] { return fleet_->ask("GET", "/readyz").status == 200; },
                                 std::chrono::steady_clock::now() + std::chrono::seconds(60));
    }

    testing::TemporaryFolder folder_;
    std::optional<Fleet> fleet_;
    std::string said_;
};

TEST_F(DocumentedAcl, IsEnoughForARunFromTheFirstLoadToTheVerdict) {
    const auto says = [&](const std::string& words) {
        return Fleet::await_true(
            [&] {
                return fleet_->coordinator_log().find(words) != std::string::npos &&
                       fleet_->worker_log().find(words) != std::string::npos;
            },
            std::chrono::steady_clock::now() + std::chrono::seconds(60));
    };
    EXPECT_TRUE(says("found nothing, needed: version ")) << fleet_->coordinator_log();
    EXPECT_THAT(fleet_->coordinator_log(), HasSubstr("evalfleet functions load"));
    const auto unready = fleet_->ask("GET", "/readyz");
    EXPECT_EQ(unready.status, 503);
    EXPECT_THAT(unready.body, HasSubstr("the queue cannot be used"));

    EXPECT_EQ(functions("check", kMain), 1) << said_;
    EXPECT_THAT(said_, HasSubstr("missing"));
    EXPECT_EQ(functions("load", kMain), 3) << "a runtime user may not: " << said_;
    EXPECT_EQ(functions("load", kLoader), 0) << said_;
    EXPECT_THAT(said_, HasSubstr("loaded: version "));
    EXPECT_EQ(functions("load", kLoader), 0) << said_;
    EXPECT_THAT(said_, HasSubstr("there: version "));
    EXPECT_EQ(functions("check", kMain), 0) << said_;

    ASSERT_TRUE(await_ready()) << fleet_->coordinator_log();
    fleet_->submit(2);
    ASSERT_TRUE(fleet_->await_end(120)) << fleet_->coordinator_log();
    const auto end = fleet_->progress();
    ASSERT_TRUE(end);
    EXPECT_EQ(end->state, "done");
    EXPECT_EQ(end->errors, 0U);
    EXPECT_EQ(fleet_->read_ledger().size(), 2 * Fleet::kSamples);
    EXPECT_EQ(fleet_->verify(), 0);
    EXPECT_EQ(fleet_->ask("GET", "/api/v1/workers").status, 200);
    EXPECT_EQ(fleet_->ask("GET", "/api/v1/queues").status, 200);
    EXPECT_THAT(fleet_->coordinator_log(), ::testing::Not(HasSubstr("NOPERM")));
    EXPECT_THAT(fleet_->worker_log(), ::testing::Not(HasSubstr("NOPERM")));
}

TEST_F(DocumentedAcl, NamesALibraryThatDiffers) {
    EXPECT_EQ(functions("load", kLoader), 0) << said_;
    const std::string code(queue::functions_text());
    ASSERT_TRUE(tell(kRoot, {"FUNCTION", "LOAD", "REPLACE", code + "\n-- changed\n"}));
    EXPECT_EQ(functions("check", kMain), 1) << said_;
    EXPECT_THAT(said_, HasSubstr("differs: version "));
    fleet_->restart_workers();
    EXPECT_TRUE(Fleet::await_true(
        [&] {
            return fleet_->worker_log().find("this user of Redis may not load it") !=
                   std::string::npos;
        },
        std::chrono::steady_clock::now() + std::chrono::seconds(60)))
        << fleet_->worker_log();
    EXPECT_EQ(functions("load", kLoader), 0) << said_;
    EXPECT_THAT(said_, HasSubstr("loaded: "));
}

TEST_F(DocumentedAcl, KeepsThePoolsApart) {
    EXPECT_EQ(functions("load", kLoader), 0) << said_;
    ASSERT_TRUE(await_ready());
    fleet_->submit(50);
    ASSERT_TRUE(fleet_->await_done(1));
    const std::string key = "ef:{main}:run:" + fleet_->progress()->run_id;
    const auto own = tell(kMain, {"HGET", key, "spec"});
    ASSERT_TRUE(own) << "there is nothing to steal: " << own.error().message;
    EXPECT_THAT(own->text(), HasSubstr("prompt")) << own->text();

    const std::string evil = "#!lua name=evalfleet\nredis.register_function('take', print)";
    const std::vector<std::vector<std::string>> attacks{
        {"FUNCTION", "LOAD", "REPLACE", evil},
        {"FUNCTION", "LOAD", "#!lua name=mine\nredis.register_function('mine', print)"},
        {"FUNCTION", "DELETE", "evalfleet"},
        {"FUNCTION", "FLUSH"},
        {"FUNCTION", "RESTORE", "x"},
        {"FUNCTION", "DUMP"},
        {"FUNCTION", "KILL"},
        {"SCRIPT", "KILL"},
        {"EVAL", "return redis.call('HGET', KEYS[1], 'spec')", "1", key},
        {"SCRIPT", "LOAD", "return 1"},
        {"HGET", key, "spec"},
        {"HGETALL", key},
        {"DUMP", key},
        {"COPY", key, "ef:{other}:x"},
        {"RENAME", key, "ef:{other}:x"},
        {"SORT", "ef:{other}:x", "BY", "nosort", "GET", key},
        {"DEL", key},
        {"SET", "ef:{main}:vtime", "0"},
        {"FCALL", function_named("stats"), "1", "ef:{main}"},
        {"FCALL", function_named("state"), "1", "ef:{main}", "x"},
        {"KEYS", "*"},
        {"SCAN", "0"},
        {"RANDOMKEY"},
        {"FLUSHALL"},
        {"FLUSHDB"},
        {"SWAPDB", "0", "1"},
        {"CONFIG", "GET", "*"},
        {"CONFIG", "SET", "maxmemory", "1"},
        {"ACL", "LIST"},
        {"ACL", "SETUSER", "evalfleet-other", "+@all"},
        {"CLIENT", "LIST"},
        {"CLIENT", "KILL", "TYPE", "normal"},
        {"CLIENT", "PAUSE", "10000"},
        {"MONITOR"},
        {"SUBSCRIBE", "x"},
        {"PSUBSCRIBE", "*"},
        {"DEBUG", "SLEEP", "0"},
        {"MIGRATE", "127.0.0.1", "1", key, "0", "1"},
        {"REPLICAOF", "127.0.0.1", "1"},
        {"SHUTDOWN", "NOSAVE"},
        {"SAVE"},
        {"MODULE", "LIST"},
        {"SLOWLOG", "GET"},
        {"LATENCY", "RESET"}};
    for (const auto& attack : attacks) {
        const auto answer = tell(kOther, attack);
        ASSERT_FALSE(answer) << attack[0] << " " << (attack.size() > 1 ? attack[1] : "");
        EXPECT_EQ(answer.error().kind, ErrorKind::denied)
            << attack[0] << ": " << answer.error().message;
    }
    const auto allowed = tell(kOther, {"FCALL", function_named("stats"), "1", "ef:{other}"});
    EXPECT_TRUE(allowed) << "its own pool is open to it: " << allowed.error().message;
    EXPECT_EQ(functions("check", kOther), 0) << said_;
    EXPECT_TRUE(fleet_->steer("cancel"));
}

/// A function runs with the rights of who calls it: all that the library calls must be allowed.
TEST(DocumentedAclText, AllowsEveryCommandOfTheFunctionLibrary) {
    const std::string users = replaced(documented_users(), "\n", " ");
    const std::string library(queue::functions_text());
    const std::regex call(R"(redis\.p?call\(([^,)]*))");
    const std::regex name("'([A-Z]+)'");
    int found = 0;
    for (std::sregex_iterator it(library.begin(), library.end(), call), end; it != end; ++it) {
        const std::string first = (*it)[1];
        std::sregex_iterator word(first.begin(), first.end(), name);
        EXPECT_NE(word, end) << "a command without a name in it: " << first;
        for (; word != end; ++word, ++found) {
            std::string command = (*word)[1];
            for (char& c : command)
                c = static_cast<char>(std::tolower(c));
            EXPECT_THAT(users, HasSubstr(" +" + command + " ")) << "not in docs/operations.md";
        }
    }
    EXPECT_GT(found, 50);
}

}  // namespace
}  // namespace evalfleet
