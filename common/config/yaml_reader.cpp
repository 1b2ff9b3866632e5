#include "common/config/surrogates.hpp"
#include "common/config/yaml.hpp"
#include "common/config/yaml_data.hpp"
#include "common/config/yaml_fault.hpp"
#include "common/config/yaml_openings.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <unordered_set>

namespace evalfleet::config {
namespace {

constexpr const char* kPlainKey = "a key must be plain text";

bool looks_like_json(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

/// Thrown out of yaml-cpp's callbacks and caught in `read_yaml`.
struct Refusal {
    ErrorKind kind;
    int line;
    std::string reason;
};

/// Builds our tree from yaml-cpp's events. yaml-cpp's own nodes would be convenient, but they drop
/// duplicate keys silently and are built in full before anything can be counted.
class TreeBuilder final : public YAML::EventHandler {
  public:
    explicit TreeBuilder(const YamlLimits& limits) : limits_(limits) {}

    [[nodiscard]] std::shared_ptr<const YamlNode::Data> root() const { return root_; }
    /// Where the document begins.
    [[nodiscard]] int line() const noexcept { return line_; }

    /// Only the last value can have a quote that is not closed: it takes all the rest.
    void check_quotes(std::string_view text) const {
        if (last_quoted_.is_null()) return;
        if (auto fault = find_open_quote(text, last_quoted_.line + 1, last_quoted_.column + 1))
            refuse(fault->line, std::move(fault->message));
    }

    /// To be called at the end: only then it is known how much there is. Until then an alias costs
    /// next to nothing, since it shares the node that it stands for.
    void check_bytes() const {
        if (bytes_ <= limits_.max_expanded_bytes) return;
        refuse(overflow_line_,
               fmt::format("{}found {} bytes, aliases counted with all they stand for; allowed: at "
                           "most {}",
                           overflow_path_.empty() ? "" : overflow_path_ + ": ", bytes_,
                           limits_.max_expanded_bytes),
               ErrorKind::too_large);
    }

    void OnDocumentStart(const YAML::Mark& mark) override { line_ = mark.line + 1; }
    void OnDocumentEnd() override {}

    /// Where nothing stands behind a key, the reader's mark is that of what follows.
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        auto node = leaf(mark, YamlKind::null, "", false);
        const bool is_value = !open_.empty() && !open_.back().node->key_lines.empty() &&
                              open_.back().node->kind == YamlKind::map && !expects_key();
        if (is_value && node->line > open_.back().node->key_lines.back()) {
            node->line = open_.back().node->key_lines.back();
            node->column = 1;
        }
        add(node, anchor);
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto target = anchors_.find(anchor);
        if (target == anchors_.end()) {
            refuse(mark.line + 1, "an alias inside of what it stands for");
        }
        count_bytes(target->second->bytes, mark.line + 1);
        add(target->second, 0);
    }

    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        const bool quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
        const bool null = !quoted && (value.empty() || value == "~" || value == "null" ||
                                      value == "Null" || value == "NULL");
        count_bytes(value.size(), mark.line + 1);
        if (quoted) last_quoted_ = mark;
        add(leaf(mark, null ? YamlKind::null : YamlKind::scalar, value, quoted), anchor);
    }

    void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open(mark, YamlKind::sequence, anchor);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        open(mark, YamlKind::map, anchor);
    }
    void OnMapEnd() override { close(); }

  private:
    using Data = YamlNode::Data;

    struct Open {
        std::shared_ptr<Data> node;
        YAML::anchor_t anchor;
        std::unordered_set<std::string> seen{};  ///< keys of a map
        bool expects_key = true;
    };

    [[noreturn]] static void refuse(int line, std::string reason,
                                    ErrorKind kind = ErrorKind::invalid) {
        throw Refusal{kind, line, std::move(reason)};
    }

    static std::shared_ptr<Data> leaf(const YAML::Mark& mark, YamlKind kind, std::string text,
                                      bool quoted) {
        auto node = std::make_shared<Data>();
        node->kind = kind;
        node->bytes = text.size();
        node->text = std::move(text);
        node->quoted = quoted;
        node->line = mark.line + 1;
        node->column = mark.column + 1;
        return node;
    }

    void open(const YAML::Mark& mark, YamlKind kind, YAML::anchor_t anchor) {
        if (expects_key()) refuse(mark.line + 1, kPlainKey);
        check_depth(open_.size() + 1, mark.line + 1);
        open_.push_back({leaf(mark, kind, "", false), anchor});
    }

    void close() {
        Open done = std::move(open_.back());
        open_.pop_back();
        add(done.node, done.anchor);
    }

    [[nodiscard]] bool expects_key() const {
        return !open_.empty() && open_.back().node->kind == YamlKind::map &&
               open_.back().expects_key;
    }

    void check_depth(std::size_t depth, int line) const {
        if (depth > limits_.max_depth) {
            refuse(line, fmt::format("nested deeper than {} levels", limits_.max_depth),
                   ErrorKind::too_large);
        }
    }

    /// Also remembers where it became too much. At most `max_nodes` of at most `max_bytes` each:
    /// nothing overflows.
    void count_bytes(std::uint64_t bytes, int line) {
        const bool was_enough = bytes_ <= limits_.max_expanded_bytes;
        bytes_ += bytes;
        if (!was_enough || bytes_ <= limits_.max_expanded_bytes) return;
        overflow_line_ = line;
        for (const Open& each : open_) {
            if (each.node->kind == YamlKind::sequence)
                overflow_path_ += fmt::format("[{}]", each.node->children.size());
            else if (!each.node->keys.empty())
                overflow_path_ += (overflow_path_.empty() ? "" : ".") + each.node->keys.back();
        }
    }

    void add(const std::shared_ptr<const Data>& node, YAML::anchor_t anchor) {
        if (anchor != 0) anchors_[anchor] = node;
        if (open_.empty()) {
            root_ = node;
            return;
        }
        if (expects_key()) return add_key(*node);
        Open& parent = open_.back();
        check_depth(open_.size() + node->depth, node->line);
        parent.node->children.push_back(node);
        parent.node->nodes += node->nodes;
        parent.node->bytes += node->bytes;
        parent.node->depth = std::max(parent.node->depth, node->depth + 1);
        parent.expects_key = true;
        if (parent.node->nodes > limits_.max_nodes) {
            refuse(node->line,
                   fmt::format("more than {} nodes, aliases counted with all they "
                               "stand for",
                               limits_.max_nodes),
                   ErrorKind::too_large);
        }
    }

    void add_key(const Data& key) {
        Open& map = open_.back();
        if (key.kind != YamlKind::scalar) refuse(key.line, kPlainKey);
        if (!map.seen.insert(key.text).second) {
            refuse(key.line, fmt::format("the key '{}' stands twice", key.text));
        }
        map.node->bytes += key.bytes;
        map.node->keys.push_back(key.text);
        map.node->key_lines.push_back(key.line);
        map.expects_key = false;
    }

    const YamlLimits& limits_;
    std::shared_ptr<const Data> root_;
    std::vector<Open> open_;
    std::map<YAML::anchor_t, std::shared_ptr<const Data>> anchors_;
    std::uint64_t bytes_ = 0;
    YAML::Mark last_quoted_ = YAML::Mark::null_mark();
    int overflow_line_ = 0;
    int line_ = 0;
    std::string overflow_path_;
};

Result<std::shared_ptr<const YamlNode::Data>> build(std::string_view text, const std::string& name,
                                                    const YamlLimits& limits) {
    try {
        std::istringstream stream(looks_like_json(text) ? join_surrogates(text)
                                                        : std::string(text));
        YAML::Parser parser(stream);
        TreeBuilder builder(limits);
        if (!parser.HandleNextDocument(builder) || !builder.root()) {
            return Error{ErrorKind::invalid, fmt::format("{}: is empty", name)};
        }
        builder.check_quotes(text);
        builder.check_bytes();
        TreeBuilder second(limits);
        if (parser.HandleNextDocument(second)) {
            return Error{ErrorKind::invalid,
                         fmt::format("{}:{}: begins a second document, allowed: "
                                     "one in a file",
                                     name, second.line())};
        }
        return builder.root();
    } catch (const Refusal& refusal) {
        // A bracket that is not closed swallows what follows, until something fits no longer.
        const int last = static_cast<int>(std::ranges::count(text, '\n')) + 1;
        const auto unclosed = refusal.kind == ErrorKind::invalid && refusal.reason == kPlainKey
                                  ? find_unclosed(text, last)
                                  : std::nullopt;
        if (unclosed) {
            return Error{ErrorKind::invalid,
                         fmt::format("{}:{}: {}", name, unclosed->line, unclosed->message)};
        }
        return Error{refusal.kind, fmt::format("{}:{}: {}", name, refusal.line, refusal.reason)};
    } catch (const YAML::Exception& problem) {
        const YamlFault fault = explain_yaml(text, problem.mark.line + 1, problem.msg);
        return Error{ErrorKind::invalid, fmt::format("{}:{}: {}", name, fault.line, fault.message)};
    }
}

}  // namespace

Result<YamlNode> read_yaml(std::string_view text, std::string name, const YamlLimits& limits) {
    if (text.size() > limits.max_bytes) {
        return Error{ErrorKind::too_large, fmt::format("{}: {} bytes, allowed are {}", name,
                                                       text.size(), limits.max_bytes)};
    }
    if (const auto bad = find_bad_character(text))
        return Error{ErrorKind::invalid, fmt::format("{}:{}: {}", name, bad->line, bad->message)};
    auto root = build(text, name, limits);
    if (!root) return root.error();
    return YamlNode(*root, std::make_shared<const std::string>(std::move(name)), "");
}

Result<YamlNode> read_yaml_file(const std::filesystem::path& path, const YamlLimits& limits) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) {
        return Error{ErrorKind::not_found, fmt::format("{}: no such file", path.string())};
    }
    std::ifstream file(path, std::ios::binary);
    // One byte more than allowed is enough to know that there are too many.
    std::string text(limits.max_bytes + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (file.bad() || (!file.eof() && file.fail()) || std::filesystem::is_directory(path, error)) {
        return Error{ErrorKind::internal, fmt::format("{}: cannot be read", path.string())};
    }
    text.resize(static_cast<std::size_t>(file.gcount()));
    return read_yaml(text, path.string(), limits);
}

}  // namespace evalfleet::config
