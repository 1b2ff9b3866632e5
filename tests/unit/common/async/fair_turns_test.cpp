#include "common/async/fair_turns.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace evalfleet::async {
namespace {

namespace asio = boost::asio;

/// Takes turns under names and notes the order in which they came.
class FairTurnsTest : public ::testing::Test {
  protected:
    void ask(FairTurns& turns, const std::string& name, const std::string& owner,
             bool is_large = false) {
        asio::co_spawn(context_, turns.acquire({owner, is_large}),
                       asio::bind_cancellation_slot(
                           signals_[name].slot(),
                           [this, name](std::exception_ptr thrown, FairTurns::Turn turn) {
                               came_.push_back(thrown ? name + " gave up" : name);
                               if (!thrown) held_.emplace(name, std::move(turn));
                           }));
        run();
    }
    void end(const std::string& name) {
        held_.erase(name);
        run();
    }
    void cancel(const std::string& name) {
        signals_[name].emit(asio::cancellation_type::terminal);
        run();
    }
    std::vector<std::string> take() { return std::exchange(came_, {}); }

  private:
    void run() {
        context_.restart();
        context_.poll();
    }

    asio::io_context context_{1};
    std::map<std::string, asio::cancellation_signal> signals_;
    std::map<std::string, FairTurns::Turn> held_;
    std::vector<std::string> came_;
};

using Names = std::vector<std::string>;

TEST_F(FairTurnsTest, GiveOutNoMoreThanThereAre) {
    FairTurns turns({2, 2});
    for (const char* name : {"a", "b", "c"})
        ask(turns, name, name);
    EXPECT_EQ(take(), (Names{"a", "b"}));
    end("a");
    EXPECT_EQ(take(), Names{"c"});
    end("b");
    end("c");
}

TEST_F(FairTurnsTest, AnOwnerWithMuchToDoDoesNotHoldUpOthers) {
    FairTurns turns({1, 1});
    for (const char* name : {"a1", "a2", "a3", "a4"})
        ask(turns, name, "a");
    ask(turns, "b1", "b");
    ask(turns, "b2", "b");
    ask(turns, "c1", "c");
    Names order = take();
    for (int i = 0; i < 7; ++i) {
        end(order.back());
        for (const std::string& name : take())
            order.push_back(name);
    }
    EXPECT_EQ(order, (Names{"a1", "b1", "c1", "a2", "b2", "a3", "a4"}));
}

TEST_F(FairTurnsTest, SmallWorkDoesNotWaitForLarge) {
    FairTurns turns({3, 2});
    for (const char* name : {"big1", "big2", "big3"})
        ask(turns, name, name, true);
    EXPECT_EQ(take(), (Names{"big1", "big2"})) << "a place is left for small ones";
    ask(turns, "small", "small");
    EXPECT_EQ(take(), Names{"small"});
    end("small");
    EXPECT_EQ(take(), Names{}) << "which large ones do not get";
    end("big1");
    EXPECT_EQ(take(), Names{"big3"});
    end("big2");
    end("big3");
}

TEST_F(FairTurnsTest, LargeWorkDoesNotHoldUpSmallWorkBehindIt) {
    FairTurns turns({2, 1});
    ask(turns, "big1", "a", true);
    ask(turns, "big2", "b", true);
    ask(turns, "small1", "c");
    ask(turns, "small2", "d");
    EXPECT_EQ(take(), (Names{"big1", "small1"}));
    end("small1");
    EXPECT_EQ(take(), Names{"small2"});
    end("big1");
    EXPECT_EQ(take(), Names{"big2"});
    end("big2");
    end("small2");
}

TEST_F(FairTurnsTest, WhoIsCancelledLosesNoTurn) {
    FairTurns turns({1, 1});
    ask(turns, "a", "a");
    ask(turns, "b", "b");
    ask(turns, "c", "c");
    EXPECT_EQ(take(), Names{"a"});
    cancel("b");
    EXPECT_EQ(take(), Names{"b gave up"});
    end("a");
    EXPECT_EQ(take(), Names{"c"});
    end("c");
    ask(turns, "d", "d");
    EXPECT_EQ(take(), Names{"d"});
    end("d");
}

}  // namespace
}  // namespace evalfleet::async
