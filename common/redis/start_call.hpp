#pragma once

#include "common/async/clock.hpp"
#include "common/redis/call.hpp"

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace evalfleet::redis {

/// A call whose caller is a completion handler, resumed on the handler's own executor.
template <class Handler>
class HandlerCall final : public Call {
  public:
    HandlerCall(Handler handler, std::string encoded, std::size_t reply_count,
                async::TimePoint latest)
        : Call(std::move(encoded), reply_count, latest),
          handler_(std::move(handler)),
          work_(boost::asio::make_work_guard(handler_)) {}

    void complete(CallOutcome outcome) override {
        const auto executor = work_.get_executor();
        boost::asio::post(executor, [handler = std::move(handler_), work = std::move(work_),
                                     outcome = std::move(outcome)]() mutable {
            // Here, not on the strand: the slot belongs to the caller.
            if (auto slot = boost::asio::get_associated_cancellation_slot(handler);
                slot.is_connected())
                slot.clear();
            work.reset();
            std::move(handler)(std::move(outcome));
        });
    }

  private:
    Handler handler_;
    boost::asio::executor_work_guard<boost::asio::associated_executor_t<Handler>> work_;
};

/// Starts a call for a completion handler. Asio 1.81 forwards a cancellation to a coroutine on
/// another executor by a pointer that may dangle, so the way over to the strand and back is ours.
template <class Core>
class StartCall {
  public:
    explicit StartCall(std::shared_ptr<Core> core) : core_(std::move(core)) {}

    template <class Handler>
    void operator()(Handler&& handler, std::string wire, std::size_t replies,
                    async::TimePoint deadline) const {
        auto slot = boost::asio::get_associated_cancellation_slot(handler);
        auto call = std::make_shared<HandlerCall<std::decay_t<Handler>>>(
            std::forward<Handler>(handler), std::move(wire), replies, deadline);
        if (slot.is_connected())
            slot.assign([core = core_, weak_call = std::weak_ptr<Call>(call)](
                            boost::asio::cancellation_type) { core->abandon(weak_call); });
        core_->submit(std::move(call));
    }

  private:
    std::shared_ptr<Core> core_;
};

}  // namespace evalfleet::redis
