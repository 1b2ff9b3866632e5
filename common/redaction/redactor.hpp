#pragma once

#include "common/redaction/kind.hpp"
#include "common/redaction/secrets.hpp"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::redaction {

struct Options {
    bool pii = true;           ///< also what identifies a person: the kinds from `email` on
    bool ip_addresses = true;  ///< of those, IP addresses as well
};

struct Redacted {
    std::string text;
    Counts counts{};          ///< pieces replaced, by kind
    std::uint64_t steps = 0;  ///< work done, in bytes looked at: grows with the text, not faster

    [[nodiscard]] std::uint64_t count(Kind kind) const noexcept {
        return counts[static_cast<std::size_t>(kind)];
    }
};

/// Counts by the names of kinds, as records have them.
using NamedCounts = std::map<std::string, std::int64_t, std::less<>>;
void add(NamedCounts& total, const Counts& counts);

/// Keys and personal data turn up in answers, error messages and logs, and must not be stored.
/// Redactor replaces known secret values, secret-shaped strings and, unless told otherwise,
/// personally identifying information by `[REDACTED:kind]`.
///
/// What is looked for is found as it stands and as logs write it: with JSON escapes, percent
/// encoded, as HTML, in base64 or hex, and in up to three of these one inside the other.
///
/// Linear in the size of the text, whatever the text; any bytes are accepted, and valid UTF-8 stays
/// valid. Redacting twice changes nothing more. Cheap to copy, and safe to use from any thread.
///
/// Redact text before it is put into JSON. Text that is JSON already may be passed as well, but a
/// bare number that looks like a card or an id is then replaced too, which leaves the text no
/// longer JSON.
class Redactor {
  public:
    /// Knows these secrets and never learns others.
    explicit Redactor(const std::vector<std::string>& secrets = {}, Options options = {});

    /// Knows what `secrets`, never null, holds at the moment of redacting.
    [[nodiscard]] static Redactor sharing(std::shared_ptr<const Secrets> secrets,
                                          Options options = {});

    /// The same, but IP addresses stay.
    [[nodiscard]] Redactor without_ip_addresses() const;

    [[nodiscard]] Redacted redact(std::string_view text) const;

    /// For what others look up or count by (ids, tags, model names): each piece becomes
    /// `[REDACTED:kind:digest]` with 16 hex digits of its SHA-256, so that equal names stay equal
    /// and different ones different, in every run. See docs/semantics.md for what that hides.
    [[nodiscard]] Redacted redact_name(std::string_view name) const;

  private:
    enum class Mark : bool { kind, kind_and_digest };
    [[nodiscard]] Redacted redact(std::string_view text, Mark mark) const;

    std::shared_ptr<const Secrets> secrets_;
    Options options_;
};

}  // namespace evalfleet::redaction
