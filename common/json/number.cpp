#include "common/json/number.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <stdexcept>

namespace evalfleet::json {
namespace {

constexpr double kPlainFrom = 1e-6;
constexpr double kPlainBelow = 9007199254740992.0;  // 2^53: integers below are exact

char* append_point_zero(char* out) {
    *out++ = '.';
    *out++ = '0';
    return out;
}

}  // namespace

char* write_double(char* out, double value) {
    if (!std::isfinite(value)) throw std::logic_error("JSON cannot hold NaN or infinity");
    char* const end = out + kMaxDoubleChars;
    const double size = std::fabs(value);
    if (size >= kPlainBelow || (size < kPlainFrom && size != 0.0)) {
        return std::to_chars(out, end, value, std::chars_format::scientific).ptr;
    }
    // Whole numbers take the much faster integer path; the sign of -0.0 would be lost on it.
    const auto whole = static_cast<std::int64_t>(value);
    if (static_cast<double>(whole) == value) {
        if (whole == 0 && std::signbit(value)) *out++ = '-';
        return append_point_zero(std::to_chars(out, end, whole).ptr);
    }
    return std::to_chars(out, end, value, std::chars_format::fixed).ptr;
}

std::string format_double(double value) {
    char buffer[kMaxDoubleChars];
    return {buffer, write_double(buffer, value)};
}

}  // namespace evalfleet::json
