#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace evalfleet::terminal {

enum class Align { left, right };

struct Column {
    std::string title;
    Align align = Align::left;
    /// Which columns go first when there is no room for all: those of the highest rank. 0: stays.
    int rank = 0;
    bool may_shrink = false;  ///< long cells may be cut; never what people copy, such as ids
};

/// Rows of aligned columns that fit the terminal: too long cells are cut where they may be, then
/// columns that matter least are left out. Pure.
class Table {
  public:
    explicit Table(std::vector<Column> columns);

    /// One cell a column; control characters are shown as "?".
    void add(const std::vector<std::string>& cells);

    /// `width`: of the terminal; none: everything is shown. Each row ends with a line feed.
    [[nodiscard]] std::string text(std::optional<std::size_t> width) const;

  private:
    struct Layout {
        std::vector<bool> is_shown;
        std::vector<std::size_t> widths;
    };
    [[nodiscard]] Layout lay_out(std::optional<std::size_t> width) const;
    [[nodiscard]] std::string line(const std::vector<std::string>& cells,
                                   const Layout& layout) const;

    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

/// A line for each pair, with the values below each other.
[[nodiscard]] std::string aligned_pairs(
    const std::vector<std::pair<std::string, std::string>>& pairs);

}  // namespace evalfleet::terminal
