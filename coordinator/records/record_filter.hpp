#pragma once

#include "common/job/vocabulary.hpp"
#include "common/json/field_reader.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evalfleet::records {

/// What is known of a record without reading it.
struct RecordKey {
    static constexpr std::uint8_t kNoLabel = 0xFF;

    std::uint64_t offset = 0;          ///< of its line in the file
    std::uint64_t task_type_hash = 0;  ///< see `hash_text`
    std::uint8_t label = kNoLabel;     ///< job::FailureLabel
    bool passed = false;               ///< by the Rubric's condition
};

/// Which records somebody wants to see; what is empty lets everything through.
struct RecordFilter {
    std::optional<std::uint8_t> label{};  ///< RecordKey::kNoLabel: those without one
    std::optional<std::string> task_type{};
    std::optional<bool> passed{};
    std::string sample_id{};
    std::vector<std::pair<std::string, std::string>> tags{};
    std::string text{};  ///< must occur in the record

    /// Whether the keys alone decide.
    [[nodiscard]] bool needs_only_keys() const noexcept {
        return sample_id.empty() && tags.empty() && text.empty();
    }
};

/// Of a text that is compared by its hash; the same everywhere.
[[nodiscard]] std::uint64_t hash_text(std::string_view text) noexcept;

/// Decides by a filter. Names are found as they were given and as records have them, redacted. One
/// a thread; the filter must outlive it. Pure.
class RecordMatcher {
  public:
    explicit RecordMatcher(const RecordFilter& filter);

    [[nodiscard]] bool fits(const RecordKey& key) const noexcept;

    /// Whether the record itself fits, of which the key did. `line` with padding for
    /// json::FieldReader.
    [[nodiscard]] bool fits(std::string_view line);

  private:
    [[nodiscard]] bool fits_fields(std::string_view line);

    /// A name as it was given and as it is redacted.
    using Name = std::array<std::string, 2>;

    const RecordFilter& filter_;
    std::array<std::uint64_t, 2> task_type_hashes_{};
    Name sample_id_;
    std::vector<std::pair<Name, Name>> tags_;
    std::string needle_;  // the text as JSON writes it
    json::FieldReader reader_;
};

/// Makes keys out of records. One a thread.
class RecordKeyReader {
  public:
    RecordKeyReader();

    /// `line` with padding for json::FieldReader. `invalid` if it is no record.
    [[nodiscard]] Result<RecordKey> read(std::string_view line, std::uint64_t offset);

  private:
    json::FieldReader reader_;
};

}  // namespace evalfleet::records
