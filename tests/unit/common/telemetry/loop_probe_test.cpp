#include "common/telemetry/loop_probe.hpp"

#include "tests/support/manual_clock.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>

namespace evalfleet::telemetry {
namespace {

namespace asio = boost::asio;
using ::testing::HasSubstr;

TEST(LoopProbe, NotesHowLateItWasWoken) {
    testing::ManualClock clock;
    metrics::Registry registry("test");
    LoopProbe probe(clock, registry);
    asio::io_context context(1);
    asio::cancellation_signal stop;
    asio::co_spawn(context, probe.run(),
                   asio::bind_cancellation_slot(stop.slot(), [](const std::exception_ptr&) {}));
    context.run_for(std::chrono::milliseconds(0));
    context.poll();
    clock.advance(std::chrono::milliseconds(102));  // two too late
    context.restart();
    context.poll();
    clock.advance(std::chrono::milliseconds(100));  // in time
    context.restart();
    context.poll();
    const std::string page = registry.text();
    EXPECT_THAT(
        page,
        HasSubstr("evalfleet_event_loop_lag_seconds_bucket{program=\"test\",le=\"0.001\"} 1\n"));
    EXPECT_THAT(
        page,
        HasSubstr("evalfleet_event_loop_lag_seconds_bucket{program=\"test\",le=\"0.0025\"} 2\n"));
    stop.emit(asio::cancellation_type::terminal);
    context.restart();
    context.run();
}

}  // namespace
}  // namespace evalfleet::telemetry
