#include "common/runfile/run_file.hpp"

#include "common/config/yaml.hpp"
#include "common/files/file.hpp"
#include "common/job/partial_run_spec.hpp"
#include "common/json/document.hpp"
#include "common/runfile/partial_run_file.hpp"
#include "common/runfile/run_bounds.hpp"
#include "common/runfile/run_check.hpp"
#include "common/runfile/yaml_place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace evalfleet::runfile {

namespace {

using config::YamlNode;
using Path = std::filesystem::path;

/// 2024-08-06, with or without a time behind it.
bool looks_like_date(const YamlNode& node) {
    constexpr std::string_view kForm = "dddd-dd-dd";
    if (!node.is_scalar() || node.is_quoted() || node.text().size() < kForm.size()) return false;
    const std::string& text = node.text();
    for (std::size_t i = 0; i < kForm.size(); ++i) {
        const bool is_digit = text[i] >= '0' && text[i] <= '9';
        if (kForm[i] == 'd' ? !is_digit : text[i] != kForm[i]) return false;
    }
    return text.find_first_not_of("0123456789-:.TtZz+ ") == std::string::npos;
}

/// `; quote it: version: "1"`, if text was wanted where something else stands without quotes.
std::string quote_hint(const YamlNode& node, std::string_view message) {
    if (!message.starts_with("expected a string, found ")) return "";
    if (!node.is_scalar() || node.is_quoted()) return "";
    const std::string& path = node.path();
    const std::string key = path.substr(path.find_last_of('.') + 1);
    return fmt::format("; quote it: {}: \"{}\"", key.substr(0, key.find('[')), node.text());
}

/// Faults of one file from its first line to its last; what is about the whole file stays in front.
FaultList by_place(const FaultList& faults) {
    std::vector<Fault> sorted = faults.kept();
    std::ranges::stable_sort(
        sorted, {}, [](const Fault& fault) { return std::pair(fault.line, fault.column); });
    FaultList out;
    for (Fault& fault : sorted)
        out.add(std::move(fault));
    while (out.total() < faults.total())
        out.add(Fault{});  // only counted: the list is full
    return out;
}

/// Reads one run file and gathers its faults.
class Reader {
  public:
    Reader(Path path, ProvidersFrom providers, std::optional<providers::Providers> operators)
        : terms_{providers, std::move(operators), true} {
        file_.path = std::move(path);
        is_json_ = file_.path.extension() == ".json";
    }
    explicit Reader(const RunText& text)
        : terms_{ProvidersFrom::operator_file, text.providers, false},
          given_(text.text),
          is_json_(text.is_json) {
        file_.path = text.name;
    }

    boost::system::result<RunFile, FaultList> read() {
        FaultList faults;
        RunFile file = read_partly(faults);
        if (!faults.empty()) return faults;
        return file;
    }

    /// What could be read; what was wrong is added to `faults`.
    RunFile read_partly(FaultList& faults) {
        if (parse()) {
            read_spec();
            // Of a file that is full of faults nobody would see more.
            if (faults_.total() < FaultList::kDefaultKept)
                check_run(file_, *root_, terms_, faults_);
        }
        if (root_ && !is_json_) refuse_dates(*root_);
        faults.add(by_place(faults_));
        return std::move(file_);
    }

  private:
    [[nodiscard]] std::string name() const { return file_.path.string(); }

    void add_error(std::string_view message) {
        faults_.add(read_fault(name(), message, root_ ? &*root_ : nullptr));
    }

    [[nodiscard]] Result<std::string> blocking_read() const {
        if (given_) return std::string(*given_);
        return files::blocking_read_file(file_.path, kMaxRunFileBytes);
    }

    bool parse() {
        const auto text = blocking_read();
        if (!text) return add_error(text.error().message), false;
        // A text that is not even JSON must not reach the YAML reader, whose bounds are its own.
        if (is_json_) return parse_json(*text);
        auto root = config::read_yaml(*text, name(), {.max_expanded_bytes = kMaxRunFileBytes});
        if (!root) return add_error(root.error().message), false;
        root_ = std::move(*root);
        json_ = root_->to_json();
        return true;
    }

    /// JSON is nearly, but not quite, YAML: its own reader has the last word, the YAML tree only
    /// knows the lines.
    bool parse_json(const std::string& text) {
        const auto document = json::Document::parse(text);
        if (!document) return add_json_error(document.error().message), false;
        auto lines = config::read_yaml(text, name());
        if (!lines) lines = config::read_yaml("{}", name());
        root_ = std::move(*lines);
        json_ = text;
        return true;
    }

    /// "line 3, column 14: ..."
    void add_json_error(std::string_view message) {
        Fault fault{name(), 0, 0, "", std::string(message)};
        constexpr std::string_view kLine = "line ", kColumn = ", column ";
        if (message.starts_with(kLine)) {
            message.remove_prefix(kLine.size());
            fault.line = take_number(message);
            if (message.starts_with(kColumn)) message.remove_prefix(kColumn.size());
            fault.column = take_number(message);
            fault.message = message.starts_with(": ") ? message.substr(2) : message;
        }
        faults_.add(std::move(fault));
    }

    void read_spec() {
        const Status read = job::read_partly(json_, file_.spec);
        if (read) return;
        const Error error = read.error();
        for (const std::string_view line : lines_of(error.message)) {
            // Those that nobody sees need no place, which takes long to find.
            if (faults_.total() < FaultList::kDefaultKept)
                add_spec_error(line);
            else
                faults_.add(Fault{});
        }
    }

    void add_spec_error(std::string_view error) {
        PlacedMessage placed = place_message(*root_, error);
        constexpr std::string_view kUnknown = "unknown key \"";
        if (placed.message.starts_with(kUnknown)) {
            const auto end = placed.message.find("\";");
            const std::string key = placed.message.substr(kUnknown.size(), end - kUnknown.size());
            if (const auto line = line_of_key(placed.node, key)) {
                faults_.add({name(), static_cast<std::size_t>(*line), 0, placed.node.path(),
                             std::move(placed.message)});
                return;
            }
        }
        placed.message += quote_hint(placed.node, placed.message);
        faults_.add(fault_at(name(), placed.node, std::move(placed.message)));
    }

    /// Nothing in a run file is a date. Without quotes some programs read one where others read
    /// text, so it is refused as a number is. Recursion is bounded by the depth limit of reading.
    void refuse_dates(const YamlNode& node) {
        if (looks_like_date(node)) {
            std::string message = "expected a string, found the date " + node.text();
            message += quote_hint(node, message);
            faults_.add(fault_at(name(), node, std::move(message)));
        }
        for (const YamlNode& item : node.items())
            refuse_dates(item);
        for (const config::YamlMember& member : node.members())
            refuse_dates(member.value);
    }

    CheckTerms terms_;
    std::optional<std::string_view> given_;  // instead of the file's content
    bool is_json_ = false;
    RunFile file_;
    FaultList faults_;
    std::optional<YamlNode> root_;
    std::string json_;
};

}  // namespace

boost::system::result<RunFile, FaultList> blocking_read_run_file(
    const Path& path, ProvidersFrom providers, std::optional<providers::Providers> operators) {
    return Reader(path, providers, std::move(operators)).read();
}

RunFile blocking_read_partly(const Path& path, ProvidersFrom providers,
                             std::optional<providers::Providers> operators, FaultList& faults) {
    return Reader(path, providers, std::move(operators)).read_partly(faults);
}

boost::system::result<RunFile, FaultList> read_run_text(const RunText& text) {
    return Reader(text).read();
}

void throw_exception_from_error(const FaultList& faults, const boost::source_location&) {
    throw BadResultAccess(Error{ErrorKind::invalid, faults.text()});
}

}  // namespace evalfleet::runfile
