#include "worker/permits/permit_book.hpp"

#include <algorithm>
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
constexpr milliseconds kProposalInterval{100};
constexpr std::uint64_t kThisBucket = std::uint64_t{1} << 52;  // Redis takes a later one as now
constexpr double kUsed = 0.7;                                  // of the limit, for it to grow

}  // namespace

PermitBook::PermitBook(Config config) : config_(std::move(config)) {}

void PermitBook::enter(Ticket ticket, std::int64_t tokens) {
    waiting_.push_back({ticket, tokens});
    usual_tokens_ = tokens;
    peak_ = std::max<std::uint64_t>(peak_, running_ + waiting_.size());
}

bool PermitBook::withdraw(Ticket ticket) {
    return std::erase_if(waiting_, [&](const Waiting& each) { return each.ticket == ticket; }) > 0;
}

bool PermitBook::may_start(TimePoint now) const {
    if (is_closed_ || now < paused_until_ || now >= held_until_) return false;
    if (running_ >= allowed_) return false;
    return !config_.key.is_rated() || !in_hand_.empty();
}

std::vector<PermitBook::Start> PermitBook::serve(TimePoint now) {
    give_back_stale(now);
    std::vector<Start> starts;
    while (!waiting_.empty() && may_start(now)) {
        const Waiting next = waiting_.front();
        waiting_.pop_front();
        starts.push_back({next.ticket, use_permit(next.tokens)});
        ++running_;
        ++starts_;
    }
    return starts;
}

std::optional<Charge> PermitBook::use_permit(std::int64_t tokens) {
    if (!config_.key.is_rated()) return std::nullopt;
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
    --running_;
    if (!keep_ && allowed_ > running_) {
        allowed_ = std::max(running_, allowed_ - 1);
        is_urgent_ = true;
    }
    if (charge && !end.sent) {
        amend(charge->bucket, -1, -charge->tokens);
    } else if (charge && *end.sent > charge->arrive_by && is_registered_) {
        // It went out later than it was counted for: it counts once more, from now on.
        amend(kThisBucket, 1, charge->tokens);
    }
    if (end.rest.count() > 0) {
        paused_until_ = std::max(paused_until_, now + end.rest);
        pause_news_ = std::max(pause_news_.value_or(paused_until_), paused_until_);
        is_urgent_ = true;
    }
    note_signal(end);
}

void PermitBook::note_signal(const CallEnd& end) {
    if (!config_.key.is_adaptive()) return;
    if (end.kind == CallEnd::Kind::answered) ++signals_.successes;
    if (end.kind == CallEnd::Kind::faulted) ++signals_.faults;
    if (end.kind == CallEnd::Kind::throttled && end.sent) {
        signals_.add_throttled(to_server_time(*end.sent));
        is_urgent_ = true;
    }
}

void PermitBook::correct(const Charge& charge, std::int64_t tokens) {
    if (config_.key.tpm > 0 && tokens != charge.tokens)
        amend(charge.bucket, 0, tokens - charge.tokens);
}

ServerTime PermitBook::to_server_time(TimePoint moment) const {
    return server_now_ + duration_cast<milliseconds>(moment - server_seen_);
}

std::uint64_t PermitBook::reserve() const {
    return is_scarce_ || is_closed_ ? 0 : std::min(starts_, kMaxReserve);
}

/// Calls at once that we would like to have room for.
std::uint64_t PermitBook::demand() const {
    if (is_closed_) return running_;
    const std::uint64_t now = running_ + waiting_.size();
    if (is_scarce_) return now;
    return std::max({now, peak_, peak_before_}) + reserve();
}

std::vector<std::int64_t> PermitBook::make_wishes() const {
    std::vector<std::int64_t> wishes;
    if (!config_.key.is_rated() || is_closed_) return wishes;
    const std::size_t wanted = waiting_.size() + reserve();
    for (std::size_t i = in_hand_.size(); i < wanted && wishes.size() < kMaxWishes; ++i)
        wishes.push_back(i < waiting_.size() ? waiting_[i].tokens : usual_tokens_);
    return wishes;
}

bool PermitBook::has_something_to_say() const {
    const bool is_wanted = !waiting_.empty() && !is_closed_;
    return is_registered_ || is_wanted || running_ > 0 || !amendments_.empty() || pause_news_;
}

void PermitBook::turn_peaks(TimePoint now) {
    if (now - peak_turned_ < config_.sync) return;
    peak_turned_ = now;
    peak_before_ = peak_;
    peak_ = running_ + waiting_.size();
}

std::optional<queue::SharedLimit> PermitBook::propose(TimePoint now) {
    if (!config_.key.is_adaptive() || !knows_shared_ || signals_.empty()) return std::nullopt;
    if (!signals_.throttled && now - last_proposal_ < kProposalInterval) return std::nullopt;
    AdaptiveLimit limit = AdaptiveLimit::parse(shared_.state);
    limit.reckon(signals_, is_limit_used_, to_server_time(now));
    signals_asked_ = std::exchange(signals_, {});
    last_proposal_ = now;
    proposal_ = queue::SharedLimit{shared_.version, limit.text(), limit.limit()};
    return proposal_;
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
    ask.in_use = running_ + in_hand_.size();
    const std::uint64_t all = demand();
    ask.wanted = all > ask.in_use ? all - ask.in_use : 0;
    if (now >= paused_until_) ask.wishes = make_wishes();
    ask.wanted = std::max<std::uint64_t>(ask.wanted, ask.wishes.size());
    if (pause_news_ && *pause_news_ > now)
        ask.pause = std::chrono::ceil<milliseconds>(*pause_news_ - now);
    if (config_.key.is_adaptive()) ask.first_limit = AdaptiveLimit::kFirst;
    ask.proposal = propose(now);
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
    keep_ = answer.keep;
    if (pause_news_ && *pause_news_ <= now + answer.paused) pause_news_.reset();
    paused_until_ = std::max(pause_news_.value_or(TimePoint{}), now + answer.paused);
    settle_proposal(answer.shared);
    const double limit = fleet_limit().value_or(0);
    is_limit_used_ = static_cast<double>(answer.fleet_held) >= kUsed * limit;
    // The grant was made after we asked: counted from there, it is sent early enough.
    const std::size_t granted = std::min<std::size_t>(answer.granted, asked_.wishes.size());
    for (std::size_t i = 0; i < granted; ++i) {
        in_hand_.push_back({{answer.bucket, asked_.wishes[i], asked + config_.terms.margin},
                            asked + config_.terms.margin / 2});
    }
    plan_next(answer, now, random);
}

void PermitBook::settle_proposal(const queue::SharedLimit& shared) {
    const auto mine = std::exchange(proposal_, std::nullopt);
    const CallSignals said = std::exchange(signals_asked_, {});
    const bool was_taken =
        mine && shared.version == mine->version + 1 && shared.state == mine->state;
    if (mine && !was_taken) signals_.add(said);  // somebody was faster: once more
    shared_ = shared;
    knows_shared_ = true;
}

void PermitBook::plan_next(const queue::PermitAnswer& answer, TimePoint now, double random) {
    is_scarce_ = answer.allowed < asked_.in_use + asked_.wanted || answer.wait.count() > 0;
    milliseconds wait{0};
    if (answer.paused.count() > 0) {
        wait = answer.paused;
    } else if (answer.wait.count() > 0) {
        wait = answer.wait;
    } else if (is_scarce_) {
        wait = kScarceWait;
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
    proposal_.reset();
    // What the lost ask took along may have arrived. Told again is what errs on the safe side when
    // it counts twice: a refusal, and whatever was used beyond its estimate.
    if (signals_asked_.throttled) signals_.add_throttled(*signals_asked_.throttled);
    signals_asked_ = {};
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
    if (has_something_to_say()) next = is_urgent_ ? now : last_answer_ + config_.sync;
    if (!waiting_.empty() && !is_closed_) next = std::min(next, std::max(ask_again_, now));
    const bool wants_reserve = config_.key.is_rated() && in_hand_.empty() && starts_ > 0;
    if (wants_reserve && !is_scarce_ && !is_closed_) next = now;
    return std::max(next, now);
}

void PermitBook::close(TimePoint now) {
    is_closed_ = true;
    is_urgent_ = true;
    for (InHand& each : in_hand_)
        each.send_by = now;
    give_back_stale(now);
    peak_ = peak_before_ = 0;
}

std::optional<double> PermitBook::fleet_limit() const {
    if (config_.key.max_concurrent > 0) return static_cast<double>(config_.key.max_concurrent);
    if (!config_.key.is_adaptive()) return std::nullopt;
    return shared_.version > 0 ? shared_.limit : AdaptiveLimit::kFirst;
}

async::Duration PermitBook::paused_for(TimePoint now) const {
    return std::max(async::Duration(0), paused_until_ - now);
}

bool PermitBook::is_cut_off(TimePoint now) const {
    return is_failing_ && now >= held_until_;
}

}  // namespace evalfleet::worker
