#pragma once

#include "common/job/field_values.hpp"
#include "common/result/result.hpp"

#include <array>
#include <map>
#include <string>
#include <string_view>

namespace evalfleet::job {

/// By how much a run may be worse than another and still count as no worse, by metric. Of scores
/// and rates in their own unit; of latency and tokens relative, 0.1 for a tenth more.
using Margins = std::map<std::string, double, std::less<>>;

/// A metric that can have a margin, and the most that makes sense.
struct MarginRule {
    std::string_view name;
    double most;
};

inline constexpr std::array kMarginRules{
    MarginRule{"aggregate_score", 1},   MarginRule{"rubric_pass_rate", 1},
    MarginRule{"spec_pass_rate", 1},    MarginRule{"accuracy_mean", 2},
    MarginRule{"faithfulness_mean", 2}, MarginRule{"latency_e2e_ms", 10},
    MarginRule{"output_tokens", 10},    MarginRule{"total_tokens", 10},
};

/// `aggregate_score=0.02,total_tokens=0.1`. `invalid` says which is wrong, what was found and what
/// is allowed, after the name of the option that it is the value of. Pure.
[[nodiscard]] Result<Margins> parse_margins(std::string_view text,
                                            std::string_view option = "margin");

/// What `parse_margins` reads.
[[nodiscard]] std::string to_text(const Margins& margins);

/// The same as an object of JSON.
[[nodiscard]] Status read_margins(json::Value value, Margins& out, Strictness strictness);

}  // namespace evalfleet::job
