#include "coordinator/access/token_keeper.hpp"

#include "common/async/run_all.hpp"
#include "common/files/atomic_file.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/coordinator/access/tokens.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

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
    // The keeper has looked at the file since the last call.
    void let_it_look() {
        clock_.blocking_await_sleepers(1);
        clock_.advance(std::chrono::seconds(1));
        clock_.blocking_await_sleepers(1);
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

TEST_F(TokenKeeperTest, TakesOverWhatIsNewAndKeepsWhatItHasWhenTheFileIsWrong) {
    write("tokens:\n" + token_line("a", "reader", "one"));
    TokenKeeper keeper(folder_ / "tokens.yaml", pool_, clock_, {});
    EXPECT_TRUE(keeper.book().find("one"));
    asio::io_context context(1);
    asio::cancellation_signal stop;
    asio::co_spawn(context, keeper.run(),
                   asio::bind_cancellation_slot(stop.slot(), [](const std::exception_ptr&) {}));
    std::thread thread([&context] { context.run(); });

    write("tokens:\n" + token_line("a", "reader", "two"));
    let_it_look();
    EXPECT_FALSE(keeper.book().find("one"));
    EXPECT_TRUE(keeper.book().find("two"));

    write("tokens:\n  - {name: a\n");
    let_it_look();
    EXPECT_TRUE(keeper.book().find("two"));
    std::filesystem::remove(folder_ / "tokens.yaml");
    let_it_look();
    EXPECT_TRUE(keeper.book().find("two"));

    asio::post(context, [&stop] { stop.emit(asio::cancellation_type::terminal); });
    thread.join();
}

}  // namespace
}  // namespace evalfleet::access
