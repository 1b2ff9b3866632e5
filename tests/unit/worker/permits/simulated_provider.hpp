#pragma once

#include "worker/permits/limit_controller.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <random>
#include <vector>

namespace evalfleet::worker::testing {

/// How a simulated provider behaves. Times in milliseconds.
struct ProviderModel {
    double service_ms = 30;
    double sigma = 0;            ///< of the logarithm of the service time
    double token_spread = 1;     ///< longest answer / shortest; time follows the tokens
    bool tells_tokens = true;    ///< the reply says how long it was
    double slots = 1e9;          ///< works on so many at once; others queue
    double cap = 1e9;            ///< 429 above so many at once
    double per_minute = 0;       ///< 429 above so many in any minute
    double per_second = 0;       ///< 429 when a bucket of a second's worth is empty
    std::optional<double> retry_after_ms{};
    bool tells_wait = false;     ///< of a limit a minute: when the next call fits
    double random_429 = 0;
    double outage_from = -1;     ///< 503 for everything,
    double outage_until = -1;
    double timeout_ms = 1e9;     ///< of the caller
    double never = 0;            ///< share of calls that get no answer
};

/// A fleet that always has work, its limit controller, and a provider, step by step: thousands of
/// calls in milliseconds, the same every time.
class SimulatedFleet {
  public:
    SimulatedFleet(ProviderModel model, double demand, queue::LimitKey key = {.name = "k"})
        : model_(model), demand_(demand), controller_(LimitController::start(key)) {
        const double second = model_.per_second > 0 ? model_.per_second : 0;
        bucket_ = second;
        push(0, [this] { tick(); });
        pump();
    }

    struct Figures {
        double answered = 0;
        double refused = 0;
        double timed_out = 0;
        std::vector<double> times;  ///< of answered calls
        double lowest = 1e9;        ///< calls at once
        double highest = 0;
        double ms = 0;

        [[nodiscard]] double per_second() const { return answered * 1e3 / ms; }
        [[nodiscard]] double refused_share() const { return refused / (answered + refused); }
        [[nodiscard]] double median() {
            std::sort(times.begin(), times.end());
            return times.empty() ? 0 : times[times.size() / 2];
        }
    };

    /// Lets so many seconds pass; what happened in them.
    Figures run(double seconds) {
        figures_ = {};
        const double end = now_ + seconds * 1e3;
        while (!events_.empty() && events_.top().at <= end) {
            Event event = events_.top();
            events_.pop();
            now_ = event.at;
            event.act();
        }
        now_ = end;
        figures_.ms = seconds * 1e3;
        return figures_;
    }

    [[nodiscard]] const LimitController& controller() const { return controller_; }
    [[nodiscard]] const std::vector<std::string>& reasons() const { return reasons_; }
    ProviderModel& model() { return model_; }
    void set_demand(double demand) { demand_ = demand; }

  private:
    struct Event {
        double at;
        std::uint64_t number;
        std::function<void()> act;
        bool operator<(const Event& other) const {
            return at != other.at ? at > other.at : number > other.number;
        }
    };
    struct Call {
        double sent = 0;
        double service = 0;
        double tokens = 0;
        bool waited = false;
        int tries = 0;
    };

    void push(double at, std::function<void()> act) {
        events_.push({at, ++number_, std::move(act)});
    }
    double uniform() { return std::uniform_real_distribution<double>(0, 1)(random_); }

    void tick() {
        LimitTick seen{sums_, now_ - last_tick_, running_ - cooling_,
                       ServerTime(static_cast<long>(now_))};
        last_tick_ = now_;
        sums_ = {};
        const LimitChange change = controller_.step(seen);
        // As if it went through Redis.
        controller_ = LimitController::parse(controller_.text(), {.name = "k",
                          .max_concurrent = most_()}).value_or(controller_);
        if (change.rest_ms > 0) rests_until_ = std::max(rests_until_, now_ + change.rest_ms);
        if (!change.reason.empty()) reasons_.push_back(change.reason);
        figures_.lowest = std::min(figures_.lowest, std::floor(controller_.calls()));
        figures_.highest = std::max(figures_.highest, std::floor(controller_.calls()));
        push(now_ + static_cast<double>(controller_.tick().count()), [this] { tick(); });
        pump();
    }

    static std::uint64_t most_() { return 0; }

    /// Starts what may start.
    void pump() {
        const double rate = controller_.rate();
        if (rate > 0) {
            pace_ = std::min(std::max(1.0, rate * 0.2), pace_ + (now_ - paced_) * rate / 1e3);
        }
        paced_ = now_;
        while (running_ < std::floor(controller_.calls()) && now_ >= rests_until_) {
            if (rate > 0 && pace_ < 1) break;
            Call call;
            if (!retries_.empty()) {
                call = retries_.front();
                retries_.pop_front();
            } else if (running_ + static_cast<double>(waiting_retries_) < demand_) {
                call = make_call();
            } else {
                break;
            }
            if (rate > 0) pace_ -= 1;
            send(call);
        }
        if (now_ < rests_until_) {
            pump_at(rests_until_);
        } else if (rate > 0 && pace_ < 1) {
            pump_at(now_ + (1 - pace_) / rate * 1e3 + 1);
        }
    }

    void pump_at(double at) {
        if (pump_at_ > now_ && pump_at_ <= at) return;
        pump_at_ = at;
        push(at, [this] { pump(); });
    }

    Call make_call() {
        Call call;
        double factor = 1;
        if (model_.token_spread > 1) {
            call.tokens = std::exp(uniform() * std::log(model_.token_spread)) * 50;
            factor = call.tokens / 50;
        }
        if (model_.sigma > 0)
            factor *= std::exp(model_.sigma * std::normal_distribution<double>()(random_));
        call.service = model_.service_ms * factor;
        if (!model_.tells_tokens) call.tokens = 0;
        return call;
    }

    [[nodiscard]] bool is_refused() {
        if (uniform() < model_.random_429) return true;
        if (accepted_ >= model_.cap) return true;
        if (model_.per_minute > 0) {
            while (!minute_.empty() && minute_.front() <= now_ - 60'000) minute_.pop_front();
            if (static_cast<double>(minute_.size()) >= model_.per_minute) return true;
            minute_.push_back(now_);
        }
        if (model_.per_second > 0) {
            bucket_ = std::min(model_.per_second,
                               bucket_ + (now_ - bucket_at_) * model_.per_second / 1e3);
            bucket_at_ = now_;
            if (bucket_ < 1) return true;
            bucket_ -= 1;
        }
        return false;
    }

    [[nodiscard]] double retry_after() const {
        if (model_.tells_wait && !minute_.empty())
            return std::max(0.0, minute_.front() + 60'000 - now_);
        return model_.retry_after_ms.value_or(0);
    }

    void send(Call call) {
        ++running_;
        call.sent = now_;
        call.waited = demand_ > std::floor(controller_.calls());
        const bool is_out = now_ >= model_.outage_from && now_ < model_.outage_until;
        if (is_out || is_refused()) {
            push(now_ + 3, [this, call, is_out] { refuse(call, is_out); });
            return;
        }
        ++accepted_;
        if (uniform() < model_.never) call.service = 1e12;
        queue_.push_back(call);
        work();
    }

    void work() {
        while (!queue_.empty() && busy_ < model_.slots) {
            Call call = queue_.front();
            queue_.pop_front();
            ++busy_;
            const double end = std::min(now_ + call.service, now_ + 1e9);
            const double given_up = call.sent + model_.timeout_ms;
            if (end > given_up) {
                push(std::max(now_, given_up), [this, call] { time_out(call); });
            } else {
                push(end, [this, call] { answer(call); });
            }
        }
    }

    void free_slot() {
        --busy_;
        --accepted_;
        --running_;
        work();
        pump();
    }

    void answer(const Call& call) {
        count(call, [&] {
            sums_.answered += 1;
            if (call.sent >= static_cast<double>(controller_.measure_from().count()))
                sums_.service[0].add(now_ - call.sent, call.tokens);
        });
        figures_.answered += 1;
        figures_.times.push_back(now_ - call.sent);
        typical_ += 0.1 * (now_ - call.sent - typical_);
        free_slot();
    }

    void time_out(const Call& call) {
        count(call, [&] { sums_.timed_out += 1; });
        figures_.timed_out += 1;
        free_slot();
    }

    void refuse(Call call, bool is_out) {
        count(call, [&] {
            (is_out ? sums_.overloaded : sums_.throttled) += 1;
            sums_.refused_ms += now_ - call.sent;
            sums_.longest_rest_ms =
                std::max(sums_.longest_rest_ms, retry_after());
        });
        figures_.refused += 1;
        // The place of a refused call stays empty for as long as a call usually takes.
        ++cooling_;
        push(now_ + std::min(typical_, 2'000.0), [this] {
            --cooling_;
            --running_;
            pump();
        });
        ++waiting_retries_;
        ++call.tries;
        const double backoff = uniform() * std::min(8000.0, 500 * std::exp2(call.tries - 1));
        push(now_ + std::max(backoff, retry_after()), [this, call] {
            --waiting_retries_;
            retries_.push_back(call);
            pump();
        });
        pump();
    }

    template <class Enter>
    void count(const Call& call, Enter enter) {
        if (call.sent < static_cast<double>(controller_.cut_at().count())) return;
        if (call.waited) sums_.waited += 1;
        enter();
    }

    ProviderModel model_;
    double demand_;
    LimitController controller_;
    std::mt19937_64 random_{7};
    std::priority_queue<Event> events_;
    std::uint64_t number_ = 0;
    double now_ = 0;
    double last_tick_ = 0;
    CallSums sums_;
    double running_ = 0;
    double cooling_ = 0;
    double typical_ = 0;
    double accepted_ = 0;
    double busy_ = 0;
    double rests_until_ = 0;
    double pace_ = 1;
    double paced_ = 0;
    double pump_at_ = -1;
    std::size_t waiting_retries_ = 0;
    std::deque<Call> retries_;
    std::deque<Call> queue_;
    std::deque<double> minute_;
    double bucket_ = 0;
    double bucket_at_ = 0;
    Figures figures_;
    std::vector<std::string> reasons_;
};

}  // namespace evalfleet::worker::testing
