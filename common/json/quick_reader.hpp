#pragma once

#include "common/json/field_reader.hpp"
#include "common/json/name_table.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace evalfleet::json {

/// The quick half of FieldReader. It knows the plain ways to write a record, and takes a line only
/// if it is sure of every byte of it; the strict half judges all others, so that no line is
/// accepted or refused here that would not be there, and the values are the same.
///
/// Quick it is because lines of one file are alike: a name is compared with the one that stood in
/// its place in the line before, and a value nobody wants is checked but not converted.
class QuickReader {
  public:
    /// The table must outlive the reader.
    explicit QuickReader(const NameTable& table);
    ~QuickReader();

    /// False if it is not sure: then `values` hold nothing of use. Otherwise as FieldReader::read,
    /// with views into `line` where nothing had to be unescaped.
    [[nodiscard]] bool read(std::string_view line, std::span<FieldValue> values);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace evalfleet::json
