#pragma once

#include "common/redaction/kind.hpp"
#include "common/redaction/secrets.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::redaction {

struct Options {
    bool pii = true;  ///< also e-mail addresses, phone numbers, payment cards, national ids
};

struct Redacted {
    std::string text;
    Counts counts{};          ///< pieces replaced, by kind
    std::uint64_t steps = 0;  ///< work done, in bytes looked at: grows with the text, not faster

    [[nodiscard]] std::uint64_t count(Kind kind) const noexcept {
        return counts[static_cast<std::size_t>(kind)];
    }
};

/// Keys and personal data turn up in answers, error messages and logs, and must not be stored.
/// Redactor replaces known secret values, secret-shaped strings and, unless told otherwise,
/// personally identifying information by `[REDACTED:kind]`.
///
/// Linear in the size of the text, whatever the text; any bytes are accepted, and valid UTF-8 stays
/// valid. Redacting twice changes nothing more. Cheap to copy, and safe to use from any thread.
///
/// Redact text before it is put into JSON. Text that is JSON already may be passed as well (known
/// secrets are found in their escaped form, and no replacement crosses a quote), but a bare number
/// that looks like a card or an id is then replaced too, which leaves the text no longer JSON.
class Redactor {
  public:
    /// Knows these secrets and never learns others.
    explicit Redactor(const std::vector<std::string>& secrets = {}, Options options = {});

    /// Knows what `secrets`, never null, holds at the moment of redacting.
    [[nodiscard]] static Redactor sharing(std::shared_ptr<const Secrets> secrets,
                                          Options options = {});

    [[nodiscard]] Redacted redact(std::string_view text) const;

  private:
    std::shared_ptr<const Secrets> secrets_;
    Options options_;
};

}  // namespace evalfleet::redaction
