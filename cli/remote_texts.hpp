#pragma once

#include "cli/remote/session.hpp"
#include "coordinator/report/trial_texts.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace evalfleet::cli {

/// What was asked in a run at a coordinator, by sample, a page at a time. Made for samples that are
/// asked for in their order.
class RemoteTexts {
  public:
    /// `session`: nobody else's, since its calls are made while another one downloads.
    RemoteTexts(remote::Session session, const std::string& run_id);

    /// Empty texts if the coordinator has none of that sample. Blocks.
    [[nodiscard]] Result<report::TrialTexts> blocking_texts(std::int64_t sample_index);

  private:
    [[nodiscard]] Status blocking_fetch();

    remote::Session session_;
    std::string path_;
    std::optional<std::int64_t> next_ = 0;  // where the next page begins; none: there is none
    std::map<std::int64_t, report::TrialTexts> page_;
};

}  // namespace evalfleet::cli
