#include "common/statistics/parallel_for.hpp"
#include "coordinator/reduce/record_file.hpp"
#include "coordinator/reduce/record_parser.hpp"
#include "coordinator/reduce/record_table.hpp"

#include <fmt/format.h>

#include <atomic>
#include <map>
#include <mutex>
#include <unordered_set>

namespace evalfleet::reduce {
namespace {

// Reads blocks on several threads and keeps what belongs to each.
class Loader {
  public:
    Loader(std::span<const RecordFile> files, const LoadOptions& options)
        : files_(files),
          options_(options),
          threads_(statistics::resolve_threads(options.threads)),
          workers_(threads_) {
        for (std::size_t file = 0; file < files.size(); ++file) {
            for (std::uint64_t at = 0; at < files[file].size(); at += options.block_bytes) {
                blocks_.push_back({file, at});
            }
        }
        block_rows_.resize(blocks_.size());
        block_workers_.resize(blocks_.size());
    }

    [[nodiscard]] Result<RecordTable> load() {
        statistics::parallel_for(threads_, blocks_.size(), [this](unsigned worker, std::size_t i) {
            // Blocks are handed out in order, so all before a faulty one are read to their end.
            if (!failed_) read_block(worker, i);
        });
        if (!faults_.empty()) return report(faults_.begin()->second);
        return merge();
    }

  private:
    struct Block {
        std::size_t file;
        std::uint64_t begin;
    };
    struct Worker {
        RecordParser parser;
        LineBuffer buffer;
    };
    struct Fault {
        std::size_t file;
        std::uint64_t offset;
        Error error;
    };

    void read_block(unsigned worker, std::size_t index) {
        auto& [parser, buffer] = workers_[worker];
        const auto& [file, begin] = blocks_[index];
        std::vector<TrialRow>& rows = block_rows_[index];
        block_workers_[index] = worker;
        const auto filled =
            buffer.fill(files_[file], begin, options_.block_bytes, options_.max_line_bytes);
        if (!filled) return fail(index, {file, buffer.fault_offset(), filled.error()});
        while (const auto line = buffer.next_line()) {
            if (const auto parsed = parser.parse(line->text, rows); !parsed) {
                return fail(index, {file, line->offset, parsed.error()});
            }
        }
        rows.shrink_to_fit();
    }

    void fail(std::size_t block, Fault fault) {
        failed_ = true;
        const std::scoped_lock lock(mutex_);
        faults_.emplace(block, std::move(fault));
    }

    [[nodiscard]] Error report(const Fault& fault) const {
        const RecordFile& file = files_[fault.file];
        const auto line = file.line_number(fault.offset);
        if (!line) return line.error();
        return fault.error.within(fmt::format("{}:{}", file.name(), *line));
    }

    [[nodiscard]] Result<RecordTable> merge() {
        SliceDictionary slices;
        RunTally tally;
        std::vector<std::vector<std::uint32_t>> renumbered;
        for (const Worker& worker : workers_) {
            auto numbers = slices.merge(worker.parser.slices());
            if (!numbers) return numbers.error();
            renumbered.push_back(std::move(*numbers));
            tally.merge(worker.parser.tally());
        }
        std::size_t total = 0;
        for (const auto& rows : block_rows_) {
            total += rows.size();
        }
        std::vector<TrialRow> all;
        all.reserve(total);
        for (std::size_t i = 0; i < block_rows_.size(); ++i) {
            for (TrialRow& row : block_rows_[i]) {
                row.slice_set = renumbered[block_workers_[i]][row.slice_set];
                all.push_back(row);
            }
            std::vector<TrialRow>().swap(block_rows_[i]);
        }
        workers_.clear();
        auto table = RecordTable::make(std::move(all), std::move(slices), std::move(tally));
        if (!table) return find_second(table.error());
        return table;
    }

    // The slow way to the line of a record that was given before: only an error pays for it.
    [[nodiscard]] Error find_second(const Error& fallback) const {
        std::unordered_set<std::uint64_t> seen;
        Worker worker;
        std::vector<TrialRow> rows;
        for (const auto& [file, begin] : blocks_) {
            const auto filled = worker.buffer.fill(files_[file], begin, options_.block_bytes,
                                                   options_.max_line_bytes);
            if (!filled) return filled.error();
            while (const auto line = worker.buffer.next_line()) {
                rows.clear();
                if (!worker.parser.parse(line->text, rows)) return fallback;
                if (seen.insert(rows[0].key()).second) continue;
                return report({file, line->offset, duplicate_error(rows[0])});
            }
        }
        return fallback;
    }

    std::span<const RecordFile> files_;
    LoadOptions options_;
    unsigned threads_;
    std::vector<Worker> workers_;
    std::vector<Block> blocks_;
    std::vector<std::vector<TrialRow>> block_rows_;
    std::vector<unsigned> block_workers_;
    std::atomic<bool> failed_ = false;
    std::mutex mutex_;                     // guards faults_
    std::map<std::size_t, Fault> faults_;  ///< by block: the first is the one to report
};

}  // namespace

Result<RecordTable> load_records(std::span<const std::filesystem::path> files,
                                 const LoadOptions& options) {
    std::vector<RecordFile> opened;
    for (const auto& path : files) {
        auto file = RecordFile::open(path);
        if (!file) return file.error();
        opened.push_back(std::move(*file));
    }
    return Loader(opened, options).load();
}

}  // namespace evalfleet::reduce
