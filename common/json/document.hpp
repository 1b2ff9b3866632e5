#pragma once

#include "common/json/value.hpp"
#include "common/result/result.hpp"

#include <cstddef>
#include <memory>
#include <string_view>

namespace evalfleet::json {

/// What a text may cost before it is refused.
struct Limits {
    std::size_t max_bytes = 64 * 1024 * 1024;
    std::size_t max_depth = 256;        ///< the outermost array or object is level 1
    bool reject_duplicate_keys = true;  ///< off: the first of equal keys is the one found
};

/// Reads JSON texts one after another into the same memory: one a strand, for hot paths.
///
/// Strict RFC 8259 in UTF-8. Integers from -2^63 to 2^64-1 are kept exactly; larger ones, and
/// numbers beyond the range of a double, are errors. What is wrong with a text, and where, is
/// looked for only after the fast parse failed; it is told as `line 3, column 14: ...`.
class Parser {
  public:
    explicit Parser(Limits limits = {});
    ~Parser();
    Parser(Parser&&) noexcept;
    Parser& operator=(Parser&&) noexcept;

    /// The root of the tree, valid until the next call or the end of this object. Errors: `invalid`
    /// for malformed text and duplicate keys, `too_large` for what exceeds the limits.
    [[nodiscard]] Result<Value> parse(std::string_view text);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// One JSON text, parsed and kept.
class Document {
  public:
    [[nodiscard]] static Result<Document> parse(std::string_view text, Limits limits = {});

    [[nodiscard]] Value root() const noexcept { return root_; }

  private:
    Document(Parser parser, Value root) : parser_(std::move(parser)), root_(root) {}

    Parser parser_;  ///< owns the memory that root_ points into
    Value root_;
};

}  // namespace evalfleet::json
