#pragma once

#include "common/log/logger.hpp"
#include "coordinator/catalog/run_catalog.hpp"
#include "coordinator/webhooks/outbox.hpp"

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace evalfleet::webhooks {

/// Finds what there is to tell, in the folders of the runs: they are the truth, so that nothing is
/// missed whoever died. What was put into the outbox stands in the run's `work/notified`; between
/// the two steps it may be put in once more, under the same id.
///
/// Blocks; one thread at a time.
class RunWatch {
  public:
    RunWatch(std::filesystem::path store, WebhooksConfig config, log::Logger logger);

    /// Looks at all runs and puts what is new into the outbox. How many events there were.
    [[nodiscard]] Result<std::size_t> blocking_look(std::chrono::system_clock::time_point now);

    [[nodiscard]] const Outbox& outbox() const noexcept { return outbox_; }

  private:
    using TimePoint = std::chrono::system_clock::time_point;
    /// The phase that was told last. The clock of files is coarse: its time alone may be that of
    /// the phase before.
    struct Told {
        runs::RunPhase phase;
        TimePoint since;
        bool operator==(const Told&) const = default;
    };

    [[nodiscard]] Result<std::size_t> blocking_look_at(const catalog::RunFacts& run);
    [[nodiscard]] Result<std::size_t> blocking_tell(const store::RunFolder& folder,
                                                    const std::vector<Event>& events);

    catalog::RunCatalog catalog_;
    WebhooksConfig config_;
    Outbox outbox_;
    log::Logger logger_;
    std::optional<TimePoint> begun_;
    std::map<std::string, Told> told_;  // by run
};

}  // namespace evalfleet::webhooks
