#pragma once

#include "common/result/result.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::config {

/// What a YAML text may cost before it is refused. Aliases count with all they stand for, so that a
/// few lines cannot blow up into millions of nodes.
struct YamlLimits {
    std::size_t max_bytes = 4 * 1024 * 1024;
    std::size_t max_depth = 64;
    std::size_t max_nodes = 200'000;
    std::uint64_t max_expanded_bytes = 16 * 1024 * 1024;  ///< of keys and values
};

enum class YamlKind { null, scalar, sequence, map };

struct YamlMember;

/// A node of a YAML text that knows where it stands. A cheap handle; it keeps the whole text's tree
/// alive.
class YamlNode {
  public:
    struct Data;

    YamlNode(std::shared_ptr<const Data> data, std::shared_ptr<const std::string> file,
             std::string path)
        : data_(std::move(data)), file_(std::move(file)), path_(std::move(path)) {}

    [[nodiscard]] YamlKind kind() const noexcept;
    [[nodiscard]] bool is_null() const noexcept { return kind() == YamlKind::null; }
    [[nodiscard]] bool is_map() const noexcept { return kind() == YamlKind::map; }
    [[nodiscard]] bool is_sequence() const noexcept { return kind() == YamlKind::sequence; }
    [[nodiscard]] bool is_scalar() const noexcept { return kind() == YamlKind::scalar; }

    /// A scalar's text as written, without quotes.
    [[nodiscard]] const std::string& text() const noexcept;
    /// True for a scalar that can only be a string: in quotes, a block, or tagged !!str.
    [[nodiscard]] bool is_quoted() const noexcept;
    [[nodiscard]] int line() const noexcept;    ///< from 1
    [[nodiscard]] int column() const noexcept;  ///< from 1
    [[nodiscard]] const std::string& file() const noexcept { return *file_; }
    /// From the root: `models[1].name`; empty for the root.
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

    [[nodiscard]] std::vector<YamlNode> items() const;      ///< of a sequence, else none
    [[nodiscard]] std::vector<YamlMember> members() const;  ///< of a map, in order, else none
    [[nodiscard]] std::optional<YamlNode> find(std::string_view key) const;

    /// "file:line: path: message", kind `invalid`.
    [[nodiscard]] Error error(std::string_view message) const;
    /// What is here, for a message: `'abc'`, `a map`, `a list of 3`, `nothing`.
    [[nodiscard]] std::string describe() const;

    /// The same as compact JSON. Plain scalars become null, booleans and numbers by the rules of
    /// YAML 1.2's core schema, so `yes` is a string.
    [[nodiscard]] std::string to_json() const;

  private:
    std::shared_ptr<const Data> data_;
    std::shared_ptr<const std::string> file_;
    std::string path_;
};

struct YamlMember {
    std::string key;
    int line;  ///< of the key
    YamlNode value;
};

/// Reads one YAML document; JSON is one, too. `name` stands for the file in messages. Refused:
/// several documents, keys that are not plain text, a key twice in one map, and what exceeds the
/// limits (`too_large`).
[[nodiscard]] Result<YamlNode> read_yaml(std::string_view text, std::string name,
                                         const YamlLimits& limits = {});

/// The same from a file; `not_found` or `internal` if it cannot be read.
[[nodiscard]] Result<YamlNode> read_yaml_file(const std::filesystem::path& path,
                                              const YamlLimits& limits = {});

}  // namespace evalfleet::config
