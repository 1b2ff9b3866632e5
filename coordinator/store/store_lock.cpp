#include "coordinator/store/store_lock.hpp"

#include "common/files/atomic_file.hpp"
#include "common/files/folder.hpp"
#include "common/json/document.hpp"
#include "common/json/writer.hpp"
#include "coordinator/store/volume.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace evalfleet::store {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMaxCardBytes = 4096;

// A leader gives a sign of life every second.
constexpr std::chrono::milliseconds kSharedWatch{5'000};
constexpr std::chrono::milliseconds kNoWatch{0};
constexpr std::chrono::milliseconds kLookPause{250};

fs::path path_of(const fs::path& store) {
    return store / "lock";
}

std::string text_of(json::Value object, std::string_view name) {
    const auto value = object.find(name);
    const auto text = value ? value->as_string() : Result<std::string_view>(Error{});
    return text ? std::string(*text) : std::string();
}

std::optional<LeaderCard> blocking_read_card(const files::File& file) {
    const auto size = file.blocking_size();
    if (!size || *size == 0 || *size > kMaxCardBytes) return std::nullopt;
    std::string text(*size, '\0');
    if (!file.blocking_read_at(0, text)) return std::nullopt;
    auto card = parse_leader_card(text);
    if (!card) return std::nullopt;
    return std::move(*card);
}

}  // namespace

std::string to_json(const LeaderCard& card) {
    std::string text;
    json::Writer writer(text);
    writer.begin_object()
        .member("epoch", card.epoch)
        .member("address", card.address)
        .member("pid", card.process.pid)
        .member("host", card.process.host)
        .member("world", card.process.world)
        .member("start_time", card.process.start_time)
        .end_object();
    return text + "\n";
}

Result<LeaderCard> parse_leader_card(std::string_view json) {
    const auto document = json::Document::parse(json);
    if (!document) return document.error();
    const json::Value root = document->root();
    const auto epoch = root.get<std::int64_t>("epoch");
    if (!epoch) return epoch.error();
    const auto pid = root.get<std::int64_t>("pid");
    if (!pid) return pid.error();
    LeaderCard card;
    card.epoch = static_cast<std::uint64_t>(*epoch);
    card.address = text_of(root, "address");
    card.process = {*pid, text_of(root, "host"), text_of(root, "world"),
                    text_of(root, "start_time")};
    return card;
}

Result<std::optional<StoreLock>> StoreLock::blocking_try_take(const fs::path& store,
                                                              std::string address) {
    if (auto made = files::blocking_make_folders(store); !made) return made.error();
    const bool is_shared = blocking_may_be_shared(store);
    return blocking_try_take(store, std::move(address), is_shared ? kSharedWatch : kNoWatch);
}

// Since the file is opened for every look, a network file system asks its server.
Status StoreLock::blocking_require_silence(const fs::path& store,
                                           std::chrono::milliseconds watch) const {
    const auto first = blocking_look(store);
    if (!first) return first.error();
    for (std::chrono::milliseconds waited{0}; waited < watch; waited += kLookPause) {
        std::this_thread::sleep_for(std::min(kLookPause, watch));
        const auto now = blocking_look(store);
        if (!now) return now.error();
        if (now->beat == first->beat && now->card == first->card) continue;
        const std::string who = now->card ? now->card->process.host : "another machine";
        return Error{ErrorKind::denied,
                     file_.path().string() + ": could be locked, but the coordinator on " + who +
                         " writes it all the same: this volume does not share locks between "
                         "machines. Mount it so that flock does (NFS: without nolock and "
                         "local_lock), or run one coordinator"};
    }
    return {};
}

Result<std::optional<StoreLock>> StoreLock::blocking_try_take(const fs::path& store,
                                                              std::string address,
                                                              std::chrono::milliseconds watch) {
    if (auto made = files::blocking_make_folders(store); !made) return made.error();
    auto file = files::File::blocking_open(path_of(store), files::File::Mode::read_write);
    if (!file) return file.error();
    const auto locked = file->blocking_try_lock();
    if (!locked) return locked.error();
    if (!*locked) return std::optional<StoreLock>();
    StoreLock lock;
    lock.file_ = std::move(*file);
    // Between opening and locking it may have been removed: then it is a lock on nothing.
    if (!lock.blocking_is_in_place()) return std::optional<StoreLock>();
    const auto last = blocking_read_card(lock.file_);
    lock.card_ = {last ? last->epoch + 1 : 1, std::move(address), ProcessIdentity::blocking_own()};
    const bool is_foreign = last && last->process.world != lock.card_.process.world;
    if (!is_foreign) watch = kNoWatch;
    if (auto silent = lock.blocking_require_silence(store, watch); !silent) return silent.error();
    if (const Status written = lock.blocking_write_card(); !written) return written.error();
    // Another machine may have waited with us, and done the same.
    if (auto alone = lock.blocking_require_silence(store, watch); !alone) return alone.error();
    if (auto ours = lock.blocking_beat(); !ours) return ours.error();
    if (const Status synced = files::blocking_sync_folder(store); !synced) return synced.error();
    return std::optional<StoreLock>(std::move(lock));
}

Status StoreLock::blocking_write_card() {
    const std::string text = to_json(card_);
    if (const Status written = file_.blocking_write_at(0, text); !written) return written;
    if (const Status cut = file_.blocking_truncate(text.size()); !cut) return cut;
    return file_.blocking_sync();
}

bool StoreLock::blocking_is_in_place() const {
    struct stat ours {};
    struct stat there {};
    return ::fstat(file_.descriptor(), &ours) == 0 && ::stat(file_.path().c_str(), &there) == 0 &&
           ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
}

Status StoreLock::blocking_beat() {
    const auto card = blocking_read_card(file_);
    if (!blocking_is_in_place() || !card || *card != card_) {
        return Error{ErrorKind::lease_lost,
                     file_.path().string() + ": another coordinator has taken the store over"};
    }
    if (::futimens(file_.descriptor(), nullptr) != 0)
        return files::last_system_error("cannot be touched", file_.path());
    return {};
}

Result<StoreLock::Sighting> StoreLock::blocking_look(const fs::path& store) {
    const auto file = files::File::blocking_open(path_of(store), files::File::Mode::read);
    if (!file) return file.error();
    struct stat status {};
    if (::fstat(file->descriptor(), &status) != 0)
        return files::last_system_error("cannot be read", file->path());
    const std::int64_t beat =
        std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
    return Sighting{blocking_read_card(*file), beat};
}

}  // namespace evalfleet::store
