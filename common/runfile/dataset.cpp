#include "common/runfile/dataset.hpp"

#include "common/json/escape.hpp"
#include "common/runfile/duplicate_ids.hpp"
#include "common/runfile/image_files.hpp"
#include "common/runfile/line_scanner.hpp"
#include "common/runfile/run_file.hpp"
#include "common/runfile/settled_dataset.hpp"

#include <fmt/format.h>

#include <cstring>
#include <functional>
#include <optional>
#include <unordered_map>

namespace evalfleet::runfile {

namespace {

/// Beyond so many, ids that occur twice are not compared any more: there is enough to mend.
constexpr std::size_t kMaxSuspects = 10'000;

/// After so many lines the number of all of them is guessed, to reserve memory once.
constexpr std::size_t kGuessAfterLines = 1000;

std::string shown(std::string_view text) {
    constexpr std::size_t kMaxShown = 60;
    std::string out = "\"";
    json::append_escaped(out, text.substr(0, kMaxShown));
    return out + (text.size() > kMaxShown ? "...\"" : "\"");
}

/// Of a line without its end; who scans and who reads may leave different ends.
std::uint64_t fingerprint(std::string_view line) {
    while (line.ends_with('\r'))
        line.remove_suffix(1);
    return std::hash<std::string_view>{}(line);
}

bool mentions(std::string_view line, std::string_view name) {
    return ::memmem(line.data(), line.size(), name.data(), name.size()) != nullptr;
}

}  // namespace

/// Goes through the file once and fills in a Dataset.
class Dataset::Loader {
  public:
    enum class Depth { index, validate };

    Loader(const std::filesystem::path& path, Depth depth, ImageFiles images = ImageFiles::beside)
        : name_(path.string()), folder_(path.parent_path()), images_(images) {
        if (depth == Depth::validate) checker_.emplace(name_, kMaxLineBytes);
    }

    boost::system::result<Dataset, FaultList> blocking_load(const std::filesystem::path& path) {
        if (Status loaded = blocking_load_lines(path); !loaded) {
            add_file_fault(loaded.error().message);
        }
        if (checker_ && dataset_.offsets_.size() > 1) blocking_find_duplicates();
        if (!faults_.empty()) return faults_;
        if (checker_) dataset_.content_ = checker_->content();
        return std::move(dataset_);
    }

  private:
    void add_file_fault(std::string_view message) {
        if (message.starts_with(name_ + ": ")) message.remove_prefix(name_.size() + 2);
        faults_.add({name_, 0, 0, "", std::string(message)});
    }

    Status blocking_load_lines(const std::filesystem::path& path) {
        auto file = files::File::blocking_open(path, files::File::Mode::read);
        if (!file) return file.error();
        dataset_.file_ = std::move(*file);
        const auto size = dataset_.file_.blocking_size();
        if (!size) return size.error();
        LineScanner scanner(dataset_.file_, *size, kMaxLineBytes);
        for (;;) {
            const auto line = scanner.blocking_next();
            if (!line) return line.error();
            if (!*line) break;
            reserve(**line, *size);
            dataset_.offsets_.push_back((*line)->offset);
            dataset_.prints_.push_back(fingerprint((*line)->text));
            take(**line);
        }
        if (dataset_.offsets_.empty()) add_file_fault("is empty, allowed: at least one sample");
        dataset_.offsets_.push_back(*size);
        dataset_.sha256_ = scanner.sha256();
        return {};
    }

    void reserve(const LineScanner::Line& line, std::uint64_t size) {
        if (dataset_.offsets_.size() != kGuessAfterLines) return;
        const double share = static_cast<double>(size) / static_cast<double>(line.offset);
        const auto guess = static_cast<std::size_t>(share * 1.05 * kGuessAfterLines);
        dataset_.offsets_.reserve(guess);
        dataset_.prints_.reserve(guess);
        if (checker_) ids_.reserve(guess);
    }

    void take(const LineScanner::Line& line) {
        const std::size_t number = dataset_.offsets_.size();
        if (line.too_long) {
            faults_.add({name_, number, 0, "",
                         fmt::format("found a line of more than {} bytes, allowed: at most that",
                                     kMaxLineBytes)});
            if (checker_) ids_.add_none();
            return;
        }
        dataset_.mentions_images_ |= mentions(line.text, "\"image_url\"");
        dataset_.mentions_chats_ |= mentions(line.text, "\"messages\"");
        if (!checker_) return;
        auto sample = checker_->check(line.text, number);
        if (sample) {
            ids_.add(sample->id);
            if (job::has_image_files(*sample)) blocking_check_images(*sample, number);
        } else {
            ids_.add_none();
            faults_.add(sample.error());
        }
    }

    void blocking_check_images(job::Sample& sample, std::size_t line) {
        if (images_ == ImageFiles::nowhere) {
            faults_.add({name_, line, 0, "messages",
                         "found pictures named by a path, allowed: embedded ones "
                         "(data:image/png;base64,...); `evalfleet submit` embeds them"});
            return;
        }
        const Status embedded = blocking_embed_images(sample, folder_);
        const auto settled =
            embedded ? settled_line(sample) : Result<std::string>(embedded.error());
        if (settled) return;
        const std::string message = settled.error().message;
        const auto field = message.find(": ");
        faults_.add({name_, line, 0, message.substr(0, field), message.substr(field + 2)});
    }

    void blocking_find_duplicates() {
        std::unordered_map<std::string, std::size_t> first_lines;
        for (const std::size_t index : ids_.suspects(kMaxSuspects)) {
            const auto line = dataset_.blocking_read_line(index);
            if (!line) return add_file_fault(line.error().message);
            const auto sample = checker_->check(*line, index + 1);
            if (!sample) continue;
            const auto [first, is_new] = first_lines.emplace(sample->id, index + 1);
            if (is_new) continue;
            faults_.add({name_, index + 1, 0, "id",
                         fmt::format("found {}, which line {} has already, allowed: an id of its "
                                     "own",
                                     shown(sample->id), first->second)});
        }
    }

    std::string name_;
    std::filesystem::path folder_;
    ImageFiles images_;
    std::optional<SampleChecker> checker_;
    DuplicateIds ids_;
    FaultList faults_;
    Dataset dataset_;
};

boost::system::result<Dataset, FaultList> Dataset::blocking_validate(
    const std::filesystem::path& path, ImageFiles images) {
    return Loader(path, Loader::Depth::validate, images).blocking_load(path);
}

Result<Dataset> Dataset::blocking_open(const std::filesystem::path& path) {
    auto loaded = Loader(path, Loader::Depth::index).blocking_load(path);
    if (!loaded) return loaded.error().status().error();
    return std::move(*loaded);
}

Result<std::string> Dataset::blocking_read_line(std::size_t sample_index) const {
    if (sample_index >= size()) {
        return Error{ErrorKind::not_found,
                     fmt::format("{}: has no line {}", path().string(), sample_index + 1)};
    }
    const std::uint64_t begin = offsets_[sample_index];
    std::string line(offsets_[sample_index + 1] - begin, '\0');
    if (Status read = file_.blocking_read_at(begin, line); !read) return read.error();
    if (line.ends_with('\n')) line.pop_back();
    if (line.ends_with('\r')) line.pop_back();
    if (fingerprint(line) != prints_[sample_index]) {
        return Error{ErrorKind::invalid, fmt::format("{}: line {} was changed after it was checked",
                                                     path().string(), sample_index + 1)};
    }
    return line;
}

}  // namespace evalfleet::runfile
