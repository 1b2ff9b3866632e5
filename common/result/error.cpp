#include "common/result/error.hpp"

#include "common/result/result.hpp"

namespace evalfleet {

std::string_view to_string(ErrorKind kind) noexcept {
    switch (kind) {
        case ErrorKind::transient:
            return "transient";
        case ErrorKind::rate_limited:
            return "rate_limited";
        case ErrorKind::timeout:
            return "timeout";
        case ErrorKind::cancelled:
            return "cancelled";
        case ErrorKind::invalid:
            return "invalid";
        case ErrorKind::too_large:
            return "too_large";
        case ErrorKind::not_found:
            return "not_found";
        case ErrorKind::denied:
            return "denied";
        case ErrorKind::lease_lost:
            return "lease_lost";
        case ErrorKind::tls:
            return "tls";
        case ErrorKind::internal:
            return "internal";
    }
    return "internal";
}

Error Error::within(std::string_view context) const {
    Error wrapped = *this;
    wrapped.message = std::string(context) + ": " + message;
    return wrapped;
}

bool is_retryable(ErrorKind kind) noexcept {
    return kind == ErrorKind::transient || kind == ErrorKind::rate_limited ||
           kind == ErrorKind::timeout;
}

BadResultAccess::BadResultAccess(const Error& error)
    : std::logic_error("value of a failed result: " + error.message) {}

void throw_exception_from_error(const Error& error, const boost::source_location&) {
    throw BadResultAccess(error);
}

}  // namespace evalfleet
