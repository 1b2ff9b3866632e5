#include "cli/simulator/quota.hpp"

#include "cli/simulator/draw.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace evalfleet::simulator {

namespace {

// Keys and models are the client's to invent: past this many, those that nothing is known of are
// forgotten.
constexpr std::size_t kMaxAccounts = 10'000;

}  // namespace

QuotaKeeper::Place::Place(Place&& other) noexcept
    : keeper_(std::exchange(other.keeper_, nullptr)), account_(other.account_) {}

QuotaKeeper::Place& QuotaKeeper::Place::operator=(Place&& other) noexcept {
    std::swap(keeper_, other.keeper_);
    std::swap(account_, other.account_);
    return *this;
}

QuotaKeeper::Place::~Place() {
    if (keeper_ != nullptr) keeper_->leave(account_);
}

std::uint64_t QuotaKeeper::account_id(std::string_view key, std::string_view model) const {
    if (config_.by == LimitBy::key) return stable_hash(key);
    if (config_.by == LimitBy::model) return stable_hash(model);
    return combine(stable_hash(key), stable_hash(model));
}

QuotaKeeper::Verdict QuotaKeeper::admit(std::string_view key, std::string_view model,
                                        std::uint64_t tokens, async::TimePoint now) {
    if (!config_.is_limited()) return {};
    const std::uint64_t id = account_id(key, model);
    const std::lock_guard lock(mutex_);
    // Threads may come here in another order than that in which they read the clock.
    now = latest_ = std::max(now, latest_);
    Account& account = account_of(id, now);
    Verdict verdict;
    verdict.refusal = refuse(account, tokens, now);
    if (!verdict.refusal) {
        account.requests.take(1, now);
        account.tokens.take(tokens, now);
        ++account.under_way;
        verdict.place = Place(*this, id);
    }
    if (!config_.is_hidden) {
        verdict.view = QuotaView{account.requests.view(now), account.tokens.view(now)};
    } else if (verdict.refusal) {
        verdict.refusal->wait.reset();
    }
    return verdict;
}

std::optional<QuotaKeeper::Refusal> QuotaKeeper::refuse(Account& account, std::uint64_t tokens,
                                                        async::TimePoint now) const {
    constexpr std::chrono::seconds kGuess{1};
    if (const auto wait = account.requests.wait(1, now)) return Refusal{Limit::requests, *wait};
    if (const auto wait = account.tokens.wait(tokens, now)) return Refusal{Limit::tokens, *wait};
    const bool is_full = config_.max_concurrent > 0 && account.under_way >= config_.max_concurrent;
    if (is_full) return Refusal{Limit::concurrency, kGuess};
    return std::nullopt;
}

QuotaKeeper::Account& QuotaKeeper::account_of(std::uint64_t id, async::TimePoint now) {
    if (accounts_.size() >= kMaxAccounts && !accounts_.contains(id)) {
        for (auto next = accounts_.begin(); next != accounts_.end();) {
            Account& account = next->second;
            const bool is_unused = account.under_way == 0 && account.requests.is_unused(now) &&
                                   account.tokens.is_unused(now);
            next = is_unused ? accounts_.erase(next) : std::next(next);
        }
    }
    return accounts_.try_emplace(id, config_).first->second;
}

void QuotaKeeper::leave(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    const auto found = accounts_.find(id);
    if (found != accounts_.end() && found->second.under_way > 0) --found->second.under_way;
}

}  // namespace evalfleet::simulator
