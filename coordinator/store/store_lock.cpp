#include "coordinator/store/store_lock.hpp"

#include "common/files/atomic_file.hpp"
#include "common/json/document.hpp"
#include "common/json/writer.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <utility>

namespace evalfleet::store {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMaxCardBytes = 4096;

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
    std::error_code code;
    fs::create_directories(store, code);
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
    if (const Status written = lock.blocking_write_card(); !written) return written.error();
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
