#include "coordinator/records/trial_table_file.hpp"

#include "common/files/atomic_file.hpp"
#include "common/files/file.hpp"
#include "common/json/document.hpp"
#include "common/json/writer.hpp"
#include "coordinator/records/stored_vocabulary.hpp"
#include "coordinator/store/crc32c.hpp"

#include <sys/stat.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

namespace evalfleet::records {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMagic = "EFTRIAL1";  // see stored_vocabulary.hpp
constexpr std::size_t kHeadBytes = 44;
constexpr std::size_t kTrialBytes = 64;
constexpr std::uint64_t kMaxSlicesBytes = std::uint64_t{64} * 1024 * 1024;

static_assert(std::endian::native == std::endian::little);

// Goes through bytes that are known to be enough.
class Bytes {
  public:
    explicit Bytes(char* at) : at_(at) {}

    template <class T>
    void put(T number) {
        std::memcpy(at_, &number, sizeof(T));
        at_ += sizeof(T);
    }
    template <class T>
    void get(T& number) {
        std::memcpy(&number, at_, sizeof(T));
        at_ += sizeof(T);
    }

  private:
    char* at_;
};

enum Flag : std::uint8_t {
    kPassed = 1,
    kSpecPassed = 2,
    kJudgeRetried = 4,
    kAnswered = 8,
    kTimedOut = 16,
    kLost = 32
};

std::uint8_t flags_of(const TrialEntry& trial) {
    const auto flag = [](bool is_set, Flag which) { return is_set ? unsigned{which} : 0U; };
    return static_cast<std::uint8_t>(
        flag(trial.passed, kPassed) | flag(trial.spec_passed, kSpecPassed) |
        flag(trial.judge_retried, kJudgeRetried) | flag(trial.is_answered, kAnswered) |
        flag(trial.timed_out, kTimedOut) | flag(trial.is_lost, kLost));
}

void put(char* at, const TrialEntry& trial) {
    Bytes bytes(at);
    bytes.put(trial.offset);
    bytes.put(trial.finished_ms);
    bytes.put(trial.bytes);
    bytes.put(trial.sample_index);
    bytes.put(trial.repeat);
    bytes.put(trial.slice_set);
    bytes.put(trial.latency_ms);
    bytes.put(trial.cost_usd);
    bytes.put(trial.score);
    bytes.put(trial.total_tokens);
    bytes.put(trial.label);
    bytes.put(trial.error_kind);
    bytes.put(trial.accuracy);
    bytes.put(trial.faithfulness);
    bytes.put(flags_of(trial));
}

TrialEntry get(char* at) {
    Bytes bytes(at);
    TrialEntry trial;
    bytes.get(trial.offset);
    bytes.get(trial.finished_ms);
    bytes.get(trial.bytes);
    bytes.get(trial.sample_index);
    bytes.get(trial.repeat);
    bytes.get(trial.slice_set);
    bytes.get(trial.latency_ms);
    bytes.get(trial.cost_usd);
    bytes.get(trial.score);
    bytes.get(trial.total_tokens);
    bytes.get(trial.label);
    bytes.get(trial.error_kind);
    bytes.get(trial.accuracy);
    bytes.get(trial.faithfulness);
    std::uint8_t flags = 0;
    bytes.get(flags);
    trial.passed = (flags & kPassed) != 0;
    trial.spec_passed = (flags & kSpecPassed) != 0;
    trial.judge_retried = (flags & kJudgeRetried) != 0;
    trial.is_answered = (flags & kAnswered) != 0;
    trial.timed_out = (flags & kTimedOut) != 0;
    trial.is_lost = (flags & kLost) != 0;
    return trial;
}

template <class Enum>
bool is_known(std::uint8_t value) {
    return value == TrialEntry::kNone || value < job::Names<Enum>::values.size();
}

// Whatever the file says: nothing is looked up outside of what there is.
bool is_sound(const TrialEntry& trial, std::size_t sets, std::uint64_t record_bytes) {
    return trial.slice_set < sets && trial.offset <= record_bytes &&
           trial.bytes <= record_bytes - trial.offset && is_known<job::FailureLabel>(trial.label) &&
           is_known<job::CallError>(trial.error_kind);
}

std::string slices_json(const TrialTable& table) {
    std::string text;
    json::Writer writer(text);
    writer.begin_array();
    for (const auto& set : table.slices()) {
        writer.begin_array().value(set.task_type);
        for (const auto& [key, value] : set.tags)
            writer.value(key).value(value);
        writer.end_array();
    }
    writer.end_array();
    return text;
}

Status read_slices(std::string_view text, reduce::SliceDictionary& slices) {
    const auto document = json::Document::parse(text);
    if (!document) return document.error();
    const auto sets = document->root().as_array();
    if (!sets) return sets.error();
    for (const json::Value set : *sets) {
        const auto texts = set.as_array();
        if (!texts) return texts.error();
        std::vector<std::string_view> words;
        for (const json::Value word : *texts) {
            const auto one = word.as_string();
            if (!one) return one.error();
            words.push_back(*one);
        }
        if (words.size() % 2 == 0) return Error{ErrorKind::invalid, "broken slices"};
        std::vector<reduce::SliceDictionary::Tag> tags;
        for (std::size_t i = 1; i < words.size(); i += 2)
            tags.push_back({words[i], words[i + 1]});
        const auto number = slices.intern(words.front(), tags);
        if (!number) return number.error();
    }
    return {};
}

Error broken(const fs::path& file) {
    return {ErrorKind::invalid, file.string() + ": not a table of these records"};
}

}  // namespace

Result<TrialTableFile::Source> TrialTableFile::blocking_source(const fs::path& records) {
    struct stat status {};
    if (::stat(records.c_str(), &status) != 0) {
        const std::error_code code(errno, std::generic_category());
        const bool is_missing = code == std::errc::no_such_file_or_directory;
        return Error{is_missing ? ErrorKind::not_found : ErrorKind::internal,
                     records.string() + ": " + code.message()};
    }
    return Source{static_cast<std::uint64_t>(status.st_size),
                  std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

Result<TrialTable> TrialTableFile::blocking_read(const fs::path& file, const fs::path& records,
                                                 const Source& source) {
    const auto opened = files::File::blocking_open(file, files::File::Mode::read);
    if (!opened) return opened.error();
    const auto size = opened->blocking_size();
    if (!size) return size.error();
    std::array<char, kHeadBytes> head;
    if (*size < head.size()) return broken(file);
    if (!opened->blocking_read_at(0, head)) return broken(file);
    Bytes bytes(head.data() + kMagic.size());
    Source of;
    std::uint64_t count = 0;
    std::uint64_t slices_bytes = 0;
    std::uint32_t sum = 0;
    bytes.get(of.bytes);
    bytes.get(of.changed_ns);
    bytes.get(count);
    bytes.get(slices_bytes);
    bytes.get(sum);
    const bool fits = std::string_view(head.data(), kMagic.size()) == kMagic && of == source &&
                      count <= TrialTable::kMostTrials && slices_bytes <= kMaxSlicesBytes &&
                      *size == kHeadBytes + count * kTrialBytes + slices_bytes;
    if (!fits) return broken(file);
    std::string body(static_cast<std::size_t>(*size - kHeadBytes), '\0');
    if (!opened->blocking_read_at(kHeadBytes, body) || store::crc32c(body) != sum)
        return broken(file);
    TrialTable table;
    table.file_ = records;
    const auto slices = std::string_view(body).substr(body.size() - slices_bytes);
    if (!read_slices(slices, table.slices_)) return broken(file);
    table.trials_.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count; ++i) {
        const TrialEntry trial = get(body.data() + i * kTrialBytes);
        if (!is_sound(trial, table.slices().size(), source.bytes)) return broken(file);
        table.trials_.push_back(trial);
    }
    table.arrange();
    return table;
}

Status TrialTableFile::blocking_write(const fs::path& file, const TrialTable& table,
                                      const Source& source) {
    const std::string slices = slices_json(table);
    std::string body(table.trials().size() * kTrialBytes, '\0');
    for (std::size_t i = 0; i < table.trials().size(); ++i)
        put(body.data() + i * kTrialBytes, table.trials()[i]);
    body += slices;
    std::string head(kMagic);
    head.resize(kHeadBytes);
    Bytes bytes(head.data() + kMagic.size());
    bytes.put(source.bytes);
    bytes.put(source.changed_ns);
    bytes.put(std::uint64_t{table.trials().size()});
    bytes.put(std::uint64_t{slices.size()});
    bytes.put(store::crc32c(body));
    auto out = files::AtomicFile::blocking_create(file);
    if (!out) return out.error();
    if (const Status written = out->blocking_append(head); !written) return written;
    if (const Status written = out->blocking_append(body); !written) return written;
    return out->blocking_commit();
}

}  // namespace evalfleet::records
