#include "cli/terminal/table.hpp"

#include "cli/terminal/text.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace evalfleet::terminal {

namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kLeastWidth = 10;  // a cut cell that is still of use

std::string padded(std::string_view text, std::size_t width, Align align) {
    const std::string cell = shorten(text, width);
    const std::string space(width - count_columns(cell), ' ');
    return align == Align::left ? cell + space : space + cell;
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
    const std::vector<std::size_t> natural = layout.widths;
    for (;;) {
        std::size_t total = 0;
        std::size_t spare = 0;
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (!layout.is_shown[i]) continue;
            total += natural[i] + (total > 0 ? kGap : 0);
            if (columns_[i].may_shrink && natural[i] > kLeastWidth)
                spare += natural[i] - kLeastWidth;
        }
        if (total <= *width) return layout;
        std::size_t excess = total - *width;
        std::size_t least = columns_.size();
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            const bool may_go = layout.is_shown[i] && columns_[i].rank > 0;
            if (may_go && (least == columns_.size() || columns_[i].rank > columns_[least].rank))
                least = i;
        }
        if (excess > spare && least < columns_.size()) {
            layout.is_shown[least] = false;
            continue;
        }
        // The longest give first.
        for (excess = std::min(excess, spare); excess > 0; --excess) {
            std::size_t longest = columns_.size();
            for (std::size_t i = 0; i < columns_.size(); ++i) {
                if (!layout.is_shown[i] || !columns_[i].may_shrink) continue;
                if (longest == columns_.size() || layout.widths[i] > layout.widths[longest])
                    longest = i;
            }
            --layout.widths[longest];
        }
        return layout;
    }
}

std::string Table::line(const std::vector<std::string>& cells, const Layout& layout) const {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (!layout.is_shown[i]) continue;
        if (!text.empty()) text.append(kGap, ' ');
        text += padded(cells[i], layout.widths[i], columns_[i].align);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + '\n';
}

std::string Table::text(std::optional<std::size_t> width) const {
    const Layout layout = lay_out(width);
    std::vector<std::string> titles;
    for (const Column& column : columns_)
        titles.push_back(column.title);
    std::string text = line(titles, layout);
    for (const auto& row : rows_)
        text += line(row, layout);
    return text;
}

std::string aligned_pairs(const std::vector<std::pair<std::string, std::string>>& pairs) {
    std::size_t widest = 0;
    for (const auto& [key, value] : pairs)
        widest = std::max(widest, count_columns(key));
    std::string text;
    for (const auto& [key, value] : pairs)
        text += padded(key, widest, Align::left) + std::string(kGap, ' ') + printable(value) + '\n';
    return text;
}

}  // namespace evalfleet::terminal
