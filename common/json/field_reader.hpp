#pragma once

#include "common/result/result.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace evalfleet::json {

struct FieldMember;

/// What stands behind one name: null, a scalar, or the direct members of an object.
struct FieldValue {
    enum class Kind { absent, null, boolean, integer, large_integer, real, string, object, array };

    Kind kind = Kind::absent;
    union {
        bool boolean;
        std::int64_t integer = 0;
        std::uint64_t large_integer;  ///< above the largest std::int64_t
        double real;
    };
    std::string_view text;                 ///< of a string, unescaped
    std::span<const FieldMember> members;  ///< of an object; arrays and objects in it stay closed

    [[nodiscard]] bool is_absent_or_null() const noexcept {
        return kind == Kind::absent || kind == Kind::null;
    }
};

struct FieldMember {
    std::string_view name;
    FieldValue value;
};

/// A file of a million records holds some sixty fields a line, of which a reader wants twenty. This
/// picks the wanted ones out of a line that is one JSON object, without building a tree to search
/// in, and still checks the whole line: strict RFC 8259 in UTF-8, nothing before or behind the
/// object, also in the fields nobody asked for. One a thread.
class FieldReader {
  public:
    /// So many bytes after a line must be readable; what they are does not matter.
    static constexpr std::size_t kPaddingBytes = 64;

    /// Values are delivered in the order of `names`. The texts must outlive the reader.
    explicit FieldReader(std::span<const std::string_view> names);
    ~FieldReader();
    FieldReader(FieldReader&&) noexcept;
    FieldReader& operator=(FieldReader&&) noexcept;

    /// Fills values[i] with the field names[i]; views are valid as long as the line is, and until
    /// the next call. `invalid` if the line is not one JSON object, has a number beyond the range
    /// of a double or of 64 bits, or has one of the names twice; the message names the column or
    /// the field.
    [[nodiscard]] Status read(std::string_view line, std::span<FieldValue> values);

    /// The same with the same result, at the pace of a whole parser: what `read` falls back on for
    /// a line it cannot take quickly.
    [[nodiscard]] Status read_strictly(std::string_view line, std::span<FieldValue> values);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace evalfleet::json
