#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evalfleet::http {

/// The header fields of a message in their order. Names compare without regard to case, a name may
/// occur more than once.
class Headers {
  public:
    using Field = std::pair<std::string, std::string>;

    Headers() = default;
    Headers(std::initializer_list<Field> fields) : fields_(fields) {}

    void add(std::string name, std::string value);

    /// Replaces every field of that name.
    void set(std::string name, std::string value);

    void remove(std::string_view name);

    /// The first field of that name; the view is good until the headers change.
    [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;

    [[nodiscard]] bool contains(std::string_view name) const { return find(name).has_value(); }

    /// True if a field of that name holds `token` in its comma-separated list, as in
    /// `Connection: keep-alive, Upgrade`.
    [[nodiscard]] bool has_token(std::string_view name, std::string_view token) const;

    [[nodiscard]] auto begin() const { return fields_.begin(); }
    [[nodiscard]] auto end() const { return fields_.end(); }
    [[nodiscard]] std::size_t size() const { return fields_.size(); }
    [[nodiscard]] bool empty() const { return fields_.empty(); }

    /// The first field that could not be sent as it is: a name that is no token, or a value with a
    /// control character, which would let its writer add headers or a whole message of his own.
    [[nodiscard]] std::optional<std::string> first_invalid_name() const;

    /// Appends "name: value\r\n" for each field.
    void append_to(std::string& out) const;

  private:
    std::vector<Field> fields_;
};

/// Compares ASCII letters without regard to case.
[[nodiscard]] bool iequals(std::string_view a, std::string_view b) noexcept;

/// A name as RFC 9110 allows it for methods and header fields: not empty, no separators.
[[nodiscard]] bool is_token(std::string_view text) noexcept;

/// May stand after "name: ": no control character but a tab.
[[nodiscard]] bool is_field_value(std::string_view text) noexcept;

/// May stand in the first line of a request: visible ASCII only.
[[nodiscard]] bool is_request_target(std::string_view text) noexcept;

/// Without the spaces and tabs at both ends.
[[nodiscard]] std::string_view trim(std::string_view text) noexcept;

}  // namespace evalfleet::http
