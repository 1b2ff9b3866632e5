#pragma once

#include "common/runfile/dataset.hpp"

#include <filesystem>
#include <optional>

namespace evalfleet::runfile {

/// True if a run cannot use the lines of a dataset as they are: pictures are files, or the last
/// turn of chats is a reference.
[[nodiscard]] bool needs_settling(const Dataset& dataset,
                                  const std::optional<job::LastAssistant>& last_assistant);

/// Writes the dataset as a run's workers get it: pictures embedded, and the last turns of
/// assistants made references if that is asked for. Lines that need neither stay as they are.
/// Settling twice is settling once. False if all did. An error names file, line and field. Blocks.
[[nodiscard]] Result<bool> blocking_settle(const Dataset& dataset,
                                           const std::optional<job::LastAssistant>& last_assistant,
                                           const std::filesystem::path& out);

/// The sample's own line, and what is too long about it.
[[nodiscard]] Result<std::string> settled_line(const job::Sample& sample);

}  // namespace evalfleet::runfile
