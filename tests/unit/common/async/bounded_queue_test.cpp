#include "tests/support/bounded_queue.hpp"

#include "tests/support/run_coroutine.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

namespace evalfleet::async {
namespace {

namespace asio = boost::asio;

void poll(asio::io_context& context) {
    context.restart();
    context.poll();
}

TEST(BoundedQueue, GivesValuesBackInOrder) {
    asio::io_context context(1);
    BoundedQueue<std::string> queue(2);
    EXPECT_TRUE(queue.try_push("a"));
    EXPECT_TRUE(queue.try_push("b"));
    EXPECT_FALSE(queue.try_push("c"));
    EXPECT_EQ(queue.try_pop(), "a");
    EXPECT_EQ(testing::run(context, queue.pop()), "b");
    EXPECT_EQ(queue.try_pop(), std::nullopt);
}

TEST(BoundedQueue, MakesTheProducerWaitWhileFull) {
    asio::io_context context(1);
    BoundedQueue<int> queue(1);
    ASSERT_TRUE(queue.try_push(1));
    bool pushed = false;
    asio::co_spawn(context, queue.push(2),
                   [&](const std::exception_ptr&, bool accepted) { pushed = accepted; });
    poll(context);
    EXPECT_FALSE(pushed);
    EXPECT_EQ(queue.try_pop(), 1);
    poll(context);
    EXPECT_TRUE(pushed);
    EXPECT_EQ(queue.try_pop(), 2);
}

TEST(BoundedQueue, DeliversWhatIsQueuedAfterItWasClosed) {
    asio::io_context context(1);
    BoundedQueue<int> queue(4);
    ASSERT_TRUE(queue.try_push(1));
    queue.close();
    EXPECT_FALSE(queue.try_push(2));
    EXPECT_EQ(testing::run(context, queue.pop()), 1);
    EXPECT_EQ(testing::run(context, queue.pop()), std::nullopt);
    EXPECT_FALSE(testing::run(context, queue.push(3)));
}

TEST(BoundedQueue, CancelledPopLosesNoValue) {
    asio::io_context context(1);
    BoundedQueue<int> queue(4);
    asio::cancellation_signal signal;
    std::exception_ptr failure;
    asio::co_spawn(context, queue.pop(),
                   asio::bind_cancellation_slot(signal.slot(),
                                                [&](std::exception_ptr thrown, std::optional<int>) {
                                                    failure = std::move(thrown);
                                                }));
    poll(context);
    signal.emit(asio::cancellation_type::terminal);
    poll(context);
    ASSERT_TRUE(failure);
    EXPECT_THROW(std::rethrow_exception(failure), boost::system::system_error);
    EXPECT_TRUE(queue.try_push(5));
    EXPECT_EQ(queue.try_pop(), 5);
}

TEST(BoundedQueue, CancelledPushQueuesNothing) {
    asio::io_context context(1);
    BoundedQueue<int> queue(1);
    ASSERT_TRUE(queue.try_push(1));
    asio::cancellation_signal signal;
    std::exception_ptr failure;
    asio::co_spawn(
        context, queue.push(2),
        asio::bind_cancellation_slot(
            signal.slot(), [&](std::exception_ptr thrown, bool) { failure = std::move(thrown); }));
    poll(context);
    signal.emit(asio::cancellation_type::terminal);
    poll(context);
    ASSERT_TRUE(failure);
    EXPECT_EQ(queue.try_pop(), 1);
    EXPECT_EQ(queue.try_pop(), std::nullopt);
}

asio::awaitable<void> produce(BoundedQueue<int>& queue, int from, int count) {
    for (int i = 0; i < count; ++i)
        EXPECT_TRUE(co_await queue.push(from + i));
}

asio::awaitable<std::vector<int>> consume(BoundedQueue<int>& queue) {
    std::vector<int> taken;
    while (auto value = co_await queue.pop())
        taken.push_back(*value);
    co_return taken;
}

TEST(BoundedQueueOnThreads, DeliversEveryValueExactlyOnce) {
    asio::thread_pool pool(4);
    BoundedQueue<int> queue(3);
    std::vector<std::future<void>> producers;
    for (int p = 0; p < 3; ++p)
        producers.push_back(asio::co_spawn(asio::make_strand(pool), produce(queue, p * 200, 200),
                                           asio::use_future));
    auto first = asio::co_spawn(asio::make_strand(pool), consume(queue), asio::use_future);
    auto second = asio::co_spawn(asio::make_strand(pool), consume(queue), asio::use_future);
    for (auto& producer : producers)
        producer.get();
    queue.close();
    std::vector<int> all = first.get();
    const std::vector<int> rest = second.get();
    all.insert(all.end(), rest.begin(), rest.end());
    std::sort(all.begin(), all.end());
    std::vector<int> expected(600);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(all, expected);
}

}  // namespace
}  // namespace evalfleet::async
