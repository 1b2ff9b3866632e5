#include "coordinator/store/log_content.hpp"

#include <algorithm>

namespace evalfleet::store {

namespace {

constexpr std::size_t kReadBytes = std::size_t{4} * 1024 * 1024;

// What is not sound from here on; false: it reaches to the end.
Result<bool> blocking_pass_damage(FrameWalker& walker, std::uint64_t size, LogContent& content) {
    const std::uint64_t begin = walker.offset();
    const auto found = walker.blocking_find_next();
    if (!found) return found.error();
    const auto torn = *found ? Result<bool>(false) : walker.blocking_is_torn();
    if (!torn) return torn.error();
    if (*torn)
        content.torn_bytes = size - begin;
    else
        content.damage.push_back({begin, (*found ? walker.offset() : size) - begin});
    return found;
}

}  // namespace

Result<LogContent> blocking_read_log(const ReadAt& read, std::uint64_t begin, std::uint64_t size,
                                     const OnFrame& on_frame) {
    LogContent content;
    FrameWalker walker(read, begin, size, kReadBytes);
    for (;;) {
        const auto frame = walker.blocking_next();
        if (!frame) return frame.error();
        if (!*frame) {
            if (walker.is_at_end()) return content;
            const auto goes_on = blocking_pass_damage(walker, size, content);
            if (!goes_on) return goes_on.error();
            if (!*goes_on) return content;
            continue;
        }
        const Entry& entry = (*frame)->entry;
        ++content.entries;
        if (entry.kind == EntryKind::epoch) content.epoch = std::max(content.epoch, entry.number);
        on_frame(entry, walker.offset());
    }
}

}  // namespace evalfleet::store
