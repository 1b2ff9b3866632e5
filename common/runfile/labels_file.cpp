#include "common/runfile/labels_file.hpp"

#include "common/files/atomic_file.hpp"
#include "common/json/document.hpp"
#include "common/redaction/redactor.hpp"
#include "common/runfile/line_scanner.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace evalfleet::runfile {

namespace {

bool is_blank(std::string_view line) {
    return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

Result<job::Sample> blocking_read_sample(const Dataset& dataset, std::size_t index,
                                         json::Parser& parser) {
    const auto line = dataset.blocking_read_line(index);
    if (!line) return line.error();
    const auto value = parser.parse(*line);
    if (!value) return value.error().within(dataset.path().string());
    auto sample = job::read_sample(*value, index + 1);
    if (!sample) return sample.error().within(dataset.path().string());
    return sample;
}

std::string write_joined(const job::Sample& sample, std::span<const scoring::ManualLabel> labels) {
    std::string line;
    json::Writer sample_writer(line);
    job::write(sample_writer, sample);
    line.pop_back();
    line += fmt::format(",\"{}\":", scoring::kLabelsMember);
    json::Writer writer(line);
    writer.begin_array();
    for (const scoring::ManualLabel& label : labels)
        scoring::write(writer, label);
    writer.end_array();
    return line + "}\n";
}

}  // namespace

/// Goes through the file once and fills in a LabelsFile.
class LabelsLoader {
  public:
    explicit LabelsLoader(std::string name)
        : name_(std::move(name)), parser_(json::Limits{.max_bytes = LabelsFile::kMaxLineBytes}) {}

    boost::system::result<LabelsFile, FaultList> blocking_load(const std::filesystem::path& path) {
        if (Status loaded = blocking_load_lines(path); !loaded) add(0, loaded.error().message);
        if (faults_.empty() && labels_.count_ == 0) add(0, "is empty, allowed: at least one label");
        if (!faults_.empty()) return faults_;
        return std::move(labels_);
    }

  private:
    void add(std::size_t line, std::string_view message) {
        if (message.starts_with(name_ + ": ")) message.remove_prefix(name_.size() + 2);
        faults_.add({name_, line, 0, "", std::string(message)});
    }

    Status blocking_load_lines(const std::filesystem::path& path) {
        const auto file = files::File::blocking_open(path, files::File::Mode::read);
        if (!file) return file.error();
        const auto size = file->blocking_size();
        if (!size) return size.error();
        if (*size > LabelsFile::kMaxBytes) {
            return Error{ErrorKind::too_large, fmt::format("has {} bytes, allowed: at most {}",
                                                           *size, LabelsFile::kMaxBytes)};
        }
        LineScanner scanner(*file, *size, LabelsFile::kMaxLineBytes);
        for (std::size_t number = 1;; ++number) {
            const auto line = scanner.blocking_next();
            if (!line) return line.error();
            if (!*line) break;
            take(**line, number);
        }
        labels_.sha256_ = scanner.sha256();
        return {};
    }

    void take(const LineScanner::Line& line, std::size_t number) {
        if (line.too_long) {
            return add(number, fmt::format("is longer than {} bytes", LabelsFile::kMaxLineBytes));
        }
        if (is_blank(line.text)) return;
        const auto value = parser_.parse(line.text);
        if (!value) return add(number, value.error().message);
        auto label = scoring::read_manual_label(*value);
        if (!label) return add_each(number, label.error().message);
        keep(std::move(*label), number);
    }

    /// Strict reading tells all faults of a line at once, one a line.
    void add_each(std::size_t number, std::string_view messages) {
        while (!messages.empty()) {
            const auto end = std::min(messages.find('\n'), messages.size());
            add(number, messages.substr(0, end));
            messages.remove_prefix(std::min(end + 1, messages.size()));
        }
    }

    void keep(scoring::ManualLabel label, std::size_t number) {
        auto& labels = labels_.labels_[label.sample_id];
        if (std::ranges::find(labels, label.repeat, &scoring::ManualLabel::repeat) !=
            labels.end()) {
            const std::string which =
                label.repeat ? fmt::format("repeat {}", *label.repeat) : "all repeats";
            return add(number, fmt::format("sample_id: {} of \"{}\" has a label already", which,
                                           label.sample_id));
        }
        labels.push_back(std::move(label));
        ++labels_.count_;
    }

    std::string name_;
    json::Parser parser_;
    FaultList faults_;
    LabelsFile labels_;
};

boost::system::result<LabelsFile, FaultList> LabelsFile::blocking_read(
    const std::filesystem::path& path) {
    return LabelsLoader(path.string()).blocking_load(path);
}

std::span<const scoring::ManualLabel> LabelsFile::of(const std::string& sample_id) const {
    if (const auto found = labels_.find(sample_id); found != labels_.end()) return found->second;
    // People who label what a run has left know a sample by the name that its records have.
    static const redaction::Redactor kRedactor;
    const auto found = labels_.find(kRedactor.redact_name(sample_id).text);
    if (found == labels_.end()) return {};
    return found->second;
}

Result<LabelCoverage> LabelsFile::blocking_cover(const Dataset& dataset,
                                                 std::int64_t repeats) const {
    LabelCoverage coverage;
    coverage.samples = dataset.size();
    std::uint64_t used = 0;
    json::Parser parser;
    for (std::size_t index = 0; index < dataset.size(); ++index) {
        const auto sample = blocking_read_sample(dataset, index, parser);
        if (!sample) return sample.error();
        const auto labels = of(sample->id);
        std::int64_t own = 0;
        bool has_common = false;
        for (const scoring::ManualLabel& label : labels) {
            has_common = has_common || !label.repeat;
            own += label.repeat && *label.repeat <= repeats ? 1 : 0;
        }
        used += static_cast<std::uint64_t>(own) + (has_common ? 1 : 0);
        if (has_common || own == repeats) continue;
        if (++coverage.without_label == 1) coverage.first_without = sample->id;
    }
    coverage.unused = count_ - used;
    return coverage;
}

boost::system::result<LabelCoverage, FaultList> blocking_check_labels(
    const std::filesystem::path& path, const Dataset& dataset, std::int64_t repeats) {
    const auto labels = LabelsFile::blocking_read(path);
    if (!labels) return labels.error();
    FaultList faults;
    const auto coverage = labels->blocking_cover(dataset, repeats);
    if (!coverage) {
        faults.add({path.string(), 0, 0, "", coverage.error().message});
        return faults;
    }
    if (coverage->unused < labels->size()) return *coverage;
    faults.add({path.string(), 0, 0, "",
                fmt::format("no sample of {} has a label", dataset.path().string())});
    return faults;
}

Status blocking_join_labels(const Dataset& dataset, const LabelsFile& labels,
                            const std::filesystem::path& out) {
    auto file = files::AtomicFile::blocking_create(out);
    if (!file) return file.error();
    json::Parser parser;
    for (std::size_t index = 0; index < dataset.size(); ++index) {
        const auto sample = blocking_read_sample(dataset, index, parser);
        if (!sample) return sample.error();
        const std::string line = write_joined(*sample, labels.of(sample->id));
        if (line.size() > Dataset::kMaxLineBytes) {
            return Error{ErrorKind::too_large,
                         fmt::format("{}:{}: with its labels longer than {} bytes",
                                     dataset.path().string(), index + 1, Dataset::kMaxLineBytes)};
        }
        if (Status written = file->blocking_append(line); !written) return written;
    }
    return file->blocking_commit();
}

}  // namespace evalfleet::runfile
