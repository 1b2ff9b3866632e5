#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Which parameter of a request a server does not take, told from what it says. Pure.
namespace evalfleet::worker {

/// The parameter, by the run file's name, that an error is about: one that its words name beside
/// "not supported", "unknown", "Extra inputs are not permitted" and the like, or its `param` does.
/// `max_completion_tokens` is the other name of `max_tokens`; `stream_options` asks for the usage
/// of a stream. Nothing for other errors, such as a value out of range; of temperature and top_p it
/// is enough that they may have one value only, of a response format that it is named at all. Of
/// the words only the first 4 KiB are looked at.
///
/// `status`: most servers say so with 400 or 422, routers and servers in Python with 404, 424, 500
/// and 501 as well. Other statuses are about something else.
[[nodiscard]] std::optional<std::string> find_refused_parameter(
    int status, std::string_view message, const std::optional<std::string>& param,
    const std::optional<std::string>& code);

}  // namespace evalfleet::worker
