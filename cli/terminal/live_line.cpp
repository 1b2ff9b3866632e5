#include "cli/terminal/live_line.hpp"

#include "cli/terminal/text.hpp"

#include <unistd.h>

namespace evalfleet::terminal {

namespace {

constexpr std::chrono::seconds kPlainInterval{10};

}  // namespace

LiveLine::LiveLine(std::FILE* stream, async::Clock& clock)
    : stream_(stream), clock_(clock), is_terminal_(::isatty(::fileno(stream)) == 1) {}

void LiveLine::show(const View& view) {
    const std::string line = printable(view.line);
    if (is_terminal_) {
        // A line that wraps cannot be written over.
        const auto width = width_of(::fileno(stream_));
        const std::string shown = width ? shorten(line, *width - 1) : line;
        std::fprintf(stream_, "\r\033[K%s", shown.c_str());
        std::fflush(stream_);
        is_open_ = true;
        return;
    }
    const bool has_news = view.note != last_note_ || view.is_last;
    if (clock_.now() < next_plain_line_ && !has_news) return;
    last_note_ = view.note;
    next_plain_line_ = clock_.now() + kPlainInterval;
    std::fprintf(stream_, "%s\n", line.c_str());
    std::fflush(stream_);
}

void LiveLine::say(const std::string& line) {
    end();
    std::fprintf(stream_, "%s\n", line.c_str());
}

void LiveLine::end() {
    if (is_open_) std::fprintf(stream_, "\n");
    is_open_ = false;
}

}  // namespace evalfleet::terminal
