#include "common/config/yaml_openings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace evalfleet::config {
namespace {

constexpr std::string_view kBeforeValue = ":,[{-?";

/// Goes through a text character by character and remembers what is open.
class Openings {
  public:
    void take(std::string_view line) {
        ++line_;
        last_ = '\0';
        quote_closed_here_ = 0;
        for (std::size_t i = 0; i < line.size(); ++i) {
            if (quote_ != '\0' && quote_ == '"' && line[i] == '\\')
                ++i;
            else if (quote_ != '\0')
                close_quote(line[i]);
            else if (line[i] == '#' && (i == 0 || line[i - 1] == ' '))
                return;
            else
                take(line[i]);
        }
    }

    [[nodiscard]] std::optional<YamlFault> unclosed() const {
        if (quote_ != '\0') return fault(quote_, quote_line_);
        if (quote_closed_here_ != 0) return fault(closed_quote_, quote_closed_here_);
        if (!brackets_.empty()) return fault(brackets_.front().sign, brackets_.front().line);
        return std::nullopt;
    }

  private:
    struct Bracket {
        char sign;
        int line;
    };

    static YamlFault fault(char sign, int line) {
        const std::string shown =
            sign == '"' || sign == '\'' ? std::string(1, sign) : fmt::format("\"{}\"", sign);
        return {line, fmt::format("found a {} that is not closed", shown)};
    }

    void close_quote(char c) {
        if (c != quote_) return;
        // Quotes may go over several lines, but hardly anybody means that.
        if (quote_line_ != line_) {
            quote_closed_here_ = quote_line_;
            closed_quote_ = quote_;
        }
        quote_ = '\0';
        last_ = c;
    }

    void take(char c) {
        const bool begins_value = last_ == '\0' || kBeforeValue.find(last_) != kBeforeValue.npos;
        if ((c == '"' || c == '\'') && begins_value) {
            quote_ = c;
            quote_line_ = line_;
        } else if ((c == '{' || c == '[') && (begins_value || !brackets_.empty())) {
            brackets_.push_back({c, line_});
        } else if ((c == '}' || c == ']') && !brackets_.empty()) {
            brackets_.pop_back();
        }
        if (c != ' ' && c != '\r') last_ = c;
    }

    std::vector<Bracket> brackets_;
    char quote_ = '\0';
    int quote_line_ = 0;
    int quote_closed_here_ = 0;  ///< the line where it was opened
    char closed_quote_ = '\0';
    char last_ = '\0';  ///< of the line, white space apart
    int line_ = 0;
};

}  // namespace

std::optional<YamlFault> find_unclosed(std::string_view text, int line) {
    Openings openings;
    for (int i = 0; i < line && !text.empty(); ++i) {
        const auto end = std::min(text.find('\n'), text.size());
        openings.take(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return openings.unclosed();
}

}  // namespace evalfleet::config
