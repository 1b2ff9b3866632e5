#pragma once

#include "common/redis/command.hpp"
#include "common/redis/config.hpp"
#include "common/redis/reply.hpp"
#include "common/result/result.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace evalfleet::redis {

/// What is said to a server before its connection may be used: AUTH, SELECT, CLIENT SETNAME, PING.
/// PING tells whether the server is of use at the moment (LOADING, MASTERDOWN).
class Greeting {
  public:
    explicit Greeting(const Config& config);

    /// All commands, to be written at once.
    [[nodiscard]] Result<std::string> wire() const;
    [[nodiscard]] std::size_t count_replies() const noexcept { return steps_.size(); }

    /// `replies` are the answers so far, in order. An error as soon as one says that the connection
    /// is of no use: `denied`, or `transient` for a server that is not ready.
    [[nodiscard]] Status check(const std::vector<Reply>& replies) const;

  private:
    enum class Need {
        ok,      ///< must succeed
        usable,  ///< may fail for reasons that are not the connection's
        none,    ///< nice to have
    };
    struct Step {
        Command command;
        Need need;
    };

    [[nodiscard]] static Status check_one(Need need, const Reply& reply);

    std::vector<Step> steps_;
};

}  // namespace evalfleet::redis
