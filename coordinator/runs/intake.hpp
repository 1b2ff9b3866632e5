#pragma once

#include "common/job/policy.hpp"
#include "common/job/sample.hpp"
#include "common/json/document.hpp"
#include "common/queue/types.hpp"
#include "common/result/result.hpp"
#include "coordinator/runs/tally.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace evalfleet::runs {

/// Decides what a result out of Redis becomes: nothing in there is trusted. A record must be one,
/// belong to this run and to the trial it claims, and is written anew in its canonical form; a dead
/// job becomes a record that says so. Pure; one a thread.
class Intake {
  public:
    struct Terms {
        std::string run_id;
        std::uint64_t repeats = 1;
        std::uint64_t total = 0;
        job::Policy policy;
        bool pii = true;  ///< personal data is taken out of what the coordinator itself records
    };

    struct Accepted {
        std::string record;  ///< the line for the log
        Tally::Trial trial;
    };

    /// The sample of a dead job, to name it in its record. Empty: it cannot be read any more.
    using ReadSample = std::function<std::optional<job::Sample>(std::uint64_t sample_index)>;

    explicit Intake(Terms terms) : terms_(std::move(terms)) {}

    [[nodiscard]] const Terms& terms() const noexcept { return terms_; }

    /// `invalid` with the reason if the result is not what it should be.
    [[nodiscard]] Result<Accepted> accept(const queue::RunResult& result,
                                          const ReadSample& read_sample);

    /// A record as the log has it, for counting.
    [[nodiscard]] Result<Tally::Trial> recount(std::string_view record);

    /// The record of a trial that nobody could finish.
    [[nodiscard]] Accepted lost(std::uint64_t index, std::string_view reason,
                                const ReadSample& read_sample) const;

  private:
    [[nodiscard]] Result<Accepted> accept_record(const queue::RunResult& result);

    Terms terms_;
    json::Parser parser_;
};

}  // namespace evalfleet::runs
