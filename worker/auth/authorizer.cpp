#include "worker/auth/authorizer.hpp"

#include <utility>

namespace evalfleet::worker {

namespace asio = boost::asio;

Authorizer::Authorizer(Config config) : config_(std::move(config)) {
    may_block_ = config_.key && config_.key->is_in_file();
    for (const OutgoingHeader& header : config_.headers)
        may_block_ = may_block_ || (header.secret && header.secret->is_in_file());
}

Authorizer::Badge Authorizer::blocking_read(async::TimePoint now) const {
    Badge badge;
    badge.credential.secret = config_.key->blocking_current(now);
    for (const OutgoingHeader& header : config_.headers)
        badge.secrets.push_back(header.secret ? header.secret->blocking_current(now) : "");
    return badge;
}

asio::awaitable<Result<Authorizer::Badge>> Authorizer::authorize(http::Request& request,
                                                                 AuthTools tools,
                                                                 async::TimePoint deadline) const {
    const async::TimePoint now = tools.clock.now();
    auto read = [this, now] { return blocking_read(now); };
    Badge badge;
    if (may_block_) {
        badge = co_await tools.pool.run(read);
    } else {
        badge = read();
    }
    for (std::size_t i = 0; i < config_.headers.size(); ++i)
        request.headers.add(config_.headers[i].name, config_.headers[i].value + badge.secrets[i]);
    if (!config_.tokens) {
        const std::string& key = badge.credential.secret;
        if (!key.empty() && !config_.key_header.name.empty())
            request.headers.add(config_.key_header.name, config_.key_header.prefix + key);
        co_return badge;
    }
    auto token = co_await config_.tokens->current(tools, deadline);
    if (!token) co_return token.error();
    badge.credential = *std::move(token);
    if (!config_.aws) {
        request.headers.add("Authorization", "Bearer " + badge.credential.secret);
        co_return badge;
    }
    auto sign = [&] {
        const Credential& credential = badge.credential;
        aws::sign(request, {credential.access_key_id, credential.secret, credential.session_token},
                  *config_.aws, tools.clock.utc_now());
        return true;
    };
    co_await tools.pool.run(sign);
    co_return badge;
}

bool Authorizer::blocking_reread(const Badge& used) const {
    bool is_new = !config_.tokens && config_.key->blocking_is_other(used.credential.secret);
    for (std::size_t i = 0; i < config_.headers.size(); ++i) {
        const auto& secret = config_.headers[i].secret;
        if (secret && secret->blocking_is_other(used.secrets[i])) is_new = true;
    }
    return is_new;
}

asio::awaitable<bool> Authorizer::renew(Badge used, AuthTools tools) const {
    auto reread = [this, &used] { return blocking_reread(used); };
    const bool is_new = co_await tools.pool.run(reread);
    if (!config_.tokens) co_return is_new;
    co_return config_.tokens->renew(used.credential, tools.clock.now()) || is_new;
}

}  // namespace evalfleet::worker
