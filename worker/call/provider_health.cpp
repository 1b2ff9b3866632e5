#include "worker/call/provider_health.hpp"

#include <algorithm>

namespace evalfleet::worker {

namespace {

bool got_no_connection(const std::optional<CallFailure>& failure) {
    return failure &&
           (failure->kind == job::CallError::connect || failure->kind == job::CallError::tls);
}

}  // namespace

ProviderHealth::ProviderHealth(std::vector<std::string> providers) {
    for (std::string& name : providers)
        states_.emplace(std::move(name), State());
}

void ProviderHealth::observe(const std::string& provider, const std::optional<CallFailure>& failure,
                             async::TimePoint now) {
    const std::lock_guard lock(mutex_);
    const auto found = states_.find(provider);
    if (found == states_.end()) return;
    State& state = found->second;
    if (!got_no_connection(failure)) {
        // A time-out says neither.
        if (!failure || failure->kind != job::CallError::timeout) state = {};
        return;
    }
    ++state.failures;
    state.reason = failure->message;
    if (!state.is_unreachable() || now < state.rests_until) return;
    state.rest = std::clamp(state.rest * 2, kFirstRest, kLongestRest);
    state.rests_until = now + state.rest;
}

void ProviderHealth::note_answer(const std::string& provider, const std::string& model,
                                 async::TimePoint now) {
    const std::lock_guard lock(mutex_);
    Model key(provider, model);
    if (answers_.size() >= kMaxModels && !answers_.contains(key)) return;
    answers_[std::move(key)] = now;
}

std::optional<async::TimePoint> ProviderHealth::last_answer(const std::string& provider,
                                                            const std::string& model) const {
    const std::lock_guard lock(mutex_);
    const auto found = answers_.find(Model(provider, model));
    if (found == answers_.end()) return std::nullopt;
    return found->second;
}

ProviderHealth::Choice ProviderHealth::choose(async::TimePoint now) const {
    const std::lock_guard lock(mutex_);
    Choice choice;
    for (const auto& [name, state] : states_) {
        if (state.is_unreachable() && now < state.rests_until) {
            choice.next = std::min(choice.next.value_or(state.rests_until), state.rests_until);
            continue;
        }
        choice.is_trial = choice.is_trial || state.is_unreachable();
        choice.providers.push_back(name);
    }
    return choice;
}

std::map<std::string, std::string> ProviderHealth::unreachable() const {
    const std::lock_guard lock(mutex_);
    std::map<std::string, std::string> all;
    for (const auto& [name, state] : states_) {
        if (state.is_unreachable()) all.emplace(name, state.reason);
    }
    return all;
}

}  // namespace evalfleet::worker
