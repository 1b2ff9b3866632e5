#pragma once

#include "common/job/message.hpp"
#include "common/job/trial_record.hpp"
#include "common/json/value.hpp"
#include "common/json/writer.hpp"
#include "common/result/result.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::job {

/// What an answer must look like, checked without a judge.
struct ExpectedFormat {
    enum class Kind { json, json_schema, regex };
    Kind kind = Kind::json;
    std::string text;  ///< the schema as JSON, or the expression; empty for `json`
    bool operator==(const ExpectedFormat&) const = default;
};

/// The most different combinations of task type and tags that a run may have: they are meant to
/// group trials, and each is a row of the summary's slices.
inline constexpr std::size_t kMostTagCombinations = 1 << 18;

/// One line of a dataset.
struct Sample {
    std::string id;                 ///< the number of its line, from 1, if the line gives none
    std::string task;               ///< with `messages`: what the last user message says
    std::vector<Message> messages;  ///< empty: the prompt template makes the only message
    std::optional<std::string> reference_answer;
    std::optional<std::string> context;
    std::string task_type = "default";
    Tags tags;
    std::optional<ExpectedFormat> expected_format;
    bool operator==(const Sample&) const = default;
};

/// The names that a prompt template may use.
inline constexpr std::array kTemplateNames{"id"sv, "task"sv, "reference_answer"sv, "context"sv,
                                           "task_type"sv};

/// The value behind a template's placeholder; none for what the sample has not.
[[nodiscard]] std::optional<std::string_view> template_value(const Sample& sample,
                                                             std::string_view name) noexcept;

/// Reads line `line_number` (from 1) of a dataset. Members we do not know are skipped; a wrong one
/// is an error with its path. Whether `expected_format` can be checked is asked by compiling it.
[[nodiscard]] Result<Sample> read_sample(json::Value value, std::size_t line_number);

/// True for a chat whose last turn is an assistant's: nobody asked for an answer.
[[nodiscard]] bool ends_in_assistant(const Sample& sample) noexcept;

[[nodiscard]] bool has_images(const Sample& sample) noexcept;
/// True if some of them are files still.
[[nodiscard]] bool has_image_files(const Sample& sample) noexcept;

/// How the answer to a chat has to begin; empty if the model is free.
[[nodiscard]] std::string_view prefill_of(const Sample& sample) noexcept;

/// Makes the texts of messages and the task anew, after pictures of theirs were exchanged.
void refresh_texts(Sample& sample);

/// Makes the last turn of an assistant the reference answer. False if there is one already, or
/// nothing is left to ask.
[[nodiscard]] bool take_reference(Sample& sample);

/// The turns of a chat for a reader, without how the answer begins: each under the name of its
/// role. Empty for a sample that is none.
[[nodiscard]] std::string conversation_of(const Sample& sample);

/// Appends the sample so that it reads back as the same.
void write(json::Writer& writer, const Sample& sample);

}  // namespace evalfleet::job
