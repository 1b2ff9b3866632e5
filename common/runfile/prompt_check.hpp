#pragma once

#include "common/providers/provider_config.hpp"
#include "common/runfile/dataset.hpp"
#include "common/runfile/run_file.hpp"

#include <optional>
#include <string>
#include <vector>

namespace evalfleet::runfile {

/// Whether a run can ask its models what the samples ask. Faults: a prompt that shows neither the
/// task nor, as chats do, the messages; and what `check_chats` finds with the file's providers.
[[nodiscard]] FaultList check_prompts(const RunFile& file, const Dataset& dataset);

/// Whether the chats of a dataset can be sent: a last turn of an assistant needs
/// `dataset.last_assistant`, pictures and prefills need a protocol that has them. Of providers that
/// are not `known` nothing is said.
[[nodiscard]] FaultList check_chats(const RunFile& file, const Dataset& dataset,
                                    const providers::Providers& known);

/// A run that names no profile for its judge gets the one that shows whole conversations, if its
/// dataset has chats of several turns. To be called once the dataset is known.
void settle_profile(RunFile& file, const Dataset& dataset);

/// What is allowed, but probably not meant: a judge that sees only the last turn of chats.
[[nodiscard]] std::vector<std::string> chat_warnings(const RunFile& file, const Dataset& dataset);

/// That a judge has nothing to compare with, if no sample has a reference nor gets one of its chat.
[[nodiscard]] std::optional<std::string> reference_warning(const RunFile& file,
                                                           const Dataset& dataset);

}  // namespace evalfleet::runfile
