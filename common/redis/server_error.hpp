#pragma once

#include "common/result/result.hpp"

#include <string_view>

namespace evalfleet::redis {

/// What an error reply means to us. Its code (the first word) decides the kind; the message keeps
/// the server's text, cut to a bounded length.
///
/// - transient, "not now": LOADING, MASTERDOWN, READONLY, TRYAGAIN, CLUSTERDOWN, BUSY, NOREPLICAS,
///   UNBLOCKED, MISCONF, too many clients, and MOVED or ASK of a cluster whose slots move. Trying
///   again later may work.
/// - denied: NOAUTH, WRONGPASS, NOPERM, DENIED, and a password that the server does not know about.
/// - too_large: OOM, the server is out of memory.
/// - invalid: everything else, such as WRONGTYPE.
[[nodiscard]] Error classify_server_error(std::string_view text);

/// True for READONLY and MOVED: another server is the one to talk to by now.
[[nodiscard]] bool says_master_moved(std::string_view text) noexcept;

/// True for the error of an FCALL that named a function which the server does not have.
[[nodiscard]] bool is_function_missing(const Error& error) noexcept;

/// True for OOM: the server is at its memory limit and refuses what may need more.
[[nodiscard]] bool is_out_of_memory(const Error& error) noexcept;

}  // namespace evalfleet::redis
