#pragma once

#include "common/result/result.hpp"

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::redis {

/// A command and its arguments, which may hold any bytes. Nothing is ever parsed out of an
/// argument, so a value cannot become a command.
///
///     Command("SET", key, value, "PX", 5000)
class Command {
  public:
    /// The most arguments that a redis-server takes.
    static constexpr std::size_t kMaxArguments = 1024 * 1024;

    template <class... Arguments>
    explicit Command(std::string_view name, const Arguments&... arguments) {
        add(name);
        (add(arguments), ...);
    }

    Command& add(std::string_view argument);

    template <std::integral Integer>
    Command& add(Integer argument) {
        return add(std::string_view(std::to_string(argument)));
    }

    [[nodiscard]] std::size_t count_arguments() const noexcept { return lengths_.size(); }

    /// Appends the command as it goes over the wire. `too_large` when it has too many arguments or
    /// cannot be encoded; `wire` is then as before.
    [[nodiscard]] Status append_to(std::string& wire) const;

  private:
    std::string bytes_;                 // all arguments, one behind the other
    std::vector<std::size_t> lengths_;  // of each argument
};

}  // namespace evalfleet::redis
