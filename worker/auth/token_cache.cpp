#include "worker/auth/token_cache.hpp"

#include <algorithm>

namespace evalfleet::worker {

namespace asio = boost::asio;
using std::chrono::seconds;
using std::chrono::system_clock;

namespace {

constexpr seconds kLongestFetch{30};
constexpr seconds kRestAfterFailure{1};
constexpr seconds kRestAfterRefusal{10};
constexpr seconds kBetweenRenewals{10};
constexpr std::size_t kMaxKnown = 32;

}  // namespace

system_clock::duration renewal_margin(system_clock::duration lifetime) {
    return std::min<system_clock::duration>(lifetime / 10, std::chrono::minutes(5));
}

/// What can be had without asking the source: a credential that is good, and unless it `may_be_due`
/// not due for renewal either; or the failure of a moment ago.
std::optional<Result<Credential>> TokenCache::at_hand(AuthTools& tools, bool may_be_due) {
    const std::lock_guard lock(mutex_);
    const auto utc = tools.clock.utc_now();
    const bool is_good = held_ && (!held_->expires || utc < *held_->expires);
    if (is_good && (may_be_due || utc < due_)) return Result<Credential>(*held_);
    if (failure_ && tools.clock.now() < failed_until_)
        return is_good ? Result<Credential>(*held_) : Result<Credential>(*failure_);
    return std::nullopt;
}

asio::awaitable<Result<Credential>> TokenCache::current(AuthTools tools,
                                                        async::TimePoint deadline) {
    if (auto fresh = at_hand(tools, false)) co_return *std::move(fresh);
    auto turn = asking_.try_acquire();
    if (!turn) {
        if (auto good = at_hand(tools, true)) co_return *std::move(good);
        turn = co_await asking_.acquire();
    }
    if (auto fresh = at_hand(tools, false)) co_return *std::move(fresh);
    co_return co_await fetch(tools, deadline);
}

asio::awaitable<Result<Credential>> TokenCache::fetch(AuthTools tools, async::TimePoint deadline) {
    const async::TimePoint latest = std::min(deadline, tools.clock.now() + kLongestFetch);
    auto fetched = co_await source_->fetch(tools, latest);
    const std::lock_guard lock(mutex_);
    if (fetched) {
        adopt(*fetched, tools.clock.utc_now());
        co_return fetched;
    }
    const ErrorKind kind = fetched.error().kind;
    const bool is_refusal = kind == ErrorKind::denied || kind == ErrorKind::invalid;
    failure_ = fetched.error();
    failed_until_ = tools.clock.now() + (is_refusal ? kRestAfterRefusal : kRestAfterFailure);
    const bool is_good = held_ && (!held_->expires || tools.clock.utc_now() < *held_->expires);
    if (is_good) co_return *held_;
    co_return fetched;
}

void TokenCache::adopt(const Credential& credential, system_clock::time_point now) {
    keep_secret(credential);
    held_ = credential;
    failure_.reset();
    due_ = system_clock::time_point::max();
    if (credential.expires)
        due_ = *credential.expires -
               renewal_margin(std::max(*credential.expires - now, system_clock::duration{}));
}

/// The redactors learn it first, and forget what is long gone.
void TokenCache::keep_secret(const Credential& credential) {
    for (const std::string& secret : {credential.secret, credential.session_token}) {
        const bool is_known = std::find(known_.begin(), known_.end(), secret) != known_.end();
        if (secret.empty() || is_known) continue;
        secrets_->add(secret);
        known_.push_back(secret);
    }
    while (known_.size() > kMaxKnown) {
        secrets_->remove(known_.front());
        known_.erase(known_.begin());
    }
}

bool TokenCache::renew(const Credential& used, async::TimePoint now) {
    const std::lock_guard lock(mutex_);
    if (!held_ || *held_ != used) return true;  // somebody else did already
    if (was_renewed_ && now < renewed_ + kBetweenRenewals) return false;
    was_renewed_ = true;
    renewed_ = now;
    held_.reset();
    return true;
}

}  // namespace evalfleet::worker
