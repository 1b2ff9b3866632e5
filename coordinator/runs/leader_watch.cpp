#include "coordinator/runs/leader_watch.hpp"

namespace evalfleet::runs {

void LeaderWatch::observe(async::TimePoint now, const store::StoreLock::Sighting& sighting) {
    // A card that cannot be read is one that is being written: the last one still counts.
    const bool is_new = sighting.card && sighting.card != card_;
    if (is_new) card_ = sighting.card;
    if (is_new || !beat_ || *beat_ != sighting.beat) last_change_ = now;
    beat_ = sighting.beat;
    last_look_ = now;
}

}  // namespace evalfleet::runs
