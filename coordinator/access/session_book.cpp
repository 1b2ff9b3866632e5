#include "coordinator/access/session_book.hpp"

#include "common/job/sha256.hpp"

#include <utility>

namespace evalfleet::access {

namespace {

// Looked up by hash: how long that takes tells nothing of the ids that exist.
std::string hash_of(std::string_view id) {
    job::Sha256 hash;
    hash.add(id);
    return hash.hex();
}

}  // namespace

void SessionBook::open(std::string_view id, std::string csrf, std::string token_sha256,
                       async::TimePoint now) {
    // All live equally long: those that have expired stand in front.
    while (!entries_.empty() && entries_.front().session.expires <= now)
        drop_oldest();
    if (places_.size() >= config_.max_sessions) drop_oldest();
    entries_.push_back(
        {hash_of(id), {std::move(token_sha256), std::move(csrf), now + config_.lifetime}});
    places_.emplace(entries_.back().id_sha256, std::prev(entries_.end()));
}

const SessionBook::Session* SessionBook::find(std::string_view id, async::TimePoint now) {
    const auto found = places_.find(hash_of(id));
    if (found == places_.end()) return nullptr;
    if (found->second->session.expires > now) return &found->second->session;
    close(id);
    return nullptr;
}

void SessionBook::close(std::string_view id) {
    const auto found = places_.find(hash_of(id));
    if (found == places_.end()) return;
    const auto entry = found->second;
    places_.erase(found);
    entries_.erase(entry);
}

void SessionBook::drop_oldest() {
    if (entries_.empty()) return;
    places_.erase(entries_.front().id_sha256);
    entries_.pop_front();
}

}  // namespace evalfleet::access
