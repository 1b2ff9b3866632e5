#pragma once

#include <span>
#include <string>
#include <vector>

namespace evalfleet::fleet {

/// Which of our variables a child gets.
enum class Inherit {
    plain,  ///< what a program needs to run, and our own flags: no key, no token
    keys,   ///< everything, for who calls providers: their keys may have any name
};

/// The environment of a child: `ours` as far as it may have them, and `more` in place of what has
/// the same name. Nobody gets the variables that would open, move or unlock a door of the local
/// fleet (a token, an address to listen on). `keys`: names of variables that hold keys of
/// providers, whatever they look like. All but `keys` as NAME=value. Pure.
[[nodiscard]] std::vector<std::string> child_environment(Inherit what,
                                                         std::span<const std::string> ours,
                                                         std::span<const std::string> keys,
                                                         std::vector<std::string> more = {});

/// Our own, as NAME=value.
[[nodiscard]] std::vector<std::string> own_environment();

}  // namespace evalfleet::fleet
