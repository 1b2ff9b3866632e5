#include "cli/simulator/player.hpp"

#include "cli/simulator/answer.hpp"
#include "cli/simulator/judge.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace evalfleet::simulator {

namespace {

constexpr int kTooManyRequests = 429;
constexpr int kInternalError = 500;
constexpr int kOverloaded = 529;

std::string finish_of(Fault fault) {
    if (fault == Fault::refusal) return "refusal";
    if (fault == Fault::content_filter) return "content_filter";
    return fault == Fault::prompt_filter ? "prompt_blocked" : "stop";
}

}  // namespace

struct Player::Turn {
    Directive directive;
    std::optional<JudgePrompt> judged;
    Draw content;  ///< the same for equal requests, unless repeats vary
    Draw attempt;  ///< another one each time
};

Player::Player(SimulatorConfig config, ReferenceBook book)
    : config_(std::move(config)), book_(std::move(book)) {}

Result<Outcome> Player::play(const ChatRequest& request, const std::optional<Directive>& header) {
    Outcome outcome;
    outcome.key = request.key;
    outcome.nth = counter_.count(request.key);
    outcome.stream = request.stream;
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
    outcome.drip = turn.directive.drip;
    outcome.oversized_bytes = turn.directive.oversized_bytes;
    if (!apply(call, outcome)) draw_fault(turn.attempt, outcome);
    if (outcome.fault == Fault::mid_error && !request.stream) outcome.status = kInternalError;
    if (outcome.status == 200) answer(request, turn, outcome);
    return outcome;
}

/// True if the directive says how the call ends.
bool Player::apply(const Directive::Call& call, Outcome& outcome) const {
    if (!call.status && call.fault == Fault::none) return false;
    if (call.times && outcome.nth > *call.times) return true;
    outcome.status = call.status.value_or(outcome.status);
    outcome.fault = call.fault;
    outcome.retry_after_s = call.retry_after_s;
    outcome.error_code = call.error_code;
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
    } else if (hits(rates.overload)) {
        outcome.status = kOverloaded;
    }
    if (outcome.status != 200) return;
    const std::array<std::pair<double, Fault>, 8> faults{{{rates.hang, Fault::hang},
                                                          {rates.reset, Fault::reset},
                                                          {rates.malformed, Fault::malformed},
                                                          {rates.cut, Fault::cut},
                                                          {rates.mid_error, Fault::mid_error},
                                                          {rates.empty, Fault::empty},
                                                          {rates.refusal, Fault::refusal},
                                                          {rates.filter, Fault::content_filter}}};
    for (const auto& [rate, fault] : faults) {
        if (!hits(rate)) continue;
        outcome.fault = fault;
        return;
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

void Player::answer(const ChatRequest& request, const Turn& turn, Outcome& outcome) const {
    Completion& completion = outcome.completion;
    completion.model = request.model;
    completion.id = combine(outcome.key, outcome.nth);
    completion.finish_reason = turn.directive.finish_reason.value_or(finish_of(outcome.fault));
    completion.has_usage = turn.directive.has_usage;
    completion.wants_stream_usage = request.wants_stream_usage;
    completion.wants_padding = request.wants_padding;
    completion.wants_array = request.wants_array;
    completion.content = say(request, turn, outcome.fault);
    if (request.max_tokens && cut_to_tokens(completion.content, *request.max_tokens)) {
        completion.finish_reason = "length";
    }
    completion.tokens.prompt = count_tokens(request.input_bytes);
    completion.tokens.output = count_tokens(completion.content.size());
    completion.tokens.reasoning = turn.directive.reasoning_tokens;
    completion.tokens.cache_read = turn.directive.cached_tokens;
    completion.tokens.cache_write = turn.directive.cache_write_tokens;
}

std::string Player::say(const ChatRequest& request, const Turn& turn, Fault fault) const {
    if (fault == Fault::empty || fault == Fault::content_filter) return {};
    if (fault == Fault::refusal || fault == Fault::prompt_filter) {
        return "I can't help with that request.";
    }
    if (turn.judged)
        return judge_reply(*turn.judged, config_, turn.attempt, turn.directive.verdict);
    if (turn.directive.answer) return *turn.directive.answer;
    return make_answer(request.prompt, book_.find(request.prompt), config_, turn.content);
}

}  // namespace evalfleet::simulator
