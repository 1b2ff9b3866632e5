#include "common/config/option.hpp"

#include <fmt/format.h>

#include <cmath>

namespace evalfleet::config {

std::string Option::environment_name() const {
    std::string name = "EVALFLEET_";
    for (const char c : name_) {
        const bool lower = c >= 'a' && c <= 'z';
        name += c == '-' ? '_' : static_cast<char>(lower ? c - 32 : c);
    }
    return name;
}

Status Option::assign(const Texts& texts, std::string_view source) const {
    const Status status = assign_(*this, texts);
    if (status) return {};
    if (secret_)
        return Error{ErrorKind::invalid, fmt::format("{}: the value is not valid", source)};
    return status.error().within(source);
}

Status Option::check_range(long double value, std::string_view text,
                           const std::function<std::string(long double)>& shown) const {
    if (!range_ || (value >= range_->min && value <= range_->max)) return {};
    return Error{ErrorKind::invalid, fmt::format("found '{}', allowed: {} to {}", text,
                                                 shown(range_->min), shown(range_->max))};
}

namespace detail {

std::string shown_number(long double number) {
    if (std::trunc(number) == number && std::fabs(number) < 1e19L) {
        return number < 0 ? fmt::format("{}", static_cast<std::int64_t>(number))
                          : fmt::format("{}", static_cast<std::uint64_t>(number));
    }
    return fmt::format("{}", static_cast<double>(number));
}

std::string shown_duration(long double seconds) {
    return format_duration(
        std::chrono::nanoseconds(static_cast<std::int64_t>(std::llround(seconds * 1e9L))));
}

std::string shown_bytes(long double bytes) {
    return format_byte_size({static_cast<std::uint64_t>(bytes)});
}

}  // namespace detail
}  // namespace evalfleet::config
