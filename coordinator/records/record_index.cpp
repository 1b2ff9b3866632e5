#include "coordinator/records/record_index.hpp"

#include "common/files/atomic_file.hpp"
#include "coordinator/records/stored_vocabulary.hpp"
#include "coordinator/reduce/record_file.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>

namespace evalfleet::records {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMagic = "EFINDEX1";  // see stored_vocabulary.hpp
constexpr std::size_t kHeadBytes = 24;
constexpr std::size_t kKeyBytes = 18;
constexpr std::size_t kBlockBytes = 1024 * 1024;
constexpr std::size_t kMaxLineBytes = 64 * 1024 * 1024;

static_assert(std::endian::native == std::endian::little);

template <class T>
void put(std::string& out, T number) {
    std::array<char, sizeof(T)> bytes;
    std::memcpy(bytes.data(), &number, sizeof(T));
    out.append(bytes.data(), bytes.size());
}

template <class T>
T get(const char* bytes) {
    T number;
    std::memcpy(&number, bytes, sizeof(T));
    return number;
}

void put(std::string& out, const RecordKey& key) {
    put(out, key.offset);
    put(out, key.task_type_hash);
    put(out, key.label);
    put(out, static_cast<std::uint8_t>(key.passed));
}

RecordKey get_key(const char* bytes) {
    return {get<std::uint64_t>(bytes), get<std::uint64_t>(bytes + 8), get<std::uint8_t>(bytes + 16),
            get<std::uint8_t>(bytes + 17) != 0};
}

Status blocking_for_each_key(const fs::path& records, auto take) {
    const auto file = reduce::RecordFile::open(records);
    if (!file) return file.error();
    reduce::LineBuffer lines;
    RecordKeyReader reader;
    for (std::uint64_t at = 0; at < file->size(); at += kBlockBytes) {
        const Status filled = lines.fill(*file, at, kBlockBytes, kMaxLineBytes);
        if (!filled) return filled;
        while (const auto line = lines.next_line()) {
            const auto key = reader.read(line->text, line->offset);
            if (!key) return key.error().within(records.string());
            if (const Status taken = take(*key); !taken) return taken;
        }
    }
    return {};
}

}  // namespace

Result<RecordIndex::Source> RecordIndex::blocking_source(const fs::path& records) {
    struct stat facts {};
    if (::stat(records.c_str(), &facts) != 0)
        return files::last_system_error("cannot be read", records);
    return Source{static_cast<std::uint64_t>(facts.st_size),
                  std::int64_t{facts.st_mtim.tv_sec} * 1'000'000'000 + facts.st_mtim.tv_nsec};
}

Result<RecordIndex> RecordIndex::blocking_open(const fs::path& records, const fs::path& index) {
    const auto source = blocking_source(records);
    if (!source) return source.error();
    RecordIndex opened;
    if (opened.blocking_load(index, *source)) return opened;
    if (const Status made = blocking_make(records, index, *source); !made) return made.error();
    if (const Status loaded = opened.blocking_load(index, *source); !loaded) return loaded.error();
    return opened;
}

Status RecordIndex::blocking_make(const fs::path& records, const fs::path& index,
                                  const Source& source) {
    auto out = files::AtomicFile::blocking_create(index);
    if (!out) return out.error();
    std::string head(kMagic);
    put(head, source.bytes);
    put(head, source.changed_ns);
    if (const Status written = out->blocking_append(head); !written) return written;
    std::string bytes;
    const auto append = [&](const RecordKey& key) {
        bytes.clear();
        put(bytes, key);
        return out->blocking_append(bytes);
    };
    if (const Status written = blocking_for_each_key(records, append); !written) return written;
    return out->blocking_commit();
}

Status RecordIndex::blocking_load(const fs::path& index, const Source& source) {
    auto file = files::File::blocking_open(index, files::File::Mode::read);
    if (!file) return file.error();
    std::array<char, kHeadBytes> head{};
    if (const Status read = file->blocking_read_at(0, head); !read) return read;
    const Source made_from{get<std::uint64_t>(head.data() + 8),
                           get<std::int64_t>(head.data() + 16)};
    const auto size = file->blocking_size();
    if (!size) return size.error();
    const bool is_sound = std::string_view(head.data(), 8) == kMagic && made_from == source &&
                          (*size - kHeadBytes) % kKeyBytes == 0;
    if (!is_sound)
        return Error{ErrorKind::invalid, index.string() + ": not the index of these records"};
    file_ = std::move(*file);
    count_ = (*size - kHeadBytes) / kKeyBytes;
    records_bytes_ = source.bytes;
    return {};
}

Result<std::size_t> RecordIndex::blocking_read(std::uint64_t first,
                                               std::span<RecordKey> keys) const {
    if (first >= count_) return std::size_t{0};
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(keys.size(), count_ - first));
    std::vector<char> bytes(wanted * kKeyBytes);
    const Status read = file_.blocking_read_at(kHeadBytes + first * kKeyBytes, bytes);
    if (!read) return read.error();
    for (std::size_t i = 0; i < wanted; ++i)
        keys[i] = get_key(bytes.data() + i * kKeyBytes);
    return wanted;
}

}  // namespace evalfleet::records
