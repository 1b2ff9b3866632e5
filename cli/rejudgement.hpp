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
    std::optional<std::string> policy{};  ///< JSON
    std::optional<std::string> name{};
    bool redacted = false;  ///< judge what is stored, though it is not what the model said
};

/// The body of `POST /runs/{id}/rejudge`. `invalid` if a judge is no judge, or if neither a judge
/// nor a policy is given. Pure.
[[nodiscard]] Result<std::string> rejudge_body(const Rejudgement& rejudgement);

/// Why a run is not judged anew with the `labels` of people, and what does it instead. `run` is an
/// id, or the folder of a run if `is_folder`. Pure.
[[nodiscard]] Error labels_refusal(const std::string& run, bool is_folder,
                                   const std::string& labels);

}  // namespace evalfleet::cli
