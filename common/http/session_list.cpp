#include "common/http/session_list.hpp"

#include <algorithm>

namespace evalfleet::http {

namespace {

constexpr std::chrono::seconds kStandstill{1};

bool gives_way(const SessionList::Entry& entry, async::TimePoint now) {
    return entry.wait == SessionList::Wait::client || now - entry.since >= kStandstill;
}

}  // namespace

SessionList::Place SessionList::add(Session& session, bool is_spare) {
    if (is_spare) ++spare_;
    return busy_.insert(busy_.end(), Entry{&session, is_spare, Wait::nothing, {}});
}

void SessionList::remove(Place place) {
    if (place->is_spare) --spare_;
    (place->wait == Wait::nothing ? busy_ : waiting_).erase(place);
}

void SessionList::wait(Place place, Wait what, async::TimePoint now) {
    auto& from = place->wait == Wait::nothing ? busy_ : waiting_;
    waiting_.splice(waiting_.end(), from, place);
    place->wait = what;
    place->since = now;
}

void SessionList::go_on(Place place) {
    if (place->wait == Wait::nothing) return;
    busy_.splice(busy_.end(), waiting_, place);
    place->wait = Wait::nothing;
}

SessionList::Entry* SessionList::longest_waiting(async::TimePoint now) {
    const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                    [now](const Entry& entry) { return gives_way(entry, now); });
    return found == waiting_.end() ? nullptr : &*found;
}

}  // namespace evalfleet::http
