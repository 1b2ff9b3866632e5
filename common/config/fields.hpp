#pragma once

#include "common/config/option.hpp"
#include "common/config/validator.hpp"
#include "common/config/yaml.hpp"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evalfleet::config {

/// Reads the members of a YAML map into the fields of a struct. What is wrong is added to a
/// Validator (`run.yaml:12: limits.timeout_ms: found '-5', allowed: 1 to 86400000`) and reading
/// goes on, so that one pass finds everything. Types are those of command line options; a value in
/// quotes is no number and no bool. A member that is absent or null leaves its field alone.
///
///     config::Fields limits = fields.map("limits");
///     limits.read("timeout_ms", config.timeout, between(1ms, 24h));
///     limits.finish();
class Fields {
  public:
    Fields(YamlNode node, Validator& validator);

    /// Reads `key` if it is there.
    template <class T>
    void read(std::string_view key, T& field, std::optional<Range> range = {}) {
        const auto node = take(key);
        if (node && !node->is_null()) convert_into(*node, field, range);
    }
    /// Reads `key`, which must be there.
    template <class T>
    void require(std::string_view key, T& field, std::optional<Range> range = {}) {
        const auto node = take_required(key);
        if (node) convert_into(*node, field, range);
    }
    /// Reads a word out of a few, if it is there.
    template <class E>
    void choice(std::string_view key, E& field,
                const std::vector<std::pair<std::string, E>>& words) {
        const auto node = take(key);
        if (!node || node->is_null()) return;
        std::vector<std::string> names;
        for (const auto& [word, value] : words) {
            if (node->is_scalar() && node->text() == word) {
                field = value;
                return;
            }
            names.push_back(word);
        }
        refuse_word(*node, names);
    }

    /// A reader of the map under `key`; of an empty one if it is absent or null.
    [[nodiscard]] Fields map(std::string_view key);
    /// The items of the list under `key`; none if it is absent or null.
    [[nodiscard]] std::vector<YamlNode> list(std::string_view key);
    /// The node under `key`, counted as known; nullopt if it is absent.
    [[nodiscard]] std::optional<YamlNode> take(std::string_view key);
    [[nodiscard]] std::optional<YamlNode> take_required(std::string_view key);

    /// Whether `key` is given; it counts as known from now on.
    [[nodiscard]] bool has(std::string_view key);
    [[nodiscard]] const std::optional<YamlNode>& node() const noexcept { return node_; }

    /// Adds "<path>: <message>", placed at the member `key`, or at the map if it is absent.
    void fail(std::string_view key, std::string_view message);

    /// Reports every key that nobody asked for, with the known one it resembles. Call it last.
    void finish();

  private:
    explicit Fields(Validator& validator) : validator_(&validator) {}

    template <class T>
    void convert_into(const YamlNode& node, T& field, std::optional<Range> range) {
        constexpr bool numeric = std::is_arithmetic_v<detail::Scalar<T>>;
        const auto texts = texts_of(node, detail::is_vector<T>, numeric);
        if (!texts) return;
        Option option("", "", "", {});
        if (range) option.range(*range);
        if (auto status = detail::assign_to(field, option, *texts); !status) {
            validator_->add(node.error(status.error().message).message);
        }
    }

    [[nodiscard]] std::optional<std::vector<std::string>> texts_of(const YamlNode& node, bool list,
                                                                   bool numeric);
    void refuse_word(const YamlNode& node, const std::vector<std::string>& words);

    std::optional<YamlNode> node_;
    Validator* validator_;
    std::set<std::string, std::less<>> known_;
};

}  // namespace evalfleet::config
