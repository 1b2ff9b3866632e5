#pragma once

#include "common/async/clock.hpp"

#include <cstddef>
#include <list>

namespace evalfleet::http {

class Session;

/// The sessions of a server, and which of them wait for their client: for a handshake, a request,
/// the rest of a head or body, or for room to write. When there are too many connections, the one
/// that has waited longest gives way: those who connect and say nothing, or stop in the middle,
/// must not keep out those who have something to say.
///
/// Every step but `longest_waiting` takes constant time and allocates nothing. Part of the server;
/// lives on its executor.
class SessionList {
  public:
    /// What a session waits for.
    enum class Wait {
        nothing,   ///< it is being served
        client,    ///< nothing of a request is at stake yet
        transfer,  ///< a body or a reply under way; spared while it moves
    };
    struct Entry {
        Session* session = nullptr;
        bool is_spare = false;  ///< beyond the limit, for probes only
        Wait wait = Wait::nothing;
        async::TimePoint since{};
    };
    using Place = std::list<Entry>::iterator;

    [[nodiscard]] Place add(Session& session, bool is_spare);
    void remove(Place place);

    /// It waits from now on, or no longer.
    void wait(Place place, Wait what, async::TimePoint now);
    void go_on(Place place);

    /// The one to give way; null if none waits. A transfer counts once it stood still for a second.
    [[nodiscard]] Entry* longest_waiting(async::TimePoint now);

    [[nodiscard]] std::size_t count_spare() const noexcept { return spare_; }
    [[nodiscard]] std::size_t count_regular() const noexcept {
        return busy_.size() + waiting_.size() - spare_;
    }

    template <class Visit>
    void for_each(Visit visit) {
        for (std::list<Entry>* part : {&busy_, &waiting_}) {
            for (auto place = part->begin(); place != part->end();)
                visit(*(place++)->session);  // which may move it
        }
    }

  private:
    std::list<Entry> busy_;
    std::list<Entry> waiting_;  // in the order in which they began to
    std::size_t spare_ = 0;
};

}  // namespace evalfleet::http
