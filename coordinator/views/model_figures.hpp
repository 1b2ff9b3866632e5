#pragma once

#include "coordinator/records/trial_table.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::views {

/// How the models of all runs that go on have answered of late, whichever run asked them.
class ModelFigures {
  public:
    /// Trials that ended before are not counted; in milliseconds since 1970.
    explicit ModelFigures(std::int64_t since_ms) : since_ms_(since_ms) {}

    /// `model` as runs name it: provider/name@version.
    void add(const std::string& model, std::span<const records::TrialEntry> trials);

    /// MODELS of docs/api.md, by name.
    [[nodiscard]] std::string to_json(double window_s) const;

  private:
    struct Figures {
        std::uint64_t trials = 0;
        std::uint64_t judge_retried = 0;
        std::map<std::string_view, std::uint64_t> errors;
        std::vector<float> latencies_ms;  // of those that were answered
    };

    std::int64_t since_ms_;
    std::map<std::string, Figures> models_;
};

}  // namespace evalfleet::views
