#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::scoring {

/// A prompt with placeholders. The values that go in come from datasets and models and may
/// themselves look like placeholders, so a template is cut once and filled in a single pass: what
/// has been inserted is never looked at again.
///
/// A placeholder is `{{name}}` with name = [A-Za-z_][A-Za-z0-9_]*, spaces and tabs allowed around
/// the name; everything else is text. Scanned from left to right, so `{{{a}}}` is a brace, a
/// placeholder, a brace.
class PromptTemplate {
  public:
    /// The value of a name; nothing for a name that has none, which becomes the empty string.
    using Lookup = std::function<std::optional<std::string_view>(std::string_view name)>;

    explicit PromptTemplate(std::string text);

    [[nodiscard]] std::string render(const Lookup& lookup) const;

    [[nodiscard]] const std::string& text() const noexcept { return text_; }

    /// How many bytes at the beginning of every text that it renders are the same.
    [[nodiscard]] std::size_t constant_bytes() const noexcept {
        return placeholders_.empty() ? text_.size() : placeholders_.front().begin;
    }

    /// Every placeholder's name, in order, as often as it occurs. Valid as long as the template.
    [[nodiscard]] std::vector<std::string_view> names() const;

    [[nodiscard]] bool has(std::string_view name) const;

    /// The first `{{` that is text, with what follows it on its line: most likely a placeholder
    /// that is misspelt. None: every one of them is a placeholder.
    [[nodiscard]] std::optional<std::string_view> leftover() const;

  private:
    struct Placeholder {
        std::size_t begin;  ///< of the first opening brace in text_
        std::size_t end;    ///< behind the last closing brace
        std::size_t name_begin;
        std::size_t name_end;
    };

    [[nodiscard]] static std::optional<Placeholder> placeholder_at(std::string_view text,
                                                                   std::size_t begin);
    [[nodiscard]] std::string_view name_of(const Placeholder& placeholder) const;

    std::string text_;
    std::vector<Placeholder> placeholders_;
};

}  // namespace evalfleet::scoring
