#pragma once

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

enum class MessageRole { system, user, assistant };
template <>
struct Names<MessageRole> {
    static constexpr std::array values{"system"sv, "user"sv, "assistant"sv};
};

/// One turn of a chat.
struct Message {
    MessageRole role = MessageRole::user;
    std::string content;
    bool operator==(const Message&) const = default;
};

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

/// Appends the sample so that it reads back as the same.
void write(json::Writer& writer, const Sample& sample);

}  // namespace evalfleet::job
