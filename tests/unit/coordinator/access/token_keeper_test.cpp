#include "coordinator/access/token_keeper.hpp"

#include "common/files/atomic_file.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/coordinator/access/tokens.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include <future>
#include <stdexcept>
#include <thread>

namespace evalfleet::access {
namespace {

namespace asio = boost::asio;

class TokenKeeperTest : public ::testing::Test {
  protected:
    void write(const std::string& content) {
        files::blocking_write_atomically(folder_ / "tokens.yaml", content).value();
    }
    testing::TemporaryFolder folder_;
    testing::ManualClock clock_;
    async::BlockingPool pool_{{.threads = 1}};
};

TEST_F(TokenKeeperTest, RefusesToStartWithoutAFileThatCanBeUsed) {
    EXPECT_THROW(TokenKeeper(folder_ / "none.yaml", pool_, clock_, {}), std::runtime_error);
    write("tokens: []");
    EXPECT_THROW(TokenKeeper(folder_ / "tokens.yaml", pool_, clock_, {}), std::runtime_error);
}

// A keeper at work on a thread of its own.
class KeeperAtWork {
  public:
    KeeperAtWork(TokenKeeper& keeper, testing::ManualClock& clock)
        : keeper_(keeper), clock_(clock) {
        asio::co_spawn(
            context_, keeper.run(),
            asio::bind_cancellation_slot(stop_.slot(), [](const std::exception_ptr&) {}));
        thread_ = std::thread([this] { context_.run(); });
    }
    KeeperAtWork(const KeeperAtWork&) = delete;
    KeeperAtWork& operator=(const KeeperAtWork&) = delete;
    ~KeeperAtWork() {
        asio::post(context_, [this] { stop_.emit(asio::cancellation_type::terminal); });
        thread_.join();
    }

    bool knows(const std::string& token) {
        std::promise<bool> answer;
        asio::post(context_, [&] { answer.set_value(keeper_.book().find(token).has_value()); });
        return answer.get_future().get();
    }
    // Lets it look at the file until it knows the token, or has looked often.
    bool comes_to_know(const std::string& token) {
        for (int i = 0; i < 200 && !knows(token); ++i)
            let_it_look();
        return knows(token);
    }
    void let_it_look() {
        clock_.blocking_await_sleepers(1);
        clock_.advance(std::chrono::seconds(1));
    }

  private:
    TokenKeeper& keeper_;
    testing::ManualClock& clock_;
    asio::io_context context_{1};
    asio::cancellation_signal stop_;
    std::thread thread_;
};

TEST_F(TokenKeeperTest, TakesOverWhatIsNewAndKeepsWhatItHasWhenTheFileIsWrong) {
    write("tokens:\n" + token_line("a", "reader", "one"));
    TokenKeeper keeper(folder_ / "tokens.yaml", pool_, clock_, {});
    KeeperAtWork work(keeper, clock_);
    EXPECT_TRUE(work.knows("one"));

    write("tokens:\n" + token_line("a", "reader", "two"));
    EXPECT_TRUE(work.comes_to_know("two"));
    EXPECT_FALSE(work.knows("one"));

    write("tokens:\n  - {name: a\n");
    for (int i = 0; i < 5; ++i)
        work.let_it_look();
    EXPECT_TRUE(work.knows("two"));
    std::filesystem::remove(folder_ / "tokens.yaml");
    for (int i = 0; i < 5; ++i)
        work.let_it_look();
    EXPECT_TRUE(work.knows("two"));

    write("tokens:\n" + token_line("a", "reader", "three"));
    EXPECT_TRUE(work.comes_to_know("three"));
}

}  // namespace
}  // namespace evalfleet::access
