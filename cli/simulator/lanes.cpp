#include "cli/simulator/lanes.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>

#include <thread>

namespace evalfleet::simulator {

namespace asio = boost::asio;

namespace {

/// Anything but a cancellation is a bug, and ends the program.
void rethrow_unless_cancelled(const std::exception_ptr& failure) {
    try {
        if (failure) std::rethrow_exception(failure);
    } catch (const boost::system::system_error& error) {
        if (error.code() != asio::error::operation_aborted) throw;
    }
}

}  // namespace

struct Lanes::Lane {
    Lane(async::Clock& clock, Stage& stage) : simulator(context.get_executor(), clock, stage) {}

    asio::io_context context{1};
    Simulator simulator;
    asio::cancellation_signal stop;
    std::thread thread;
};

Lanes::Lanes(async::Clock& clock, Stage& stage) : clock_(clock), stage_(stage) {}

Lanes::~Lanes() {
    blocking_stop();
}

Status Lanes::start(const ServiceConfig& service, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        Lane& lane = lanes_.emplace_back(clock_, stage_);
        if (Status listening = lane.simulator.listen(service, true); !listening) return listening;
        asio::co_spawn(
            lane.context, lane.simulator.run(),
            asio::bind_cancellation_slot(lane.stop.slot(), [](const std::exception_ptr& failure) {
                rethrow_unless_cancelled(failure);
            }));
        lane.thread = std::thread([&lane] { lane.context.run(); });
    }
    return {};
}

void Lanes::blocking_stop() {
    for (Lane& lane : lanes_) {
        asio::post(lane.context, [&lane] { lane.stop.emit(asio::cancellation_type::terminal); });
        if (lane.thread.joinable()) lane.thread.join();
    }
    lanes_.clear();
}

}  // namespace evalfleet::simulator
