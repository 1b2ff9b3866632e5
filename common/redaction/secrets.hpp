#pragma once

#include "common/redaction/secret_index.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace evalfleet::redaction {

/// The secret values that redactors look for. Keys are rotated while a program runs, and whoever
/// redacts must know a new one before it is first used: so all redactors share one of these, and
/// read it at the moment at which they redact. Safe to use from any thread.
class Secrets {
  public:
    /// Secrets shorter than this are ignored: replacing "abc" wherever it stands would destroy
    /// texts and, by the pattern of the replacements, tell the secret.
    static constexpr std::size_t kMinLength = 6;

    explicit Secrets(std::vector<std::string> values = {});

    /// From its return on no redactor lets `value` through. What was known stays known: an answer
    /// on its way may echo an old key. Throws length_error, and changes nothing, if there are far
    /// too many.
    void add(std::string value);

    /// Takes back one `add` of `value`, which somebody else may have added as well.
    void remove(const std::string& value);

    /// In all their forms, as they are now. Never null.
    [[nodiscard]] std::shared_ptr<const SecretIndex> index() const;

  private:
    mutable std::mutex mutex_;  // guards the members below
    std::vector<std::string> values_;
    std::shared_ptr<const SecretIndex> index_;
};

}  // namespace evalfleet::redaction
