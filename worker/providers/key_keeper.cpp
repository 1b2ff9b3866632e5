#include "worker/providers/key_keeper.hpp"

#include "common/providers/api_key.hpp"

#include <algorithm>
#include <utility>

namespace evalfleet::worker {

namespace {

constexpr std::chrono::seconds kPeriod{5};
constexpr std::size_t kMaxKeys = 16;

std::optional<std::string> no_environment(const std::string&) {
    return std::nullopt;
}

}  // namespace

Result<std::shared_ptr<KeyKeeper>> KeyKeeper::blocking_create(
    providers::ProviderConfig provider, const config::Environment& environment,
    std::shared_ptr<redaction::Secrets> secrets) {
    std::shared_ptr<KeyKeeper> keeper(new KeyKeeper(std::move(provider), std::move(secrets)));
    auto key = providers::blocking_resolve_key(keeper->provider_, environment);
    if (!key) return key.error();
    if (!key->empty()) keeper->adopt(*std::move(key));
    return keeper;
}

std::string KeyKeeper::blocking_current(async::TimePoint now) {
    const std::lock_guard lock(mutex_);
    if (provider_.api_key_file && now >= looked_at_ + kPeriod) {
        looked_at_ = now;
        blocking_reread();
    }
    return keys_.empty() ? std::string() : keys_.back();
}

bool KeyKeeper::blocking_is_other(const std::string& used) {
    const std::lock_guard lock(mutex_);
    if (provider_.api_key_file) blocking_reread();
    return !keys_.empty() && keys_.back() != used;
}

// It is small: to read it costs no more than to ask whether it changed, which times and sizes do
// not always tell.
void KeyKeeper::blocking_reread() {
    auto key = providers::blocking_resolve_key(provider_, no_environment);
    const bool is_new = key && (keys_.empty() || keys_.back() != *key);
    if (is_new) adopt(*std::move(key));
}

/// The redactors learn the key first. One that there was before becomes the last one again.
void KeyKeeper::adopt(std::string key) {
    if (std::erase(keys_, key) == 0) secrets_->add(key);
    keys_.push_back(std::move(key));
    if (keys_.size() <= kMaxKeys) return;
    secrets_->remove(keys_.front());
    keys_.erase(keys_.begin());
}

}  // namespace evalfleet::worker
