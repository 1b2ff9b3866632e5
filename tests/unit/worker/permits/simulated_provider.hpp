#pragma once

#include "worker/permits/limit_controller.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace evalfleet::worker::testing {

/// How a simulated provider behaves. Times in milliseconds.
struct ProviderModel {
    double service_ms = 30;
    double sigma = 0;          ///< of the logarithm of the service time
    double token_spread = 1;   ///< longest answer / shortest; time follows the tokens
    bool tells_tokens = true;  ///< the reply says how long it was
    double slots = 1e9;        ///< works on so many at once; others queue
    double cap = 1e9;          ///< 429 above so many at once
    double per_minute = 0;     ///< 429 above so many in any minute
    bool tells_wait = false;   ///< of a limit a minute: when the next call fits
    double per_second = 0;     ///< 429 when a bucket of a second's worth is empty
    double random_429 = 0;
    double outage_from = -1;  ///< 503 for everything,
    double outage_until = -1;
    double timeout_ms = 1e9;  ///< of the caller
    double never = 0;         ///< share of calls that get no answer

    [[nodiscard]] double mean_ms() const {
        const double varied = service_ms * std::exp(sigma * sigma / 2);
        return token_spread > 1 ? varied * (token_spread - 1) / std::log(token_spread) : varied;
    }
};

/// The fleet that calls it.
struct FleetModel {
    double demand = 256;  ///< calls that it would make at once
    queue::LimitKey key{.name = "k"};
    bool learns = true;  ///< false: all calls go out at once, whatever happens
    std::uint64_t seed = 7;
};

/// What a fleet saw in a while.
struct FleetFigures {
    double seconds = 0;
    double answered = 0;
    double refused = 0;
    double timed_out = 0;
    double lowest_limit = 1e9;  ///< calls at once
    double highest_limit = 0;
    double lowest_rate = 1e9;  ///< calls a second that the limits allow
    double highest_rate = 0;
    double most_running = 0;
    double busy_ms = 0;         ///< time that the provider worked on answered calls
    std::vector<double> times;  ///< of answered calls

    [[nodiscard]] double per_second() const { return answered / seconds; }
    [[nodiscard]] double refused_share() const { return refused / (answered + refused); }
    [[nodiscard]] double median_ms() const {
        std::vector<double> sorted = times;
        if (sorted.empty()) return 0;
        const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
        std::nth_element(sorted.begin(), middle, sorted.end());
        return *middle;
    }
};

/// A fleet that always has work, its limit controller, and a provider, event by event: thousands of
/// calls in milliseconds, the same every time.
class SimulatedFleet {
  public:
    explicit SimulatedFleet(ProviderModel provider, FleetModel fleet = {})
        : provider_(provider),
          fleet_(std::move(fleet)),
          random_(fleet_.seed),
          controller_(LimitController::start(fleet_.key)),
          bucket_(provider.per_second) {
        push(0, [this] { tick(); });
        start_calls();
    }
    SimulatedFleet(const SimulatedFleet&) = delete;
    SimulatedFleet& operator=(const SimulatedFleet&) = delete;

    /// Lets so much time pass; what happened in it.
    FleetFigures run(double seconds) {
        figures_ = {};
        figures_.seconds = seconds;
        const double end = now_ + seconds * 1e3;
        while (!events_.empty() && events_.top().at <= end) {
            const Event event = events_.top();
            events_.pop();
            now_ = event.at;
            event.act();
        }
        now_ = end;
        return std::exchange(figures_, {});
    }

    [[nodiscard]] const LimitController& controller() const { return controller_; }
    /// Why the limits changed, one after the other.
    [[nodiscard]] const std::vector<std::string>& reasons() const { return reasons_; }

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
        events_.push({at, ++event_count_, std::move(act)});
    }
    double uniform() { return std::uniform_real_distribution<double>(0, 1)(random_); }

    // The fleet.

    [[nodiscard]] double limit() const {
        return fleet_.learns ? std::floor(controller_.calls()) : fleet_.demand;
    }

    void tick() {
        LimitTick seen;
        seen.sums = std::exchange(sums_, {});
        seen.sums.epoch = controller_.epoch();
        seen.elapsed_ms = now_ - std::exchange(last_tick_, now_);
        seen.running = running_ - cooling_;
        seen.now = ServerTime(static_cast<std::int64_t>(now_));
        const LimitChange change = controller_.step(seen);
        // As it goes through Redis; not every time, since that takes longer than all the rest.
        if (++ticks_ % 16 == 0)
            controller_ = LimitController::parse(controller_.text(), fleet_.key).value();
        if (fleet_.learns) rests_until_ = std::max(rests_until_, now_ + change.rest_ms);
        if (!change.reason.empty()) reasons_.push_back(change.reason);
        note_limits();
        push(now_ + static_cast<double>(controller_.tick().count()), [this] { tick(); });
        start_calls();
    }

    /// What both limits together let the fleet make: calls at once, and calls a second.
    void note_limits() {
        const double rate = controller_.rate(), mean_ms = provider_.mean_ms();
        const double calls = rate > 0 ? std::min(limit(), rate * mean_ms / 1e3) : limit();
        const double paced = limit() * 1e3 / mean_ms;
        figures_.lowest_limit = std::min(figures_.lowest_limit, calls);
        figures_.highest_limit = std::max(figures_.highest_limit, calls);
        figures_.lowest_rate =
            std::min(figures_.lowest_rate, rate > 0 ? std::min(rate, paced) : paced);
        figures_.highest_rate =
            std::max(figures_.highest_rate, rate > 0 ? std::min(rate, paced) : paced);
    }

    void start_calls() {
        const double rate = fleet_.learns ? controller_.rate() : 0;
        if (rate > 0)
            pace_ = std::min(std::max(1.0, rate * 0.2), pace_ + (now_ - paced_) * rate / 1e3);
        paced_ = now_;
        const auto may_start = [&] {
            return running_ < limit() && now_ >= rests_until_ && (rate == 0 || pace_ >= 1);
        };
        while (may_start()) {
            auto call = next_call();
            if (!call) break;
            if (rate > 0) pace_ -= 1;
            send(*call);
        }
        if (now_ < rests_until_) {
            look_again_at(rests_until_);
        } else if (rate > 0 && pace_ < 1) {
            look_again_at(now_ + (1 - pace_) / rate * 1e3 + 1);
        }
    }

    void look_again_at(double at) {
        if (look_at_ > now_ && look_at_ <= at) return;
        look_at_ = at;
        push(at, [this] { start_calls(); });
    }

    /// Calls that have begun go first.
    std::optional<Call> next_call() {
        if (!retries_.empty()) {
            const Call call = retries_.front();
            retries_.pop_front();
            return call;
        }
        // A trial that waits for its next attempt lends its slot out, but not to more than one
        // other.
        if (running_ >= fleet_.demand || running_ + backing_off_ >= 2 * fleet_.demand)
            return std::nullopt;
        return new_call();
    }

    Call new_call() {
        Call call;
        call.service = provider_.service_ms;
        if (provider_.token_spread > 1) {
            const double length = std::exp(uniform() * std::log(provider_.token_spread));
            call.service *= length;
            if (provider_.tells_tokens) call.tokens = 50 * length;
        }
        if (provider_.sigma > 0)
            call.service *= std::exp(provider_.sigma * std::normal_distribution<double>()(random_));
        return call;
    }

    void send(Call call) {
        ++running_;
        figures_.most_running = std::max(figures_.most_running, running_ - cooling_);
        call.sent = now_;
        call.waited = fleet_.demand > limit();
        const bool is_out = now_ >= provider_.outage_from && now_ < provider_.outage_until;
        if (is_out || is_refused()) {
            push(now_ + 3, [this, call, is_out] { refuse(call, is_out); });
        } else {
            accept(call);
        }
    }

    /// Enters a call into the sums, unless it was sent under an earlier limit.
    template <class Enter>
    void count(const Call& call, Enter enter) {
        if (call.sent < static_cast<double>(controller_.cut_at().count())) return;
        if (call.waited) sums_.waited += 1;
        enter();
    }

    void answer(const Call& call) {
        const double time = now_ - call.sent;
        if (call.sent >= static_cast<double>(controller_.measure_from().count()))
            sums_.service[0].add(time, call.tokens);
        count(call, [&] { sums_.answered += 1; });
        figures_.answered += 1;
        figures_.busy_ms += call.service;
        figures_.times.push_back(time);
        usual_ms_ += 0.1 * (time - usual_ms_);
        leave();
    }

    void time_out(const Call& call) {
        count(call, [&] { sums_.timed_out += 1; });
        figures_.timed_out += 1;
        leave();
    }

    void refuse(Call call, bool is_out) {
        count(call, [&] {
            (is_out ? sums_.overloaded : sums_.throttled) += 1;
            sums_.refused_ms += now_ - call.sent;
            sums_.longest_rest_ms = std::max(sums_.longest_rest_ms, retry_after());
        });
        figures_.refused += 1;
        cool_place();
        back_off(call);
        start_calls();
    }

    /// The place of a refused call stays empty for as long as a call usually takes.
    void cool_place() {
        ++cooling_;
        push(now_ + std::min(usual_ms_, 2'000.0), [this] {
            --cooling_;
            --running_;
            start_calls();
        });
    }

    void back_off(Call call) {
        ++backing_off_;
        ++call.tries;
        const double longest = std::min(8'000.0, 500 * std::exp2(call.tries - 1));
        push(now_ + std::max(uniform() * longest, retry_after()), [this, call] {
            --backing_off_;
            retries_.push_back(call);
            start_calls();
        });
    }

    // The provider.

    [[nodiscard]] bool is_refused() {
        if (uniform() < provider_.random_429 || accepted_ >= provider_.cap) return true;
        if (provider_.per_minute > 0) {
            while (!minute_.empty() && minute_.front() <= now_ - 60'000)
                minute_.pop_front();
            if (static_cast<double>(minute_.size()) >= provider_.per_minute) return true;
            minute_.push_back(now_);
        }
        if (provider_.per_second > 0) {
            const double more = (now_ - std::exchange(bucket_at_, now_)) * provider_.per_second;
            bucket_ = std::min(provider_.per_second, bucket_ + more / 1e3);
            if (bucket_ < 1) return true;
            bucket_ -= 1;
        }
        return false;
    }

    [[nodiscard]] double retry_after() const {
        if (!provider_.tells_wait || minute_.empty()) return 0;
        return std::max(0.0, minute_.front() + 60'000 - now_);
    }

    void accept(Call call) {
        ++accepted_;
        if (uniform() < provider_.never) call.service = 1e12;
        queue_.push_back(call);
        work();
    }

    void work() {
        while (!queue_.empty() && busy_ < provider_.slots) {
            const Call call = queue_.front();
            queue_.pop_front();
            ++busy_;
            const double given_up = call.sent + provider_.timeout_ms;
            if (now_ + call.service > given_up) {
                push(std::max(now_, given_up), [this, call] { time_out(call); });
            } else {
                push(now_ + call.service, [this, call] { answer(call); });
            }
        }
    }

    void leave() {
        --busy_;
        --accepted_;
        --running_;
        work();
        start_calls();
    }

    const ProviderModel provider_;
    const FleetModel fleet_;
    std::mt19937_64 random_;
    std::priority_queue<Event> events_;
    std::uint64_t event_count_ = 0;
    double now_ = 0;

    LimitController controller_;
    CallSums sums_;  // since the last tick
    double last_tick_ = 0;
    std::uint64_t ticks_ = 0;
    double running_ = 0;  // places that are taken,
    double cooling_ = 0;  // of them by calls that were refused
    double backing_off_ = 0;
    double usual_ms_ = 0;
    double rests_until_ = 0;
    double pace_ = 1;  // calls that the learnt rate allows now
    double paced_ = 0;
    double look_at_ = -1;
    std::deque<Call> retries_;

    double accepted_ = 0;  // by the provider
    double busy_ = 0;      // slots
    std::deque<Call> queue_;
    std::deque<double> minute_;
    double bucket_;
    double bucket_at_ = 0;

    FleetFigures figures_;
    std::vector<std::string> reasons_;
};

}  // namespace evalfleet::worker::testing
