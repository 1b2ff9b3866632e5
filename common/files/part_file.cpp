#include "common/files/part_file.hpp"

#include "common/files/atomic_file.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <system_error>
#include <vector>

namespace evalfleet::files {

namespace fs = std::filesystem;

namespace {

using namespace std::string_view_literals;

constexpr std::size_t kRandomLetters = 6;

// What earlier versions wrote without a suffix.
constexpr std::array kOldTargets{
    "baselines.json"sv, "group.json"sv,      "junit.xml"sv,   "manifest.json"sv, "phase"sv,
    "records.jsonl"sv,  "regression.json"sv, "report.html"sv, "report.md"sv,     "run.json"sv,
    "session.json"sv,   "spec.json"sv,       "summary.json"sv};

bool is_random(std::string_view text) {
    return text.size() == kRandomLetters && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
           });
}

// Without a suffix a name may be a user's, such as `.records.jsonl.backup`: only what nobody types
// is taken for ours.
bool is_surely_random(std::string_view text) {
    const auto has = [text](char first, char last) {
        return std::any_of(text.begin(), text.end(),
                           [=](char c) { return c >= first && c <= last; });
    };
    return has('0', '9') && has('A', 'Z') && has('a', 'z');
}

std::string random_letters() {
    constexpr std::string_view kAlphabet =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    thread_local std::minstd_rand random(std::random_device{}());
    std::uniform_int_distribution<std::size_t> pick(0, kAlphabet.size() - 1);
    std::string letters(kRandomLetters, ' ');
    for (char& c : letters)
        c = kAlphabet[pick(random)];
    return letters;
}

}  // namespace

std::string part_name(std::string_view target) {
    std::string name = ".";
    name.append(target).append(".").append(random_letters()).append(kPartSuffix);
    return name;
}

bool is_part_name(std::string_view name) {
    const bool has_suffix = name.ends_with(kPartSuffix);
    if (has_suffix) name.remove_suffix(kPartSuffix.size());
    // . target . six letters
    if (!name.starts_with('.') || name.size() < kRandomLetters + 3) return false;
    const std::size_t dot = name.size() - kRandomLetters - 1;
    if (name[dot] != '.' || !is_random(name.substr(dot + 1))) return false;
    const std::string_view target = name.substr(1, dot - 1);
    if (has_suffix) return true;
    return is_surely_random(name.substr(dot + 1)) &&
           std::find(kOldTargets.begin(), kOldTargets.end(), target) != kOldTargets.end();
}

Result<std::uint64_t> blocking_remove_parts(const fs::path& folder) {
    std::error_code code;
    std::vector<fs::path> parts;
    fs::directory_iterator entry(folder, code);
    for (; !code && entry != end(entry); entry.increment(code)) {
        std::error_code ignored;
        const bool is_plain = fs::is_regular_file(entry->symlink_status(ignored));
        if (is_plain && is_part_name(entry->path().filename().string()))
            parts.push_back(entry->path());
    }
    if (code == std::errc::no_such_file_or_directory) return 0;
    for (const fs::path& part : parts) {
        if (code) break;
        fs::remove(part, code);
    }
    if (code) {
        return Error{ErrorKind::internal,
                     folder.string() + ": cannot be tidied up: " + code.message()};
    }
    if (parts.empty()) return 0;
    if (auto synced = blocking_sync_folder(folder); !synced) return synced.error();
    return parts.size();
}

}  // namespace evalfleet::files
