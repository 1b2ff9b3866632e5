#include "coordinator/report/escape.hpp"
#include "coordinator/report/outline.hpp"

#include <algorithm>
#include <string_view>

namespace evalfleet::report {

namespace {

constexpr std::size_t kBarColumns = 24;
constexpr std::size_t kMaxCellColumns = 48;
constexpr std::size_t kMaxExamples = 5;
constexpr std::size_t kMaxAnswerColumns = 76;

enum class Look { plain, bold, good, bad, dim };

/// Writes to a terminal, or to a file that shall look the same without colours.
class Printer {
  public:
    explicit Printer(TextStyle style) : style_(style) {}

    Printer& text(std::string_view text, Look look = Look::plain) {
        const std::string_view code = style_.color ? sequence(look) : "";
        out_ += code;
        out_ += text;
        if (!code.empty()) out_ += "\x1b[0m";
        return *this;
    }
    Printer& line(std::string_view text = "", Look look = Look::plain) {
        this->text(text, look);
        out_ += '\n';
        return *this;
    }
    std::string take() { return std::move(out_); }

  private:
    static std::string_view sequence(Look look) {
        switch (look) {
            case Look::bold:
                return "\x1b[1m";
            case Look::good:
                return "\x1b[1;32m";
            case Look::bad:
                return "\x1b[1;31m";
            case Look::dim:
                return "\x1b[2m";
            case Look::plain:
                break;
        }
        return "";
    }

    TextStyle style_;
    std::string out_;
};

std::string cell(std::string_view text) {
    return shorten(escape_terminal(text), kMaxCellColumns);
}

std::string padded(const std::string& text, std::size_t columns, Align align) {
    const std::string space(columns - std::min(columns, count_columns(text)), ' ');
    return align == Align::left ? text + space : space + text;
}

std::string bar(double share) {
    const auto full = static_cast<std::size_t>(share * static_cast<double>(kBarColumns) + 0.5);
    std::string out;
    for (std::size_t i = 0; i < std::min(full, kBarColumns); ++i)
        out += "█";
    return out;
}

std::vector<std::size_t> widths_of(const Table& table) {
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        std::size_t width = count_columns(table.columns[i].title);
        for (const auto& row : table.rows)
            width = std::max(width, count_columns(cell(row[i])));
        widths.push_back(width);
    }
    return widths;
}

std::string trimmed(std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
}

void print(Printer& printer, const Table& table) {
    if (table.rows.empty()) return;
    printer.line().line(table.title, Look::bold);
    const std::vector<std::size_t> widths = widths_of(table);
    std::string head;
    bool has_titles = false;
    for (std::size_t i = 0; i < widths.size(); ++i) {
        has_titles = has_titles || !table.columns[i].title.empty();
        head += "  " + padded(table.columns[i].title, widths[i], table.columns[i].align);
    }
    if (has_titles) printer.line(trimmed(head), Look::dim);
    for (std::size_t at = 0; at < table.rows.size(); ++at) {
        std::string line;
        for (std::size_t i = 0; i < widths.size(); ++i)
            line += "  " + padded(cell(table.rows[at][i]), widths[i], table.columns[i].align);
        if (!table.shares.empty()) line += "  " + bar(table.shares[at]);
        printer.line(trimmed(line), table.is_faint(at) ? Look::dim : Look::plain);
    }
    if (!table.note.empty()) printer.line("  " + table.note, Look::dim);
}

// A gate that failed for want of trials says nothing about the model.
void print_mark(Printer& printer, bool passed, bool is_measured) {
    if (passed)
        printer.text("  ✓ ", Look::good);
    else
        printer.text(is_measured ? "  ✗ " : "  ? ", is_measured ? Look::bad : Look::dim);
}

void print_gates(Printer& printer, const std::vector<GateView>& gates, bool is_measured) {
    const Table table = gates_table(gates);
    const std::vector<std::size_t> widths = widths_of(table);
    for (std::size_t at = 0; at < gates.size(); ++at) {
        print_mark(printer, gates[at].gate->passed, is_measured);
        std::string line;
        for (std::size_t i = 0; i < widths.size(); ++i)
            line += padded(table.rows[at][i], widths[i], table.columns[i].align) + "  ";
        if (gates[at].gate->threshold != gates[at].gate->default_threshold) {
            line += "(default " + show(gates[at].gate->default_threshold, gates[at].unit) + ")";
        }
        printer.line(trimmed(line));
        if (!gates[at].no_interval.empty())
            printer.line("      no interval: " + gates[at].no_interval, Look::dim);
        const std::string open = gates[at].why_open();
        if (!open.empty()) printer.line("      open: " + open, Look::dim);
        const std::string always = gates[at].after_early_stop();
        if (!always.empty()) printer.line("      ended early: " + always, Look::dim);
    }
}

void print_examples(Printer& printer, const Findings& findings) {
    const auto examples = findings.examples();
    if (examples.empty()) return;
    printer.line().line("Examples of failed trials", Look::bold);
    for (std::size_t i = 0; i < std::min(examples.size(), kMaxExamples); ++i) {
        const job::TrialRecord& record = *examples[i];
        const auto label = job::to_string(record.failure_label.value());
        printer.text("  " + cell(record.sample_id.value_or("")) + " #" +
                     std::to_string(record.repeat));
        printer.line("  " + std::string(label), Look::dim);
        const std::string said = record.answer.value_or(record.error_message.value_or("no answer"));
        printer.line("    " + shorten(escape_terminal(said), kMaxAnswerColumns));
    }
}

}  // namespace

std::string to_text(const Report& report, TextStyle style) {
    const Outline outline = make_outline(report);
    Printer printer(style);
    printer.text(outline.headline, outline.is_ready ? Look::good : Look::bad);
    printer.line("  " + escape_terminal(outline.title), Look::bold);
    printer.line(escape_terminal(outline.sentence));
    for (const std::string& warning : outline.warnings)
        printer.line("! " + escape_terminal(warning), Look::bold);
    printer.line();
    print_gates(printer, outline.gates, outline.is_measured);
    printer.line();
    std::size_t width = 0;
    for (const auto& [name, value] : outline.facts)
        width = std::max(width, count_columns(name));
    for (const auto& [name, value] : outline.facts) {
        printer.text("  " + padded(name, width, Align::left), Look::dim);
        printer.line("  " + escape_terminal(value));
    }
    for (const Table& table : outline.tables)
        print(printer, table);
    print_examples(printer, report.findings);
    if (!outline.notes.empty()) printer.line().line("Notes", Look::bold);
    for (const std::string& note : outline.notes)
        printer.line("  • " + escape_terminal(note));
    return printer.take();
}

}  // namespace evalfleet::report
