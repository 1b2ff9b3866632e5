#include "cli/terminal/table.hpp"

#include "cli/terminal/text.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace evalfleet::terminal {

namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kLeastWidth = 12;  // of a wrapped cell that can still be read
constexpr std::size_t kIndent = 4;       // of what stands below a row

std::string padded(std::string_view text, std::size_t width, Align align) {
    const std::size_t columns = count_columns(text);
    const std::string space(width > columns ? width - columns : 0, ' ');
    return align == Align::left ? std::string(text) + space : space + std::string(text);
}

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return text;
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add(const std::vector<std::string>& cells) {
    if (cells.size() != columns_.size()) throw std::logic_error("a row needs a cell a column");
    std::vector<std::string>& row = rows_.emplace_back();
    for (const std::string& cell : cells)
        row.push_back(printable(cell));
}

Table::Layout Table::lay_out(std::optional<std::size_t> width) const {
    Layout layout{std::vector<bool>(columns_.size(), true), {}};
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        std::size_t widest = count_columns(columns_[i].title);
        for (const auto& row : rows_)
            widest = std::max(widest, count_columns(row[i]));
        layout.widths.push_back(widest);
    }
    if (!width) return layout;
    const auto total = [&] {
        std::size_t sum = 0;
        for (std::size_t i = 0; i < columns_.size(); ++i)
            sum += layout.is_shown[i] ? layout.widths[i] + (sum > 0 ? kGap : 0) : 0;
        return sum;
    };
    while (total() > *width) {
        const auto next = find_to_move(layout);
        if (!next) break;
        layout.is_shown[*next] = false;
    }
    while (total() > *width) {
        const auto longest = find_to_wrap(layout);
        if (!longest) break;
        --layout.widths[*longest];
    }
    return layout;
}

std::optional<std::size_t> Table::find_to_move(const Layout& layout) const {
    std::optional<std::size_t> least;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const bool may_go = layout.is_shown[i] && columns_[i].rank > 0;
        if (may_go && (!least || columns_[i].rank > columns_[*least].rank)) least = i;
    }
    return least;
}

std::optional<std::size_t> Table::find_to_wrap(const Layout& layout) const {
    std::optional<std::size_t> longest;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const bool may_shrink =
            layout.is_shown[i] && columns_[i].may_shrink && layout.widths[i] > kLeastWidth;
        if (may_shrink && (!longest || layout.widths[i] > layout.widths[*longest])) longest = i;
    }
    return longest;
}

std::string Table::lines(const std::vector<std::string>& cells, const Layout& layout) const {
    std::vector<std::vector<std::string>> wrapped;
    std::size_t height = 1;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        wrapped.push_back(columns_[i].may_shrink ? wrap(cells[i], layout.widths[i])
                                                 : std::vector{cells[i]});
        if (layout.is_shown[i]) height = std::max(height, wrapped.back().size());
    }
    std::string text;
    for (std::size_t row = 0; row < height; ++row) {
        std::string line;
        bool is_first = true;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (!layout.is_shown[i]) continue;
            if (!is_first) line.append(kGap, ' ');
            is_first = false;
            const std::string cell = row < wrapped[i].size() ? wrapped[i][row] : "";
            line += padded(cell, layout.widths[i], columns_[i].align);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    }
    return text;
}

std::string Table::below(const std::vector<std::string>& cells, const Layout& layout,
                         std::size_t width) const {
    const std::string indent(kIndent, ' ');
    const std::size_t room = width > 2 * kIndent ? width - kIndent : kIndent;
    std::string text;
    std::string line;
    const auto end_line = [&] {
        if (!line.empty()) text += indent + line + '\n';
        line.clear();
    };
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (layout.is_shown[i] || cells[i].empty() || cells[i] == "-") continue;
        const std::string said = lower(columns_[i].title) + ' ' + cells[i];
        if (!line.empty() && count_columns(line) + kGap + count_columns(said) > room) end_line();
        if (!line.empty()) line.append(kGap, ' ');
        if (count_columns(said) <= room) {
            line += said;
            continue;
        }
        for (const std::string& part : wrap(said, room))
            text += indent + part + '\n';
    }
    end_line();
    return text;
}

std::string Table::text(std::optional<std::size_t> width) const {
    const Layout layout = lay_out(width);
    std::vector<std::string> titles;
    for (const Column& column : columns_)
        titles.push_back(column.title);
    std::string text = lines(titles, layout);
    for (const auto& row : rows_) {
        text += lines(row, layout);
        if (width) text += below(row, layout, *width);
    }
    return text;
}

std::string aligned_pairs(const std::vector<std::pair<std::string, std::string>>& pairs,
                          std::optional<std::size_t> width) {
    std::size_t widest = 0;
    for (const auto& [key, value] : pairs)
        widest = std::max(widest, count_columns(key));
    const std::size_t begin = widest + kGap;
    const bool has_room = width && *width > begin + kLeastWidth;
    std::string text;
    for (const auto& [key, value] : pairs) {
        const std::string shown = printable(value);
        const auto parts = has_room ? wrap(shown, *width - begin) : std::vector{shown};
        text += padded(key, begin, Align::left) + parts.front() + '\n';
        for (std::size_t i = 1; i < parts.size(); ++i)
            text += std::string(begin, ' ') + parts[i] + '\n';
    }
    return text;
}

}  // namespace evalfleet::terminal
