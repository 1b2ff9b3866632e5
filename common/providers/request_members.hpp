#pragma once

#include "common/job/generation_params.hpp"
#include "common/json/value.hpp"
#include "common/providers/provider_config.hpp"

#include <optional>
#include <string>
#include <string_view>

/// What may be added to the body of a request besides what it says by itself. All pure.
namespace evalfleet::providers {

/// An object of members with each name in the one spelling that requests have: Google takes
/// `generation_config.top_k` for `generationConfig.topK`, and both would stand in one body. Of
/// other types the object itself. `invalid`: it is no object, or has a member in both spellings.
[[nodiscard]] Result<std::string> in_one_spelling(ProviderType type, std::string_view object);

/// A member that requests of some type carry by themselves.
struct ReservedMember {
    std::string path;       ///< `options.seed`
    std::string_view name;  ///< in run files, `generation.seed`; empty: nobody can set it
};

/// The first member of `extra` that would overwrite one of those.
[[nodiscard]] std::optional<ReservedMember> find_reserved(ProviderType type, json::Value extra);

/// The path of the first member that both have, and that is not an object in both.
[[nodiscard]] std::optional<std::string> find_overlap(json::Value one, json::Value other);

/// What is wrong with what a run adds, and with which member of it.
struct ExtraFault {
    std::string path;  ///< from `extra` on: `options.seed`; empty: all of it
    std::string message;
};

/// What is wrong with a run's `extra` at a provider: a member that requests have by themselves, or
/// that the operator's `extra_body` has. Nothing if all is well.
[[nodiscard]] std::optional<ExtraFault> extra_fault(ProviderType type,
                                                    const std::optional<std::string>& extra_body,
                                                    const std::optional<job::JsonObject>& extra);

/// Why a chat's last turn of an assistant cannot be how the answer begins; nothing if it can. Where
/// the protocol has no such thing a server may: vLLM, told by `continue_final_message: true`.
[[nodiscard]] std::optional<std::string> prefill_fault(ProviderType type,
                                                       const std::optional<std::string>& extra_body,
                                                       const std::optional<job::JsonObject>& extra);

/// One object with the members of both, those of objects in both together. Of what is in both
/// otherwise, that of `base` stays. `invalid`: one of them is no JSON object.
[[nodiscard]] Result<std::string> merge_objects(std::string_view base, std::string_view extra);

}  // namespace evalfleet::providers
