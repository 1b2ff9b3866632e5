#pragma once

#include "common/job/sample.hpp"
#include "common/result/result.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::scoring {

/// Checks answers against a sample's `expected_format`. Compiled once, when the dataset is
/// validated, so that a format nobody can meet is found before the first call is paid for.
///
/// `json`: the whole answer is one JSON value. `json_schema`: and it follows the schema.
/// `regex`: the whole answer matches the RE2 expression, in time linear in the answer.
/// Immutable and safe to use from several threads; copies share what was compiled.
class FormatChecker {
  public:
    [[nodiscard]] static Result<FormatChecker> compile(const job::ExpectedFormat& format);

    /// What is wrong with an answer, or nothing if it has the format.
    [[nodiscard]] std::optional<std::string> violation(std::string_view answer) const;

    [[nodiscard]] bool accepts(std::string_view answer) const { return !violation(answer); }

  private:
    class Check;
    class JsonCheck;
    class SchemaCheck;
    class RegexCheck;

    explicit FormatChecker(std::shared_ptr<const Check> check) : check_(std::move(check)) {}

    std::shared_ptr<const Check> check_;
};

}  // namespace evalfleet::scoring
