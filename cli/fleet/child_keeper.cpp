#include "cli/fleet/child_keeper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <utility>

namespace evalfleet::fleet {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::minutes kLongLife{1};

}  // namespace

std::chrono::milliseconds restart_pause(std::uint64_t early_deaths) noexcept {
    const std::uint64_t doublings = std::min<std::uint64_t>(early_deaths, 6);
    return std::min(std::chrono::milliseconds(100 << doublings), std::chrono::milliseconds(5000));
}

ChildKeeper::ChildKeeper(Program program, async::Clock& clock, Say say)
    : program_(std::move(program)), clock_(clock), say_(std::move(say)) {}

Status ChildKeeper::start(const asio::any_io_executor& executor) {
    auto child = Child::start(executor, program_);
    if (!child) return child.error();
    child_.emplace(std::move(*child));
    return {};
}

asio::awaitable<void> ChildKeeper::run() {
    const auto executor = co_await asio::this_coro::executor;
    std::uint64_t early_deaths = 0;
    for (;;) {
        const async::TimePoint began = clock_.now();
        const std::string end = co_await child_->ended();
        child_.reset();
        if (stopping_) co_return;
        if (clock_.now() - began > kLongLife) early_deaths = 0;
        do {
            const auto pause = restart_pause(early_deaths++);
            say_(fmt::format("{} ended ({}); starting it again in {} ms; its log: {}",
                             program_.name, end, pause.count(), program_.log_file.string()));
            co_await clock_.wait_for(pause);
            if (stopping_) co_return;
            ++restarts_;
            if (const Status started = start(executor); !started) say_(started.error().message);
        } while (!child_);
    }
}

void ChildKeeper::begin_stop() {
    if (!stopping_ && child_) child_->signal(SIGTERM);
    stopping_ = true;
}

asio::awaitable<void> ChildKeeper::stop(async::TimePoint deadline) {
    begin_stop();
    while (child_ && clock_.now() < deadline)
        co_await clock_.wait_for(std::chrono::milliseconds(20));
    if (child_) child_->signal(SIGKILL);
    while (child_)
        co_await clock_.wait_for(std::chrono::milliseconds(20));
}

}  // namespace evalfleet::fleet
