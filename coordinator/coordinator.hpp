#pragma once

#include "common/async/clock.hpp"
#include "common/log/logger.hpp"
#include "coordinator/config.hpp"

#include <memory>
#include <string>

namespace evalfleet::coordinator {

/// A whole coordinator: keeps every run of its store going, and answers over HTTP.
class Coordinator {
  public:
    /// `config` must be valid. Throws std::runtime_error if it cannot work here: a port that is
    /// taken, a store that another coordinator uses although there shall be no standby.
    Coordinator(async::Clock& clock, CoordinatorConfig config, log::Logger logger);
    Coordinator(const Coordinator&) = delete;
    Coordinator& operator=(const Coordinator&) = delete;
    ~Coordinator();

    /// Works until SIGTERM or SIGINT. Runs stay as they are and are taken up by the next
    /// coordinator of the store. Without Redis it waits for it, whatever it takes. Throws what a
    /// bug threw.
    void blocking_run();

    /// Where its pages are: http://127.0.0.1:8080/.
    [[nodiscard]] const std::string& link() const noexcept { return link_; }

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
    std::string link_;
};

}  // namespace evalfleet::coordinator
