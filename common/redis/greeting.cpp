#include "common/redis/greeting.hpp"

#include "common/redis/server_error.hpp"

#include <algorithm>

namespace evalfleet::redis {

Greeting::Greeting(const Config& config) {
    if (!config.password.empty() && config.user.empty())
        steps_.push_back({Command("AUTH", config.password), Need::ok});
    if (!config.password.empty() && !config.user.empty())
        steps_.push_back({Command("AUTH", config.user, config.password), Need::ok});
    if (config.database != 0) steps_.push_back({Command("SELECT", config.database), Need::ok});
    if (!config.client_name.empty())
        steps_.push_back({Command("CLIENT", "SETNAME", config.client_name), Need::none});
    steps_.push_back({Command("PING"), Need::usable});
}

Result<std::string> Greeting::wire() const {
    std::string wire;
    for (const Step& step : steps_)
        if (const Status status = step.command.append_to(wire); !status) return status.error();
    return wire;
}

Status Greeting::check(const std::vector<Reply>& replies) const {
    if (replies.size() > steps_.size())
        return Error{ErrorKind::invalid, "redis: the server sent a reply that nobody asked for"};
    for (std::size_t i = 0; i < replies.size(); ++i)
        if (const Status status = check_one(steps_[i].need, replies[i]); !status) return status;
    return {};
}

Status Greeting::check_one(Need need, const Reply& reply) {
    if (!reply.is_error() || need == Need::none) return {};
    const std::string& text = reply.text();
    // The user may not PING, the disk is full, or a script runs: each command will learn by itself.
    const bool is_usable =
        text.starts_with("NOPERM") || text.starts_with("MISCONF") || text.starts_with("BUSY");
    if (need == Need::usable && is_usable) return {};
    return classify_server_error(text);
}

}  // namespace evalfleet::redis
