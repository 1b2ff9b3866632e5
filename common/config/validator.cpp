#include "common/config/validator.hpp"

#include <fmt/ranges.h>

namespace evalfleet::config {

Status Validator::status() const {
    if (ok()) return {};
    return Error{ErrorKind::invalid, fmt::format("{}", fmt::join(errors_, "\n"))};
}

}  // namespace evalfleet::config
