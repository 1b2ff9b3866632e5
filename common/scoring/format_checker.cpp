#include "common/scoring/format_checker.hpp"

#include "common/scoring/json_scanner.hpp"
#include "common/scoring/json_schema.hpp"

#include <re2/re2.h>

#include <utility>

namespace evalfleet::scoring {

namespace {

constexpr std::int64_t kMaxRegexMemory = 1 << 20;
constexpr const char* kNotJson = "the answer is not JSON";

}  // namespace

class FormatChecker::Check {
  public:
    virtual ~Check() = default;
    [[nodiscard]] virtual std::optional<std::string> violation(std::string_view answer) const = 0;
};

class FormatChecker::JsonCheck final : public Check {
  public:
    [[nodiscard]] std::optional<std::string> violation(std::string_view answer) const override {
        if (is_json(answer)) return std::nullopt;
        return kNotJson;
    }
};

class FormatChecker::SchemaCheck final : public Check {
  public:
    explicit SchemaCheck(JsonSchema schema) : schema_(std::move(schema)) {}

    [[nodiscard]] std::optional<std::string> violation(std::string_view answer) const override {
        const auto tree = parse_json_tree(answer);
        if (!tree) return kNotJson;
        return schema_.violation(*tree);
    }

  private:
    JsonSchema schema_;
};

class FormatChecker::RegexCheck final : public Check {
  public:
    explicit RegexCheck(const std::string& pattern) : regex_(pattern, options()) {}

    [[nodiscard]] const re2::RE2& regex() const noexcept { return regex_; }

    [[nodiscard]] std::optional<std::string> violation(std::string_view answer) const override {
        if (re2::RE2::FullMatch({answer.data(), answer.size()}, regex_)) return std::nullopt;
        return "the answer does not match the expression";
    }

  private:
    static re2::RE2::Options options() {
        re2::RE2::Options options;
        options.set_log_errors(false);
        options.set_max_mem(kMaxRegexMemory);
        return options;
    }

    re2::RE2 regex_;
};

Result<FormatChecker> FormatChecker::compile(const job::ExpectedFormat& format) {
    switch (format.kind) {
        case job::ExpectedFormat::Kind::json:
            return FormatChecker(std::make_shared<const JsonCheck>());
        case job::ExpectedFormat::Kind::json_schema: {
            auto schema = JsonSchema::compile(format.text);
            if (!schema) return schema.error().within("expected_format.json_schema");
            return FormatChecker(std::make_shared<const SchemaCheck>(*std::move(schema)));
        }
        case job::ExpectedFormat::Kind::regex: {
            auto check = std::make_shared<const RegexCheck>(format.text);
            if (!check->regex().ok()) {
                return Error{ErrorKind::invalid, check->regex().error()}.within(
                    "expected_format.regex");
            }
            return FormatChecker(std::move(check));
        }
    }
    return Error{ErrorKind::internal, "unknown kind of expected_format"};
}

std::optional<std::string> FormatChecker::violation(std::string_view answer) const {
    return check_->violation(answer);
}

}  // namespace evalfleet::scoring
