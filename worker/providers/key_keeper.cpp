#include "worker/providers/key_keeper.hpp"

#include "common/providers/api_key.hpp"

#include <algorithm>
#include <system_error>
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
    keeper->stamp_ = keeper->blocking_stamp();
    auto key = providers::blocking_resolve_key(keeper->provider_, environment);
    if (!key) return key.error();
    if (!key->empty()) keeper->adopt(*std::move(key));
    return keeper;
}

std::optional<KeyKeeper::Stamp> KeyKeeper::blocking_stamp() const {
    if (!provider_.api_key_file) return std::nullopt;
    std::error_code failed;
    Stamp stamp;
    stamp.changed = std::filesystem::last_write_time(*provider_.api_key_file, failed);
    if (failed) return std::nullopt;
    stamp.size = std::filesystem::file_size(*provider_.api_key_file, failed);
    if (failed) return std::nullopt;
    return stamp;
}

std::string KeyKeeper::blocking_current(async::TimePoint now) {
    const std::lock_guard lock(mutex_);
    if (provider_.api_key_file && now >= looked_at_ + kPeriod) {
        looked_at_ = now;
        blocking_reread();
    }
    return keys_.empty() ? std::string() : keys_.back();
}

void KeyKeeper::blocking_reread() {
    const auto stamp = blocking_stamp();
    if (!stamp || stamp == stamp_) return;
    auto key = providers::blocking_resolve_key(provider_, no_environment);
    if (!key) return;
    stamp_ = stamp;
    if (!keys_.empty() && keys_.back() == *key) return;
    adopt(*std::move(key));
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
