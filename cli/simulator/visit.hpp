#pragma once

#include "cli/simulator/quota.hpp"
#include "cli/simulator/request_log.hpp"
#include "common/http/reply.hpp"

#include <utility>

namespace evalfleet::simulator {

/// One request on its way through the simulator. Holds its place among those of its key; when it is
/// over, sent or not, it gives that back and writes its line.
class Visit final : public http::Receipt {
  public:
    /// `log` may be null.
    explicit Visit(RequestLog* log) : log_(log) {}
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;
    ~Visit() override {
        if (log_ != nullptr) log_->add(entry);
    }

    void on_sent(async::TimePoint first_byte, async::TimePoint last_byte) override {
        entry.first_byte = first_byte;
        entry.last_byte = last_byte;
    }

    LogEntry entry;
    QuotaKeeper::Place place;

  private:
    RequestLog* log_;
};

}  // namespace evalfleet::simulator
