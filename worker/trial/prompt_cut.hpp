#pragma once

#include "common/job/sample.hpp"
#include "worker/call/call_outcome.hpp"
#include "worker/providers/provider_set.hpp"

#include <cstdint>
#include <optional>
#include <vector>

/// Ollama cuts a prompt that is longer than its context without a word. What it counted tells.
/// Pure.
namespace evalfleet::worker {

/// Was a prompt most likely cut to the server's context?
///
/// - A text has at least as many tokens as words, in every vocabulary: fewer counted ones were cut.
/// - A count that is exactly the context, of a prompt that is longer by the estimate of four bytes
/// a
///   token, is that of a cut one. `context` is what was asked for; without it a power of two is
///   taken for one, as every default is.
/// - Any other count is believed until the estimate is one and a half times as large: plain text
/// has
///   four to five bytes a token, indented code and tables up to six.
/// - Where nothing was counted, or so little that most may have been in the server's cache, a
/// prompt
///   that clearly exceeds the context (more words, or five bytes a token) was cut.
[[nodiscard]] bool was_prompt_cut(const std::vector<job::Message>& messages, const Usage& usage,
                                  std::optional<std::int64_t> context);

/// The same of a call, false where the server is none that cuts: Ollama, by its own protocol or by
/// OpenAI's.
[[nodiscard]] bool was_prompt_cut(const Provider& provider, const ModelRequest& question,
                                  const CallOutcome& outcome);

}  // namespace evalfleet::worker
