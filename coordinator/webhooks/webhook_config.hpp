#pragma once

#include "common/http/url.hpp"
#include "common/providers/auth_config.hpp"
#include "common/result/result.hpp"
#include "coordinator/webhooks/event.hpp"

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::webhooks {

inline constexpr std::size_t kMaxWebhooks = 16;

enum class BodyFormat { json, slack };

/// One receiver, as the operator's file names it. What may be secret is named, not held.
struct Webhook {
    std::string name{};  ///< stands in the log and names its outbox
    std::string url{};   ///< empty: `url_source` says where it is
    providers::SecretSource url_source{};
    providers::SecretSource secret{};  ///< to sign with; not set: not signed
    BodyFormat format = BodyFormat::json;
    std::set<EventKind> events{};  ///< empty: all
    std::string runs{};            ///< names of runs, with a * at the end if so begun; empty: all

    [[nodiscard]] bool wants(const Event& event) const;
};

struct WebhooksConfig {
    std::string link;  ///< where people find the pages; without a slash at its end; empty: nowhere
    std::vector<Webhook> webhooks;
};

/// Reads the operator's file. Everything that is wrong is in the error, a line each, with its line.
[[nodiscard]] Result<WebhooksConfig> parse_webhooks(std::string_view yaml, std::string file_name);
[[nodiscard]] Result<WebhooksConfig> blocking_read_webhooks(const std::filesystem::path& file);

/// A receiver with what the operator named looked up.
struct Receiver {
    Webhook webhook;
    http::Url url;
    std::string secret;
};

/// `invalid` says what is not set or no address, and never what is in it. Blocks.
[[nodiscard]] Result<std::vector<Receiver>> blocking_resolve(const WebhooksConfig& config);

}  // namespace evalfleet::webhooks
