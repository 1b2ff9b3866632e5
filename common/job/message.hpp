#pragma once

#include "common/job/names.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::job {

enum class MessageRole { system, user, assistant, developer, tool };
template <>
struct Names<MessageRole> {
    static constexpr std::array<std::string_view, 5> values{"system", "user", "assistant",
                                                            "developer", "tool"};
};

/// True for those who tell a model how to behave, whatever a protocol calls them.
[[nodiscard]] constexpr bool is_instruction(MessageRole role) noexcept {
    return role == MessageRole::system || role == MessageRole::developer;
}

/// A picture of a message: its bytes or, in a dataset whose images have not been embedded, the path
/// of its file.
struct Image {
    std::string media_type{};             ///< as its first bytes tell: `image/png`
    std::string base64{};                 ///< empty: only `path` is known
    std::string path{};                   ///< relative to the dataset
    std::optional<std::string> detail{};  ///< OpenAI's `low`, `high`, `auto`
    bool operator==(const Image&) const = default;
};

/// A piece of a message: text or a picture.
struct ContentPart {
    std::string text{};
    std::optional<Image> image{};
    bool operator==(const ContentPart&) const = default;
};

/// A call of a function that an assistant's turn asked for.
struct ToolCall {
    std::string id;
    std::string name;
    std::string arguments;  ///< JSON, an object
    bool operator==(const ToolCall&) const = default;
};

/// One turn of a chat.
struct Message {
    MessageRole role = MessageRole::user;
    /// All of its text. A picture stands in it as `[image/png, 34 KB, sha256 0123456789abcdef]`.
    std::string content;
    std::vector<ContentPart> parts{};           ///< what it is made of, if there is a picture in it
    std::vector<ToolCall> tool_calls{};         ///< of an assistant
    std::optional<std::string> tool_call_id{};  ///< of a tool: the call that it answers
    bool operator==(const Message&) const = default;

    [[nodiscard]] bool has_images() const noexcept { return !parts.empty(); }
};

/// What becomes of the last turn of a chat that is an assistant's.
enum class LastAssistant {
    reference,  ///< it is the reference answer, and the model does not see it
    prefill,    ///< it is how the model's answer begins
};
template <>
struct Names<LastAssistant> {
    static constexpr std::array values{std::string_view("reference"), std::string_view("prefill")};
};

/// All of a message for a reader: its text, and the calls of functions that it asks for.
[[nodiscard]] std::string shown_text(const Message& message);

/// The call of a function that a tool's message answers, by the calls before it; null if it
/// cannot be told.
[[nodiscard]] const ToolCall* find_answered_call(const std::vector<Message>& messages,
                                                 std::size_t index);

}  // namespace evalfleet::job
