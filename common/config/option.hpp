#pragma once

#include "common/config/units.hpp"
#include "common/result/result.hpp"

#include <chrono>
#include <concepts>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace evalfleet::config {

/// The least and the greatest value an option accepts, both included. Durations count in seconds.
struct Range {
    long double min;
    long double max;
};

template <class T>
requires std::is_arithmetic_v<T>
[[nodiscard]] constexpr Range between(T min, T max) {
    return {static_cast<long double>(min), static_cast<long double>(max)};
}
template <class R1, class P1, class R2, class P2>
[[nodiscard]] constexpr Range between(std::chrono::duration<R1, P1> min,
                                      std::chrono::duration<R2, P2> max) {
    using Seconds = std::chrono::duration<long double>;
    return {Seconds(min).count(), Seconds(max).count()};
}
[[nodiscard]] constexpr Range between(ByteSize min, ByteSize max) {
    return {static_cast<long double>(min.bytes), static_cast<long double>(max.bytes)};
}

/// One setting: where its value goes and what it may be. Made by `Command`; the functions below
/// refine it and return it again.
class Option {
  public:
    using Texts = std::vector<std::string>;
    /// Converts the texts given by the user and stores them; the error says what is allowed.
    using Assign = std::function<Status(const Option&, const Texts&)>;

    Option(std::string name, std::string help, std::string default_text, Assign assign)
        : name_(std::move(name)),
          help_(std::move(help)),
          default_text_(std::move(default_text)),
          assign_(std::move(assign)) {}

    Option& range(Range range) { return range_ = range, *this; }
    Option& value_name(std::string name) { return value_name_ = std::move(name), *this; }
    Option& group(std::string group) { return group_ = std::move(group), *this; }
    Option& short_name(char letter) { return short_name_ = letter, *this; }
    Option& required() { return required_ = true, *this; }
    /// The value is shown neither in help nor in errors.
    Option& secret() { return secret_ = true, *this; }
    /// Only on the command line, not by environment or file: for what a single call is about.
    Option& only_flag() { return only_flag_ = true, *this; }

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] const std::string& help() const noexcept { return help_; }
    /// What stands for the value in the help; empty: nothing in particular.
    [[nodiscard]] const std::string& value_name() const noexcept { return value_name_; }
    /// The words that are allowed; none: the value is not one of a few.
    [[nodiscard]] const std::vector<std::string>& words() const noexcept { return words_; }
    [[nodiscard]] bool is_flag() const noexcept { return is_flag_; }
    [[nodiscard]] bool is_positional() const noexcept { return positional_; }
    /// EVALFLEET_ and the name in capitals, dashes as underscores.
    [[nodiscard]] std::string environment_name() const;
    /// Stores the value; errors read "<source>: found '70000', allowed: 1 to 65535".
    [[nodiscard]] Status assign(const Texts& texts, std::string_view source) const;
    /// An error unless `value` lies within the range; `shown` turns a limit into text.
    [[nodiscard]] Status check_range(long double value, std::string_view text,
                                     const std::function<std::string(long double)>& shown) const;

  private:
    friend class Command;
    friend class CommandLine;

    std::string name_;
    std::string help_;
    std::string default_text_;
    Assign assign_;
    std::string value_name_;
    std::vector<std::string> words_;
    std::string group_ = "Options";
    std::optional<Range> range_;
    char short_name_ = '\0';
    bool required_ = false;
    bool secret_ = false;
    bool only_flag_ = false;
    bool positional_ = false;
    bool repeated_ = false;
    bool is_flag_ = false;
};

namespace detail {

template <class T>
inline constexpr bool is_duration = false;
template <class R, class P>
inline constexpr bool is_duration<std::chrono::duration<R, P>> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;

/// A type of the caller's own; its errors say "found '...', allowed: ...".
template <class T>
concept HasParser = requires(std::string_view text) {
    { T::parse(text) } -> std::same_as<Result<T>>;
};

/// What a text is converted to: T, or what the optional or vector T holds.
template <class T>
struct ScalarOf {
    using Type = T;
};
template <class T>
struct ScalarOf<std::optional<T>> {
    using Type = T;
};
template <class T>
struct ScalarOf<std::vector<T>> {
    using Type = T;
};
template <class T>
using Scalar = typename ScalarOf<T>::Type;

[[nodiscard]] std::string shown_number(long double number);
[[nodiscard]] std::string shown_duration(long double seconds);
[[nodiscard]] std::string shown_bytes(long double bytes);

/// One text as a T, within the option's range.
template <class T>
[[nodiscard]] Result<T> convert(const Option& option, const std::string& text) {
    const auto ranged = [&](auto value, long double measure, auto shown) -> Result<T> {
        if (auto status = option.check_range(measure, text, shown); !status) return status.error();
        return static_cast<T>(value);
    };
    if constexpr (std::same_as<T, bool>) {
        return parse_bool(text);
    } else if constexpr (std::integral<T>) {
        const auto number = [&] {
            if constexpr (std::signed_integral<T>) {
                return parse_int64(text);
            } else {
                return parse_uint64(text);
            }
        }();
        if (!number) return number.error();
        if (!std::in_range<T>(*number)) {
            using Limits = std::numeric_limits<T>;
            return Error{ErrorKind::invalid, "found '" + text +
                                                 "', allowed: " + std::to_string(Limits::min()) +
                                                 " to " + std::to_string(Limits::max())};
        }
        return ranged(*number, static_cast<long double>(*number), shown_number);
    } else if constexpr (std::same_as<T, double>) {
        const auto number = parse_double(text);
        if (!number) return number.error();
        return ranged(*number, static_cast<long double>(*number), shown_number);
    } else if constexpr (is_duration<T>) {
        const auto duration = parse_duration(text, T(1));
        if (!duration) return duration.error();
        const auto seconds = std::chrono::duration<long double>(*duration).count();
        if (auto status = option.check_range(seconds, text, shown_duration); !status) {
            return status.error();
        }
        return std::chrono::round<T>(*duration);
    } else if constexpr (std::same_as<T, ByteSize>) {
        const auto size = parse_byte_size(text);
        if (!size) return size.error();
        return ranged(*size, static_cast<long double>(size->bytes), shown_bytes);
    } else if constexpr (HasParser<T>) {
        return T::parse(text);
    } else {
        static_assert(std::constructible_from<T, std::string>, "no option of this type");
        return T(text);
    }
}

template <class T>
[[nodiscard]] Status assign_to(T& field, const Option& option, const Option::Texts& texts) {
    if constexpr (is_vector<T>) {
        T all;
        for (const std::string& text : texts) {
            auto item = convert<typename T::value_type>(option, text);
            if (!item) return item.error();
            all.push_back(*std::move(item));
        }
        field = std::move(all);
    } else if constexpr (is_optional<T>) {
        auto item = convert<typename T::value_type>(option, texts.back());
        if (!item) return item.error();
        field = *std::move(item);
    } else {
        auto item = convert<T>(option, texts.back());
        if (!item) return item.error();
        field = *std::move(item);
    }
    return {};
}

/// A default for the help text; empty if there is nothing to show.
template <class T>
[[nodiscard]] std::string shown_default(const T& field) {
    if constexpr (is_vector<T>) {
        return "";
    } else if constexpr (is_optional<T>) {
        return field ? shown_default(*field) : "";
    } else if constexpr (std::same_as<T, bool>) {
        return field ? "true" : "";
    } else if constexpr (std::is_arithmetic_v<T>) {
        return shown_number(static_cast<long double>(field));
    } else if constexpr (is_duration<T>) {
        return format_duration(field);
    } else if constexpr (std::same_as<T, ByteSize>) {
        return format_byte_size(field);
    } else if constexpr (std::same_as<T, std::filesystem::path>) {
        return field.string();
    } else if constexpr (requires {
                             { field.to_string() } -> std::same_as<std::string>;
                         }) {
        return field.to_string();
    } else if constexpr (HasParser<T>) {
        return "";
    } else {
        return std::string(field);
    }
}

}  // namespace detail
}  // namespace evalfleet::config
