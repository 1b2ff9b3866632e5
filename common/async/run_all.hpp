#pragma once

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <vector>

namespace evalfleet::async {

/// Runs several long-lived roles side by side until the first of them ends, by return or by
/// exception; then cancels the others, awaits them, and reports the first: its exception is
/// rethrown, else its index is returned. What the others throw while they are cancelled is not the
/// cause and is dropped.
///
/// This is how `main` joins the parts of a program: a part that dies unnoticed is worse than a
/// program that ends. All roles start on the caller's executor, which must be a strand or run on
/// one thread. Cancelled from outside: all roles are cancelled, and the first to end is reported.
[[nodiscard]] boost::asio::awaitable<std::size_t> run_all(
    std::vector<boost::asio::awaitable<void>> roles);

}  // namespace evalfleet::async
