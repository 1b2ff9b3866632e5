#include "coordinator/webhooks/outbox.hpp"

#include "common/files/atomic_file.hpp"
#include "common/files/file.hpp"
#include "common/files/folder.hpp"
#include "common/files/part_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

namespace evalfleet::webhooks {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::system_clock;

namespace {

constexpr std::uint64_t kMaxBodyBytes = 256 * 1024;
constexpr const char* kBeginFile = "begun_at_ms";
constexpr std::size_t kMomentDigits = 13;

std::int64_t milliseconds_of(system_clock::time_point at) {
    return std::chrono::duration_cast<milliseconds>(at.time_since_epoch()).count();
}

std::optional<system_clock::time_point> moment_of(std::string_view digits) {
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    if (error != std::errc() || end != digits.data() + digits.size() || count < 0)
        return std::nullopt;
    return system_clock::time_point(milliseconds(count));
}

/// `1731722400000-run.ended-0123abcd`
std::optional<Outbox::Letter> parse_name(const std::string& name) {
    const auto first = name.find('-');
    const auto last = name.rfind('-');
    if (first == std::string::npos || last == first) return std::nullopt;
    const auto at = moment_of(std::string_view(name).substr(0, first));
    if (!at) return std::nullopt;
    return Outbox::Letter{name, name.substr(first + 1, last - first - 1), name.substr(last + 1),
                          *at};
}

}  // namespace

Result<std::size_t> Outbox::blocking_put(const Webhook& webhook, const Event& event,
                                         std::string_view link) const {
    const fs::path folder = folder_ / webhook.name;
    if (const Status made = files::blocking_make_folders(folder); !made) return made.error();
    auto waiting = blocking_list(webhook.name);
    if (!waiting) return waiting.error();
    std::size_t dropped = 0;
    while (waiting->size() - dropped >= kMaxLetters)
        blocking_remove(webhook.name, (*waiting)[dropped++]);
    const std::string body =
        webhook.format == BodyFormat::slack ? slack_body(event, link) : json_body(event, link);
    // With as many digits each, names are in the order of time.
    const std::string name = fmt::format("{:0{}}-{}-{}", milliseconds_of(event.at), kMomentDigits,
                                         job::to_string(event.kind), event.id);
    if (const Status put = files::blocking_write_atomically(folder / name, body); !put)
        return put.error();
    return dropped;
}

Result<std::vector<Outbox::Letter>> Outbox::blocking_list(const std::string& webhook) const {
    std::vector<Letter> letters;
    std::error_code code;
    if (!fs::exists(folder_ / webhook, code)) return letters;
    for (const auto& entry : fs::directory_iterator(folder_ / webhook, code)) {
        const std::string name = entry.path().filename().string();
        if (files::is_part_name(name)) continue;
        if (auto letter = parse_name(name)) letters.push_back(std::move(*letter));
    }
    if (code)
        return Error{ErrorKind::internal,
                     (folder_ / webhook).string() + ": cannot be read: " + code.message()};
    std::ranges::sort(letters, {}, &Letter::file);
    return letters;
}

Result<std::string> Outbox::blocking_read(const std::string& webhook, const Letter& letter) const {
    return files::blocking_read_file(folder_ / webhook / letter.file, kMaxBodyBytes);
}

void Outbox::blocking_remove(const std::string& webhook, const Letter& letter) const {
    std::error_code ignored;
    fs::remove(folder_ / webhook / letter.file, ignored);
}

void Outbox::blocking_forget_others(const std::vector<Webhook>& known) const {
    std::error_code code;
    std::vector<fs::path> doomed;
    for (const auto& entry : fs::directory_iterator(folder_, code)) {
        const std::string name = entry.path().filename().string();
        if (entry.is_directory(code) &&
            std::ranges::find(known, name, &Webhook::name) == known.end())
            doomed.push_back(entry.path());
    }
    for (const fs::path& folder : doomed)
        fs::remove_all(folder, code);
}

Result<system_clock::time_point> Outbox::blocking_begin(system_clock::time_point now) const {
    if (const Status made = files::blocking_make_folders(folder_); !made) return made.error();
    const fs::path file = folder_ / kBeginFile;
    if (const auto text = files::blocking_read_file(file, 64)) {
        if (const auto begun = moment_of(std::string_view(*text).substr(0, text->find('\n'))))
            return *begun;
    }
    const Status written =
        files::blocking_write_atomically(file, std::to_string(milliseconds_of(now)) + "\n");
    if (!written) return written.error();
    return now;
}

}  // namespace evalfleet::webhooks
