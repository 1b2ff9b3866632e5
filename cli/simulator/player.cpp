#include "cli/simulator/player.hpp"

#include "cli/simulator/answer.hpp"
#include "cli/simulator/judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace evalfleet::simulator {

namespace {

constexpr int kInternalError = 500;

std::string finish_of(Fault fault) {
    if (fault == Fault::refusal) return "refusal";
    if (fault == Fault::content_filter) return "content_filter";
    return fault == Fault::prompt_filter ? "prompt_blocked" : "stop";
}

/// The rest of an answer that was begun for it.
std::string go_on(const std::string& prefill, std::string text) {
    if (!prefill.empty() && text.starts_with(prefill)) text.erase(0, prefill.size());
    return text;
}

}  // namespace

struct Player::Turn {
    Directive directive;
    std::optional<JudgePrompt> judged;
    std::uint64_t reasoning = 0;
    Draw request;  ///< the same for equal requests
    Draw content;  ///< the same, unless repeats vary
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
    Turn turn{header.value_or(Directive{}),
              read_judge_prompt(request.prompt),
              0,
              Draw(seed),
              Draw(config_.vary_repeats ? attempt : seed),
              Draw(attempt)};
    outcome.is_judge = turn.judged.has_value();
    if (const auto text = find_directive(request.prompt); text && !header) {
        auto directive = parse_directive(*text);
        if (!directive) return directive.error();
        turn.directive = std::move(*directive);
    }
    const bool speaks_to_judge = outcome.is_judge && !header;
    const Directive::Call& call = speaks_to_judge ? turn.directive.judge : turn.directive.model;

    turn.reasoning = call.reasoning_tokens.value_or(config_.reasoning_tokens);
    outcome.delay = call.delay.value_or(std::chrono::milliseconds(0));
    if (!call.delay) outcome.delay = draw_delay(turn.attempt);
    outcome.drip = turn.directive.drip;
    outcome.oversized_bytes = turn.directive.oversized_bytes;
    if (!apply(call, outcome)) draw_fault(turn, outcome);
    if (outcome.fault == Fault::mid_error && !request.stream) outcome.status = kInternalError;
    if (outcome.status == 200) answer(request, turn, outcome);
    if (!call.delay) outcome.delay += time_to_write(outcome.completion.tokens);
    return outcome;
}

/// True if the directive says how the call ends.
bool Player::apply(const Directive::Call& call, Outcome& outcome) const {
    if (!call.status && call.fault == Fault::none) return false;
    if (call.times && outcome.nth > *call.times) return true;
    outcome.status = call.status.value_or(outcome.status);
    outcome.fault = call.fault;
    outcome.retry_after = call.retry_after;
    outcome.error_code = call.error_code;
    return true;
}

void Player::draw_fault(const Turn& turn, Outcome& outcome) const {
    const FaultKind* hit = simulator::draw_fault(config_.faults, config_.fault_times, turn.request,
                                                 turn.attempt, outcome.nth);
    if (hit == nullptr) return;
    outcome.status = hit->status;
    outcome.fault = hit->fault;
    outcome.retry_after = config_.retry_after.told_with(hit->status);
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

async::Duration Player::time_to_write(const TokenCounts& tokens) const {
    const auto count = static_cast<double>(tokens.output + tokens.reasoning);
    return std::chrono::round<std::chrono::microseconds>(
        std::chrono::duration<double, std::milli>(count * config_.ms_per_token));
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
    completion.counts_reasoning_apart = turn.directive.counts_reasoning_apart;
    completion.content = say(request, turn, outcome.fault);
    // Thinking comes first, and out of the same tokens.
    const auto reasoning = static_cast<std::int64_t>(turn.reasoning);
    const std::int64_t most = request.max_tokens.value_or(std::numeric_limits<std::int64_t>::max());
    completion.tokens.reasoning =
        static_cast<std::uint64_t>(std::min(reasoning, std::max<std::int64_t>(most, 0)));
    if (request.max_tokens && cut_to_tokens(completion.content, most - reasoning)) {
        completion.finish_reason = "length";
    }
    completion.tokens.prompt = count_tokens(request.input_bytes);
    if (const std::uint64_t context = turn.directive.context_tokens; context > 0)
        completion.tokens.prompt = std::min(completion.tokens.prompt, context);
    completion.tokens.output = count_tokens(completion.content.size());
    completion.tokens.cache_read = turn.directive.cached_tokens;
    completion.tokens.cache_write = turn.directive.cache_write_tokens;
}

std::string Player::say(const ChatRequest& request, const Turn& turn, Fault fault) const {
    if (fault == Fault::empty || fault == Fault::content_filter) return {};
    if (fault == Fault::refusal || fault == Fault::prompt_filter) {
        return "I can't help with that request.";
    }
    if (turn.judged) {
        // Nobody writes prose in JSON mode.
        const bool is_plain = request.wants_json && turn.directive.verdict == "prose";
        return judge_reply(*turn.judged, config_, turn.attempt,
                           is_plain ? std::nullopt : turn.directive.verdict);
    }
    if (turn.directive.answer) return *turn.directive.answer;
    return go_on(request.prefill, speak(request, turn));
}

std::string Player::speak(const ChatRequest& request, const Turn& turn) const {
    std::string text =
        make_answer(request.prompt, book_.find(request.prompt), config_, turn.content);
    if (config_.answer_tokens) {
        const TokenRange& range = *config_.answer_tokens;
        fit_to_tokens(text, turn.content.log_uniform(Purpose::answer_length, range.min, range.max));
    }
    return text;
}

}  // namespace evalfleet::simulator
