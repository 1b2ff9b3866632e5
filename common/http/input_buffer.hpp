#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace evalfleet::http {

/// Bytes that were read from a connection and not yet used. Starts small, because ten thousand
/// connections that wait for an answer each have one; doubles when a read filled it.
class InputBuffer {
  public:
    struct Space {
        char* data;
        std::size_t size;
    };

    explicit InputBuffer(std::size_t max_bytes) : max_bytes_(max_bytes) {}

    /// Room for the next read; size 0 when `max_bytes` wait unused.
    [[nodiscard]] Space prepare() {
        if (begin_ > 0) {
            std::copy(bytes_.data() + begin_, bytes_.data() + end_, bytes_.data());
            end_ -= begin_;
            begin_ = 0;
        }
        const bool is_full = end_ == bytes_.size();
        if (is_full && bytes_.size() < max_bytes_) {
            bytes_.resize(std::min(std::max(bytes_.size() * 2, kFirstBytes), max_bytes_));
        }
        return {bytes_.data() + end_, bytes_.size() - end_};
    }

    void commit(std::size_t count) { end_ += count; }

    [[nodiscard]] std::string_view data() const { return {bytes_.data() + begin_, end_ - begin_}; }
    [[nodiscard]] bool empty() const { return begin_ == end_; }

    void consume(std::size_t count) {
        begin_ += count;
        if (begin_ == end_) begin_ = end_ = 0;
    }

    /// Gives the memory back; nothing may wait in it.
    void release() {
        std::vector<char>().swap(bytes_);
        begin_ = end_ = 0;
    }

  private:
    static constexpr std::size_t kFirstBytes = 4096;

    std::size_t max_bytes_;
    std::vector<char> bytes_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

}  // namespace evalfleet::http
