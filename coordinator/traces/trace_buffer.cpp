#include "coordinator/traces/trace_buffer.hpp"

#include <algorithm>
#include <utility>

namespace evalfleet::traces {

bool TraceBuffer::put(std::string_view record, std::chrono::system_clock::time_point arrived) {
    if (waiting_.size() >= limits_.records || record.size() > limits_.bytes - bytes_) return false;
    waiting_.push_back({std::string(record), arrived});
    bytes_ += record.size();
    return true;
}

std::vector<WaitingRecord> TraceBuffer::take(std::size_t count) {
    std::vector<WaitingRecord> taken;
    for (count = std::min(count, waiting_.size()); count > 0; --count) {
        bytes_ -= waiting_.front().record.size();
        taken.push_back(std::move(waiting_.front()));
        waiting_.pop_front();
    }
    return taken;
}

}  // namespace evalfleet::traces
