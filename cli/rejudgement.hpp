#pragma once

#include "common/result/result.hpp"

#include <optional>
#include <string>

namespace evalfleet::cli {

/// What a run is judged anew with, as the command line takes it.
struct Rejudgement {
    std::optional<std::string> judge{};  ///< PROVIDER/NAME@VERSION
    std::optional<std::string> profile{};
    std::optional<std::string> rationale_limit{};
    std::optional<std::string> labels{};  ///< JSON Lines, instead of a judge
    std::optional<std::string> policy{};  ///< JSON
    std::optional<std::string> name{};
    bool redacted = false;  ///< judge what is stored, though it is not what the model said
};

/// The body of `POST /runs/{id}/rejudge`. `invalid` if a judge is no judge, if there are labels as
/// well, or if neither a judge nor labels nor a policy is given. Pure.
[[nodiscard]] Result<std::string> rejudge_body(const Rejudgement& rejudgement);

}  // namespace evalfleet::cli
