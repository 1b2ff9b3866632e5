#pragma once

#include "coordinator/api/query_reader.hpp"
#include "coordinator/views/trial_page.hpp"

namespace evalfleet::api {

/// Reads the parameters of a list of trials; what is wrong is noted in the reader. Pure.
[[nodiscard]] views::TrialPageRequest read_trial_page(QueryReader& query);

/// A number that is not negative; none if it is not there.
[[nodiscard]] std::optional<double> read_figure(QueryReader& query, std::string_view name);

}  // namespace evalfleet::api
