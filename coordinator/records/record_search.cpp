#include "coordinator/records/record_search.hpp"

#include "coordinator/reduce/record_file.hpp"

#include <algorithm>
#include <utility>

namespace evalfleet::records {

namespace {

constexpr std::size_t kKeysAtOnce = 65'536;
constexpr std::uint64_t kMaxPageBytes = std::uint64_t{32} * 1024 * 1024;

class Searcher {
  public:
    Searcher(const reduce::RecordFile& file, const RecordIndex& index, const PageRequest& request)
        : file_(file), index_(index), request_(request), matcher_(request.filter) {}

    Result<RecordPage> blocking_run() {
        const bool by_keys = request_.filter.needs_only_keys();
        std::vector<RecordKey> keys(kKeysAtOnce + 1);
        for (std::uint64_t first = request_.first; first < index_.size() && !is_ended_;) {
            // One more than is looked at: where a record ends is where the next one begins.
            const auto count = index_.blocking_read(first, keys);
            if (!count) return count.error();
            const std::size_t own = std::min(*count, kKeysAtOnce);
            for (std::size_t i = 0; i < own && !is_ended_; ++i) {
                const std::uint64_t end =
                    i + 1 < *count ? keys[i + 1].offset : index_.records_bytes();
                const Status looked = by_keys ? blocking_look(keys[i], end, first + i)
                                              : blocking_read_and_look(keys[i], end, first + i);
                if (!looked) return looked.error();
            }
            first += own;
        }
        if (by_keys) page_.total = matches_;
        return std::move(page_);
    }

  private:
    // The index decides; the whole of it is counted.
    Status blocking_look(const RecordKey& key, std::uint64_t end, std::uint64_t number) {
        if (!matcher_.fits(key)) return {};
        ++matches_;
        if (matches_ <= request_.offset) return {};
        if (is_full()) {
            if (!page_.next) page_.next = number;
            return {};
        }
        return blocking_take(key.offset, end);
    }

    Status blocking_read_and_look(const RecordKey& key, std::uint64_t end, std::uint64_t number) {
        if (!matcher_.fits(key)) return {};
        if (is_full() || read_bytes_ >= request_.max_read_bytes) {
            page_.next = number;
            is_ended_ = true;
            return {};
        }
        if (const Status read = blocking_read_line(key.offset, end); !read) return read;
        read_bytes_ += end - key.offset;
        if (matcher_.fits(line())) keep();
        return {};
    }

    [[nodiscard]] bool is_full() const {
        return page_.records.size() >= request_.limit || page_bytes_ >= kMaxPageBytes;
    }

    Status blocking_take(std::uint64_t begin, std::uint64_t end) {
        if (const Status read = blocking_read_line(begin, end); !read) return read;
        keep();
        return {};
    }

    void keep() {
        page_bytes_ += line().size();
        page_.records.emplace_back(line());
    }

    /// Lines that follow one another are read in pieces of a mebibyte.
    Status blocking_read_line(std::uint64_t begin, std::uint64_t end) {
        if (begin > end || end > index_.records_bytes())
            return Error{ErrorKind::internal, "the index of the records is broken"};
        const bool is_there = begin >= buffer_at_ && end <= buffer_at_ + filled_;
        if (!is_there) {
            constexpr std::uint64_t kPiece = 1024 * 1024;
            const bool is_next = begin == buffer_at_ + filled_ || begin == request_next_;
            const std::uint64_t wanted = is_next ? std::max(end - begin, kPiece) : end - begin;
            buffer_.resize(static_cast<std::size_t>(wanted) + json::FieldReader::kPaddingBytes);
            const auto read =
                file_.read(begin, std::span(buffer_.data(), static_cast<std::size_t>(wanted)));
            if (!read) return read.error();
            if (*read < end - begin) return Error{ErrorKind::internal, "the records were cut"};
            buffer_at_ = begin;
            filled_ = *read;
        }
        request_next_ = end;
        line_begin_ = static_cast<std::size_t>(begin - buffer_at_);
        line_size_ = static_cast<std::size_t>(end - begin);
        return {};
    }

    [[nodiscard]] std::string_view line() const {
        std::string_view text(buffer_.data() + line_begin_, line_size_);
        while (text.ends_with('\n') || text.ends_with('\r'))
            text.remove_suffix(1);
        return text;
    }

    const reduce::RecordFile& file_;
    const RecordIndex& index_;
    const PageRequest& request_;
    RecordMatcher matcher_;
    RecordPage page_;
    std::uint64_t matches_ = 0;
    std::uint64_t page_bytes_ = 0;
    std::uint64_t read_bytes_ = 0;
    bool is_ended_ = false;
    std::vector<char> buffer_;
    std::uint64_t buffer_at_ = 0;
    std::uint64_t filled_ = 0;
    std::uint64_t request_next_ = 0;
    std::size_t line_begin_ = 0;
    std::size_t line_size_ = 0;
};

}  // namespace

Result<RecordPage> blocking_search(const std::filesystem::path& records, const RecordIndex& index,
                                   const PageRequest& request) {
    const auto file = reduce::RecordFile::open(records);
    if (!file) return file.error();
    return Searcher(*file, index, request).blocking_run();
}

}  // namespace evalfleet::records
