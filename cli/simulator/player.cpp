#include "cli/simulator/player.hpp"

#include "cli/simulator/answer.hpp"
#include "cli/simulator/completion.hpp"
#include "cli/simulator/judge.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace evalfleet::simulator {

namespace {

/// The counts of a load test with more different requests than this start anew.
constexpr std::size_t kMaxCounts = 8'000'000;

constexpr int kTooManyRequests = 429;
constexpr int kInternalError = 500;

}  // namespace

struct Player::Turn {
    Directive directive;
    std::optional<JudgePrompt> judged;
    Draw content;  ///< the same for equal requests, unless repeats vary
    Draw attempt;  ///< another one each time
};

Player::Player(SimulatorConfig config, ReferenceBook book)
    : config_(std::move(config)), book_(std::move(book)), window_(config_.rpm) {}

Result<Outcome> Player::play(const ChatRequest& request, const std::optional<Directive>& header,
                             async::TimePoint now) {
    Outcome outcome;
    outcome.key = request.key;
    outcome.nth = count(request.key);
    const std::uint64_t seed = combine(config_.seed, request.key);
    const std::uint64_t attempt = combine(seed, outcome.nth);
    Turn turn{header.value_or(Directive{}), read_judge_prompt(request.prompt),
              Draw(config_.vary_repeats ? attempt : seed), Draw(attempt)};
    outcome.is_judge = turn.judged.has_value();
    if (const auto text = find_directive(request.prompt); text && !header) {
        auto directive = parse_directive(*text);
        if (!directive) return directive.error();
        turn.directive = std::move(*directive);
    }
    const bool speaks_to_judge = outcome.is_judge && !header;
    const Directive::Call& call = speaks_to_judge ? turn.directive.judge : turn.directive.model;

    outcome.delay = call.delay.value_or(std::chrono::milliseconds(0));
    if (!call.delay) outcome.delay = draw_delay(turn.attempt);
    if (const auto wait = window_.refuse(now)) {
        outcome.status = kTooManyRequests;
        outcome.retry_after_s =
            static_cast<std::uint64_t>(std::chrono::ceil<std::chrono::seconds>(*wait).count());
        outcome.delay = {};
    } else if (!apply(call, outcome)) {
        draw_fault(turn.attempt, outcome);
    }
    write_reply(request, turn, outcome);
    return outcome;
}

std::uint64_t Player::count(std::uint64_t key) {
    if (counts_.size() >= kMaxCounts) counts_.clear();
    return ++counts_[key];
}

/// True if the directive says how the call ends.
bool Player::apply(const Directive::Call& call, Outcome& outcome) const {
    if (!call.status && call.fault == Fault::none) return false;
    if (call.times && outcome.nth > *call.times) return true;
    outcome.status = call.status.value_or(outcome.status);
    outcome.fault = call.fault;
    outcome.retry_after_s = call.retry_after_s;
    return true;
}

void Player::draw_fault(const Draw& draw, Outcome& outcome) const {
    const FaultRates& rates = config_.faults;
    double left = draw.uniform(Purpose::fault);
    const auto hits = [&left](double rate) { return (left -= rate) < 0; };
    if (hits(rates.too_many)) {
        outcome.status = kTooManyRequests;
        outcome.retry_after_s = static_cast<std::uint64_t>(config_.retry_after.count());
    } else if (hits(rates.internal)) {
        outcome.status = kInternalError;
    } else if (hits(rates.hang)) {
        outcome.fault = Fault::hang;
    } else if (hits(rates.reset)) {
        outcome.fault = Fault::reset;
    } else if (hits(rates.malformed)) {
        outcome.fault = Fault::malformed;
    }
}

async::Duration Player::draw_delay(const Draw& draw) const {
    if (config_.latency_median.count() == 0) return {};
    double factor = 1;
    if (config_.latency_sigma > 0)
        factor = draw.log_normal(Purpose::latency, config_.latency_sigma);
    const double micros = static_cast<double>(config_.latency_median.count()) * factor;
    constexpr double kMaxMicros = 3.6e9;
    return std::chrono::microseconds(std::llround(std::min(micros, kMaxMicros)));
}

void Player::write_reply(const ChatRequest& request, const Turn& turn, Outcome& outcome) const {
    if (outcome.fault == Fault::hang || outcome.fault == Fault::reset) return;
    if (outcome.status != 200) {
        outcome.body = error_body(outcome.status);
        return;
    }
    Completion completion;
    completion.model = request.model;
    completion.id = combine(outcome.key, outcome.nth);
    completion.finish_reason = turn.directive.finish_reason.value_or("stop");
    completion.prompt_tokens = count_tokens(request.input_bytes);
    completion.has_usage = turn.directive.has_usage;
    if (turn.judged) {
        completion.content =
            judge_reply(*turn.judged, config_, turn.attempt, turn.directive.verdict);
    } else if (turn.directive.answer) {
        completion.content = *turn.directive.answer;
    } else if (outcome.fault != Fault::empty) {
        completion.content =
            make_answer(request.prompt, book_.find(request.prompt), config_, turn.content);
    }
    if (request.max_tokens && cut_to_tokens(completion.content, *request.max_tokens)) {
        completion.finish_reason = "length";
    }
    outcome.body = completion_body(completion);
    if (outcome.fault == Fault::malformed) outcome.body.resize(outcome.body.size() / 2);
}

}  // namespace evalfleet::simulator
