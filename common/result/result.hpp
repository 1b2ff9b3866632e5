#pragma once

#include "common/result/error.hpp"

#include <boost/assert/source_location.hpp>
#include <boost/system/result.hpp>

namespace evalfleet {

/// A value or an `Error`. Test it, then use `*result` or `result.error()`:
///
///     Result<Config> config = read_config(path);
///     if (!config) return config.error().within(path);
///     use(*config);
template <class T>
using Result = boost::system::result<T, Error>;

/// A `Result` of something that has no value. Success is `return {};`.
using Status = Result<void>;

/// Found by argument-dependent look-up when `Result::value()` is called on an error.
[[noreturn]] void throw_exception_from_error(const Error& error, const boost::source_location&);

}  // namespace evalfleet
