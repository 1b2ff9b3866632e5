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
    /// Which columns go below their row first when there is no room for all: those of the highest
    /// rank. 0: stays.
    int rank = 0;
    bool may_shrink = false;  ///< long cells may be wrapped; never what people copy, such as ids
};

/// Rows of aligned columns that fit the terminal, without leaving anything out: columns that matter
/// least go below their row, each cell with its title, then long cells are wrapped. Pure.
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
    [[nodiscard]] std::optional<std::size_t> find_to_move(const Layout& layout) const;
    [[nodiscard]] std::optional<std::size_t> find_to_wrap(const Layout& layout) const;
    [[nodiscard]] std::string lines(const std::vector<std::string>& cells,
                                    const Layout& layout) const;
    [[nodiscard]] std::string below(const std::vector<std::string>& cells, const Layout& layout,
                                    std::size_t width) const;

    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

/// A line for each pair, with the values below each other; values that do not fit `width` are
/// wrapped.
[[nodiscard]] std::string aligned_pairs(
    const std::vector<std::pair<std::string, std::string>>& pairs,
    std::optional<std::size_t> width = std::nullopt);

}  // namespace evalfleet::terminal
