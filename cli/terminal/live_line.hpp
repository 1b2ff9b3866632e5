#pragma once

#include "common/async/clock.hpp"

#include <cstdio>
#include <string>

namespace evalfleet::terminal {

/// How far something is, while it goes on: one line that is written over and over on a terminal; a
/// plain line every ten seconds, or when there is news, where there is none.
class LiveLine {
  public:
    /// `stream` and `clock` must outlive it.
    LiveLine(std::FILE* stream, async::Clock& clock);

    struct View {
        std::string line{};
        std::string note{};    ///< a new one is told at once
        bool is_last = false;  ///< told at once, too
    };
    void show(const View& view);

    /// A line that stays.
    void say(const std::string& line);

    /// Leaves what is shown where it is, and goes on below.
    void end();

  private:
    std::FILE* stream_;
    async::Clock& clock_;
    bool is_terminal_;
    bool is_open_ = false;  ///< a live line stands there
    std::string last_note_;
    async::TimePoint next_plain_line_{};
};

}  // namespace evalfleet::terminal
