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
/// A placeholder is `{{name}}` with name = [A-Za-z_][A-Za-z0-9_]*; everything else is text, `{{ a
/// }}` and `{{` included. Scanned from left to right, so `{{{a}}}` is a brace, a placeholder, a
/// brace.
class PromptTemplate {
  public:
    /// The value of a name; nothing for a name that has none, which becomes the empty string.
    using Lookup = std::function<std::optional<std::string_view>(std::string_view name)>;

    explicit PromptTemplate(std::string text);

    [[nodiscard]] std::string render(const Lookup& lookup) const;

    [[nodiscard]] const std::string& text() const noexcept { return text_; }

    /// Every placeholder's name, in order, as often as it occurs. Valid as long as the template.
    [[nodiscard]] std::vector<std::string_view> names() const;

  private:
    struct Placeholder {
        std::size_t begin;  ///< of the first opening brace in text_
        std::size_t end;    ///< behind the last closing brace
    };

    [[nodiscard]] std::string_view name_of(const Placeholder& placeholder) const;

    std::string text_;
    std::vector<Placeholder> placeholders_;
};

}  // namespace evalfleet::scoring
