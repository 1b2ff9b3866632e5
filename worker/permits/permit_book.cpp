#include "worker/permits/permit_book.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace evalfleet::worker {

using async::TimePoint;
using std::chrono::duration_cast;
using std::chrono::milliseconds;

namespace {

constexpr std::uint64_t kMaxReserve = 64;
constexpr std::size_t kMaxWishes = 128;      // in one ask
constexpr std::size_t kMaxAmendments = 64;   // in one ask
constexpr std::size_t kMaxBuckets = 1024;    // that are remembered while Redis is away
constexpr milliseconds kScarceWait{60};      // before asking again for room
constexpr milliseconds kLongestWait{1'000};  // before asking again for anything
constexpr milliseconds kFailedWait{250};
constexpr std::uint64_t kThisBucket = std::uint64_t{1} << 52;  // Redis takes a later one as now
constexpr double kShortestCoolingMs = 50;
constexpr double kLongestCoolingMs = 2'000;
constexpr double kRecentMs = 1'000;
constexpr double kMostlyRefused = 0.5;
constexpr milliseconds kLongestTick{5'000};  // longer ones had a time of rest in them

double to_ms(async::Duration duration) {
    return std::chrono::duration<double, std::milli>(duration).count();
}

}  // namespace

PermitBook::PermitBook(Config config)
    : config_(std::move(config)), controller_(LimitController::start(config_.key)) {}

void PermitBook::enter(Ticket ticket, std::int64_t tokens, CallRank rank) {
    waiting_[static_cast<std::size_t>(rank)].push_back({ticket, tokens});
    usual_tokens_ = tokens;
    peak_ = std::max<std::uint64_t>(peak_, running_ + count_waiting());
}

bool PermitBook::withdraw(Ticket ticket) {
    std::size_t removed = 0;
    for (auto& rank : waiting_)
        removed += std::erase_if(rank, [&](const Waiting& each) { return each.ticket == ticket; });
    return removed > 0;
}

std::size_t PermitBook::count_waiting() const noexcept {
    return waiting_[0].size() + waiting_[1].size() + waiting_[2].size();
}

std::uint64_t PermitBook::count_urgent() const noexcept {
    return is_closed_ ? 0 : waiting_[0].size() + waiting_[1].size();
}

bool PermitBook::needs_grant() const noexcept {
    return config_.key.is_rated() || shared_.rate > 0;
}

bool PermitBook::may_start(TimePoint now) const {
    if (is_closed_ || now < paused_until_ || now >= held_until_) return false;
    if (count_used() >= target_) return false;
    return !needs_grant() || !in_hand_.empty();
}

std::vector<PermitBook::Start> PermitBook::serve(TimePoint now) {
    give_back_stale(now);
    cooling_.erase(cooling_.begin(), cooling_.upper_bound(now));
    note_running(now);
    std::vector<Start> starts;
    for (auto& rank : waiting_) {
        while (!rank.empty() && may_start(now)) {
            const Waiting next = rank.front();
            rank.pop_front();
            starts.push_back({next.ticket, use_permit(next.tokens)});
            ++running_;
            ++starts_;
        }
    }
    return starts;
}

std::optional<Charge> PermitBook::use_permit(std::int64_t tokens) {
    if (in_hand_.empty()) return std::nullopt;
    Charge charge = in_hand_.front().charge;
    in_hand_.pop_front();
    // The permit may have been got for another call.
    if (charge.tokens != tokens) amend(charge.bucket, 0, tokens - charge.tokens);
    charge.tokens = tokens;
    return charge;
}

void PermitBook::give_back_stale(TimePoint now) {
    while (!in_hand_.empty() && in_hand_.front().send_by <= now) {
        const Charge& charge = in_hand_.front().charge;
        amend(charge.bucket, -1, -charge.tokens);
        in_hand_.pop_front();
    }
}

void PermitBook::amend(std::uint64_t bucket, std::int64_t requests, std::int64_t tokens) {
    queue::Amendment& amendment = amendments_[bucket];
    amendment.bucket = bucket;
    amendment.requests += requests;
    amendment.tokens += tokens;
    if (amendments_.size() > kMaxBuckets) amendments_.erase(amendments_.begin());
}

void PermitBook::end(const std::optional<Charge>& charge, const CallEnd& end, TimePoint now) {
    note_running(now);
    // Others wait for the place.
    if (count_used() > target_ || (target_ < allowed_ && count_used() >= target_))
        is_urgent_ = true;
    --running_;
    if (charge && !end.sent) {
        amend(charge->bucket, -1, -charge->tokens);
    } else if (charge && *end.sent > charge->arrive_by && is_registered_) {
        // It went out later than it was counted for: it counts once more, from now on.
        amend(kThisBucket, 1, charge->tokens);
    }
    note_sums(end, now);
    note_rest(end, now);
    cool(end, now);
}

void PermitBook::cool(const CallEnd& end, TimePoint now) {
    if (!end.is_refused() || is_closed_) return;
    const double ms = std::clamp(usual_ms_, kShortestCoolingMs, kLongestCoolingMs);
    cooling_.insert(now + milliseconds(static_cast<std::int64_t>(ms)));
}

/// A refusal among answers is its own call's business. When most calls are refused, what the
/// provider asks for holds for all.
void PermitBook::note_rest(const CallEnd& end, TimePoint now) {
    const double faded = std::exp(-to_ms(now - recent_at_) / kRecentMs);
    recent_at_ = now;
    recent_answers_ = recent_answers_ * faded + (end.kind == CallEnd::Kind::answered ? 1 : 0);
    recent_refusals_ = recent_refusals_ * faded + (end.is_refused() ? 1 : 0);
    if (end.rest.count() <= 0) return;
    const double share = recent_refusals_ / (recent_answers_ + recent_refusals_);
    if (end.is_refused() && share < kMostlyRefused) return;
    pause_until(now + end.rest);
}

void PermitBook::pause_until(TimePoint moment) {
    paused_until_ = std::max(paused_until_, moment);
    pause_news_ = std::max(pause_news_.value_or(paused_until_), paused_until_);
    is_urgent_ = true;
}

void PermitBook::note_sums(const CallEnd& end, TimePoint now) {
    if (end.is_refused()) ++refused_;
    if (!end.sent) return;
    const ServerTime sent = to_server_time(*end.sent);
    if (end.service) {
        const double ms = to_ms(*end.service);
        usual_ms_ = usual_ms_ == 0 ? ms : usual_ms_ + 0.1 * (ms - usual_ms_);
        if (sent >= controller_.measure_from()) {
            const auto purpose = static_cast<std::size_t>(end.purpose);
            sums_.service[purpose].add(ms, static_cast<double>(end.output_tokens));
        }
    }
    if (sent < controller_.cut_at()) return;
    if (end.waited) sums_.waited += 1;
    switch (end.kind) {
        case CallEnd::Kind::answered:
            sums_.answered += 1;
            break;
        case CallEnd::Kind::throttled:
        case CallEnd::Kind::overloaded:
            (end.kind == CallEnd::Kind::throttled ? sums_.throttled : sums_.overloaded) += 1;
            sums_.refused_ms += to_ms(now - *end.sent);
            sums_.longest_rest_ms =
                std::max(sums_.longest_rest_ms, static_cast<double>(end.rest.count()));
            break;
        case CallEnd::Kind::timed_out:
            sums_.timed_out += 1;
            break;
        case CallEnd::Kind::faulted:
        case CallEnd::Kind::unsent:
            break;
    }
}

void PermitBook::correct(const Charge& charge, std::int64_t tokens) {
    if (config_.key.tpm > 0 && tokens != charge.tokens)
        amend(charge.bucket, 0, tokens - charge.tokens);
}

ServerTime PermitBook::to_server_time(TimePoint moment) const {
    return server_now_ + duration_cast<milliseconds>(moment - server_seen_);
}

milliseconds PermitBook::sync() const {
    return std::min(config_.sync, controller_.tick());
}

std::uint64_t PermitBook::reserve() const {
    return is_scarce_ || is_closed_ ? 0 : std::min(starts_, kMaxReserve);
}

/// Calls at once that we would like to have room for.
std::uint64_t PermitBook::demand() const {
    if (is_closed_) return count_used();
    const std::uint64_t now = count_used() + count_waiting();
    if (is_scarce_) return now;
    return std::max({now, peak_, peak_before_}) + reserve();
}

std::vector<std::int64_t> PermitBook::make_wishes() const {
    std::vector<std::int64_t> wishes;
    if (!needs_grant() || is_closed_) return wishes;
    std::vector<std::int64_t> wanted;
    for (const auto& rank : waiting_) {
        for (const Waiting& each : rank) {
            if (wanted.size() >= kMaxWishes + in_hand_.size()) break;
            wanted.push_back(each.tokens);
        }
    }
    wanted.resize(wanted.size() + reserve(), usual_tokens_);
    for (std::size_t i = in_hand_.size(); i < wanted.size() && wishes.size() < kMaxWishes; ++i)
        wishes.push_back(wanted[i]);
    return wishes;
}

bool PermitBook::has_something_to_say() const {
    const bool is_wanted = count_waiting() > 0 && !is_closed_;
    return is_registered_ || is_wanted || running_ > 0 || !amendments_.empty() || pause_news_ ||
           proposal_;
}

void PermitBook::turn_peaks(TimePoint now) {
    if (now - peak_turned_ < config_.sync) return;
    peak_turned_ = now;
    peak_before_ = peak_;
    peak_ = running_ + count_waiting();
}

void PermitBook::note_running(TimePoint now) {
    if (now > busy_until_) busy_ms_ += static_cast<double>(running_) * to_ms(now - busy_until_);
    busy_until_ = std::max(busy_until_, now);
}

/// Calls under way, on average since the last time.
double PermitBook::take_running(TimePoint now) {
    note_running(now);
    const double ms = to_ms(now - busy_since_);
    const double average = ms > 0 ? busy_ms_ / ms : static_cast<double>(running_);
    busy_ms_ = 0;
    busy_since_ = now;
    return average;
}

std::vector<queue::Amendment> PermitBook::take_amendments() {
    std::vector<queue::Amendment> some;
    while (!amendments_.empty() && some.size() < kMaxAmendments) {
        some.push_back(amendments_.begin()->second);
        amendments_.erase(amendments_.begin());
    }
    return some;
}

std::optional<queue::PermitAsk> PermitBook::next_ask(TimePoint now) {
    give_back_stale(now);
    if (is_asking_ || due(now) > now || !has_something_to_say()) return std::nullopt;
    turn_peaks(now);
    queue::PermitAsk ask;
    ask.running = take_running(now);
    ask.in_use = count_used() + in_hand_.size();
    const std::uint64_t all = demand();
    ask.wanted = all > ask.in_use ? all - ask.in_use : 0;
    if (now >= paused_until_) ask.wishes = make_wishes();
    ask.wanted = std::max<std::uint64_t>(ask.wanted, ask.wishes.size());
    ask.urgent = std::min(ask.wanted, count_urgent());
    if (pause_news_ && *pause_news_ > now)
        ask.pause = std::chrono::ceil<milliseconds>(*pause_news_ - now);
    ask.first_calls = LimitController::start(config_.key).calls();
    ask.tick = controller_.tick();
    ask.refused = std::exchange(refused_, 0);
    if (!sums_.empty()) ask.sums = std::exchange(sums_, {.epoch = sums_.epoch}).text();
    proposed_ = std::exchange(proposal_, std::nullopt);
    if (proposed_) {
        ask.proposal = proposed_->limit;
        ask.reason = proposed_->reason;
    }
    ask.amendments = take_amendments();
    is_asking_ = true;
    is_urgent_ = false;
    is_registered_ = ask.in_use + ask.wanted > 0;
    starts_ = 0;
    asked_ = ask;
    return ask;
}

void PermitBook::answered(const queue::PermitAnswer& answer, TimePoint asked, TimePoint now,
                          double random) {
    is_asking_ = false;
    is_failing_ = false;
    last_answer_ = now;
    server_now_ = answer.server_now;
    server_seen_ = asked + (now - asked) / 2;
    held_until_ = asked + config_.terms.lease - config_.terms.lease / 10;
    allowed_ = answer.allowed;
    target_ = answer.target;
    if (pause_news_ && *pause_news_ <= now + answer.paused) pause_news_.reset();
    paused_until_ = std::max(pause_news_.value_or(TimePoint{}), now + answer.paused);
    // The grant was made after we asked: counted from there, it is sent early enough.
    const std::size_t granted = std::min<std::size_t>(answer.granted, asked_.wishes.size());
    for (std::size_t i = 0; i < granted; ++i) {
        in_hand_.push_back({{answer.bucket, asked_.wishes[i], asked + config_.terms.margin},
                            asked + config_.terms.margin / 2});
    }
    learn(answer, now);
    plan_next(answer, now, random);
}

void PermitBook::learn(const queue::PermitAnswer& answer, TimePoint now) {
    const auto mine = std::exchange(proposed_, std::nullopt);
    const bool was_taken = mine && answer.shared.version == mine->limit.version + 1 &&
                           answer.shared.state == mine->limit.state;
    if (was_taken && !mine->reason.empty()) news_ = mine->reason;
    shared_ = answer.shared;
    controller_ = LimitController::of(shared_, config_.key);
    if (sums_.epoch != controller_.epoch()) sums_ = {.epoch = controller_.epoch()};
    if (mine && !was_taken && mine->sums.epoch == sums_.epoch)
        sums_.add(mine->sums);  // somebody was faster: once more
    if (answer.elapsed.count() > 0) reckon(answer, now);
}

/// It is on us to make new limits of what all workers saw.
void PermitBook::reckon(const queue::PermitAnswer& answer, TimePoint now) {
    LimitTick tick;
    tick.sums = CallSums::parse(answer.sums).value_or(CallSums());
    tick.elapsed_ms = to_ms(std::min(answer.elapsed, kLongestTick));
    tick.running = answer.fleet_running;
    tick.now = answer.server_now;
    LimitController next = controller_;
    const LimitChange change = next.step(tick);
    proposal_ = Proposal{
        {shared_.version, next.text(), next.calls(), next.rate()}, tick.sums, change.reason};
    if (change.rest_ms > 0) pause_until(now + milliseconds(std::llround(change.rest_ms)));
    is_urgent_ = true;
}

void PermitBook::plan_next(const queue::PermitAnswer& answer, TimePoint now, double random) {
    is_scarce_ = answer.allowed < asked_.in_use + asked_.wanted || answer.wait.count() > 0;
    milliseconds wait{0};
    if (answer.paused.count() > 0) {
        wait = answer.paused;
    } else if (answer.wait.count() > 0) {
        wait = answer.wait;
    } else if (is_scarce_) {
        wait = std::min(kScarceWait, sync());
    }
    wait = std::min(wait, kLongestWait);
    // Spread a little, so that workers that wait for the same moment do not come all at once.
    const auto spread = duration_cast<async::Duration>(std::min(wait, kScarceWait) * (random / 4));
    ask_again_ = now + wait + spread;
}

void PermitBook::failed(TimePoint now) {
    is_asking_ = false;
    is_failing_ = true;
    is_registered_ = true;  // as far as we know
    ask_again_ = now + kFailedWait;
    // What the lost ask took along may have arrived. Told again is what errs on the safe side when
    // it counts twice: whatever was used beyond its estimate.
    proposed_.reset();
    for (const queue::Amendment& each : asked_.amendments) {
        if (each.requests > 0 || each.tokens > 0)
            amend(each.bucket, std::max<std::int64_t>(0, each.requests),
                  std::max<std::int64_t>(0, each.tokens));
    }
}

TimePoint PermitBook::due(TimePoint now) const {
    if (is_asking_) return async::kNever;
    if (is_failing_) return ask_again_;
    TimePoint next = async::kNever;
    if (has_something_to_say()) next = is_urgent_ ? now : last_answer_ + sync();
    if (count_waiting() > 0 && !is_closed_) {
        next = std::min(next, std::max(ask_again_, now));
        if (!cooling_.empty()) next = std::min(next, *cooling_.begin());
    }
    const bool wants_reserve = needs_grant() && in_hand_.empty() && starts_ > 0;
    if (wants_reserve && !is_scarce_ && !is_closed_) next = now;
    return std::max(next, now);
}

void PermitBook::close(TimePoint now) {
    is_closed_ = true;
    is_urgent_ = true;
    cooling_.clear();
    for (InHand& each : in_hand_)
        each.send_by = now;
    give_back_stale(now);
    peak_ = peak_before_ = 0;
}

double PermitBook::fleet_limit() const {
    const double learnt = shared_.version > 0 ? shared_.calls : controller_.calls();
    if (config_.key.max_concurrent == 0) return learnt;
    return std::min(learnt, static_cast<double>(config_.key.max_concurrent));
}

async::Duration PermitBook::paused_for(TimePoint now) const {
    return std::max(async::Duration(0), paused_until_ - now);
}

bool PermitBook::is_cut_off(TimePoint now) const {
    return is_failing_ && now >= held_until_;
}

std::string PermitBook::take_news() {
    return std::exchange(news_, {});
}

}  // namespace evalfleet::worker
