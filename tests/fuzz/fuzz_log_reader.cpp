#include "coordinator/store/log_content.hpp"
#include "tests/fuzz/check.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

namespace {

using namespace evalfleet;
using fuzz::check;

struct Seen {
    store::LogContent content;
    std::map<std::uint64_t, std::string> frames;  // what was found, by offset
    std::uint64_t bytes = 0;                      // of all of them
};

Seen read(std::string_view log) {
    Seen seen;
    const auto read_at = [log](std::uint64_t offset, std::span<char> buffer) -> Status {
        check(offset + buffer.size() <= log.size(), "nothing behind the end is read");
        std::copy_n(log.begin() + static_cast<std::ptrdiff_t>(offset), buffer.size(),
                    buffer.begin());
        return {};
    };
    const auto content = store::blocking_read_log(
        read_at, 0, log.size(), [&seen](const store::Entry& entry, std::uint64_t offset) {
            std::string frame;
            store::append_frame(frame, entry);
            seen.bytes += frame.size();
            seen.frames[offset] = std::move(frame);
        });
    check(content.has_value(), "damage is no error");
    seen.content = *content;
    return seen;
}

void check_account(std::string_view log, const Seen& seen) {
    check(seen.frames.size() == seen.content.entries, "every frame has its own place");
    std::uint64_t bytes = seen.bytes + seen.content.torn_bytes;
    for (const auto& [offset, frame] : seen.frames)
        check(log.substr(offset, frame.size()) == frame, "what is found stands there");
    std::uint64_t last = 0;
    for (const store::LogDamage& place : seen.content.damage) {
        check(place.bytes > 0 && place.offset >= last, "damage is told in order");
        last = place.offset + place.bytes;
        bytes += place.bytes;
    }
    check(bytes == log.size(), "every byte is of a frame, damaged or torn");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view log(reinterpret_cast<const char*>(data), size);
    const Seen seen = read(log);
    check_account(log, seen);

    // Whatever the input is: what is appended is found, and nothing that was found is lost by it,
    // unless a frame that was torn is complete now.
    std::string longer(log);
    store::append_frame(longer, {store::EntryKind::record, 77, R"({"appended":true})"});
    const Seen more = read(longer);
    check_account(longer, more);
    check(more.frames.contains(log.size()), "what is appended behind damage is found");
    for (const auto& [offset, frame] : seen.frames) {
        const auto again = more.frames.find(offset);
        check(again != more.frames.end() && again->second == frame,
              "what was found is found again");
    }
    return 0;
}
