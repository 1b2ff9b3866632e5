#pragma once

#include "common/result/result.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::config {

/// Collects everything that is wrong with some input, so that a user can mend it all at once.
///
///     Status WorkerConfig::validate() const {
///         config::Validator validator;
///         validator.check(concurrency > 0, "concurrency", concurrency, "1 or more");
///         return validator.status();
///     }
class Validator {
  public:
    /// Unless `ok`, adds "<field>: found <value>, allowed: <allowed>".
    template <class T>
    void check(bool ok, std::string_view field, const T& value, std::string_view allowed) {
        if (!ok) add(fmt::format("{}: found {}, allowed: {}", field, value, allowed));
    }

    void add(std::string error) { errors_.push_back(std::move(error)); }
    void add(const Status& status) {
        if (!status) add(status.error().message);
    }

    [[nodiscard]] bool ok() const noexcept { return errors_.empty(); }
    [[nodiscard]] const std::vector<std::string>& errors() const noexcept { return errors_; }
    /// Success, or one `invalid` error with all messages, one a line.
    [[nodiscard]] Status status() const;

  private:
    std::vector<std::string> errors_;
};

}  // namespace evalfleet::config
