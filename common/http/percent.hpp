#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evalfleet::http {

/// What "+" means: a plus in paths, a space in queries.
enum class PlusSign { literal, space };

/// Undoes percent-encoding. Empty on a `%` without two hexadecimal digits.
[[nodiscard]] std::optional<std::string> percent_decode(std::string_view text,
                                                        PlusSign plus = PlusSign::literal);

/// Encodes everything but letters, digits and `-._~`.
[[nodiscard]] std::string percent_encode(std::string_view text);

/// The fields of a query (`a=1&b=x%20y`) in their order.
class Query {
  public:
    /// Empty when something in it is wrongly encoded.
    [[nodiscard]] static std::optional<Query> parse(std::string_view text);

    [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;
    [[nodiscard]] auto begin() const { return fields_.begin(); }
    [[nodiscard]] auto end() const { return fields_.end(); }
    [[nodiscard]] bool empty() const { return fields_.empty(); }

  private:
    std::vector<std::pair<std::string, std::string>> fields_;
};

}  // namespace evalfleet::http
