#include "coordinator/webhooks/webhook_config.hpp"

#include "common/config/command_line.hpp"
#include "common/config/fields.hpp"
#include "common/files/file.hpp"
#include "common/providers/api_key.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace evalfleet::webhooks {

namespace {

constexpr std::uint64_t kMaxFileBytes = 256 * 1024;
constexpr std::size_t kMaxNameBytes = 32;

bool is_name(std::string_view name) {
    return !name.empty() && name.size() <= kMaxNameBytes && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    });
}

/// Members `NAME_env` and `NAME_file`.
providers::SecretSource read_source(config::Fields& fields, const std::string& name) {
    std::string env;
    std::string file;
    fields.read(name + "_env", env);
    fields.read(name + "_file", file);
    if (!env.empty() && !file.empty())
        fields.fail(name + "_env", "and " + name + "_file: found both, allowed: one of them");
    providers::SecretSource source;
    if (!env.empty()) source.env = env;
    if (!file.empty()) source.file = file;
    return source;
}

void read_events(config::Fields& fields, Webhook& webhook) {
    for (const config::YamlNode& item : fields.list("events")) {
        const auto kind = item.is_scalar()
                              ? job::from_name<EventKind>(std::string_view(item.text()))
                              : std::nullopt;
        if (kind)
            webhook.events.insert(*kind);
        else
            fields.fail("events", fmt::format("found '{}', allowed: {}",
                                              item.is_scalar() ? item.text() : "no text",
                                              fmt::join(job::Names<EventKind>::values, ", ")));
    }
}

void check_address(config::Fields& fields, const Webhook& webhook) {
    if (webhook.url.empty() == !webhook.url_source.is_set()) {
        fields.fail("url", "allowed: one of url, url_env and url_file");
        return;
    }
    if (webhook.url.empty()) return;
    if (const auto url = http::Url::parse(webhook.url); !url)
        fields.fail("url", url.error().message);
}

Webhook read_webhook(const config::YamlNode& item, config::Validator& validator,
                     std::set<std::string>& names) {
    config::Fields fields(item, validator);
    Webhook webhook;
    fields.require("name", webhook.name);
    fields.read("url", webhook.url);
    webhook.url_source = read_source(fields, "url");
    webhook.secret = read_source(fields, "secret");
    fields.choice("format", webhook.format,
                  {{"json", BodyFormat::json}, {"slack", BodyFormat::slack}});
    read_events(fields, webhook);
    fields.read("runs", webhook.runs);
    if (fields.has("name") && !is_name(webhook.name))
        fields.fail("name", "allowed: 1 to 32 lower-case letters, digits and -");
    if (!names.insert(webhook.name).second) fields.fail("name", "stands twice");
    check_address(fields, webhook);
    fields.finish();
    return webhook;
}

}  // namespace

bool Webhook::wants(const Event& event) const {
    if (!events.empty() && !events.contains(event.kind)) return false;
    if (runs.empty()) return true;
    if (!runs.ends_with('*')) return event.run.name == runs;
    return event.run.name.starts_with(std::string_view(runs).substr(0, runs.size() - 1));
}

Result<WebhooksConfig> parse_webhooks(std::string_view yaml, std::string file_name) {
    const auto root = config::read_yaml(yaml, std::move(file_name));
    if (!root) return root.error();
    config::Validator validator;
    config::Fields file(*root, validator);
    WebhooksConfig config;
    std::set<std::string> names;
    file.read("link", config.link);
    if (const auto url = http::Url::parse(config.link); !config.link.empty() && !url)
        file.fail("link", url.error().message);
    while (config.link.ends_with('/'))
        config.link.pop_back();
    for (const config::YamlNode& item : file.list("webhooks"))
        config.webhooks.push_back(read_webhook(item, validator, names));
    if (config.webhooks.size() > kMaxWebhooks)
        file.fail("webhooks", fmt::format("found {}, allowed: at most {}", config.webhooks.size(),
                                          kMaxWebhooks));
    file.finish();
    if (const Status good = validator.status(); !good) return good.error();
    return config;
}

Result<WebhooksConfig> blocking_read_webhooks(const std::filesystem::path& file) {
    const auto text = files::blocking_read_file(file, kMaxFileBytes);
    if (!text) return text.error();
    return parse_webhooks(*text, file.string());
}

Result<std::vector<Receiver>> blocking_resolve(const WebhooksConfig& config) {
    std::vector<Receiver> receivers;
    const auto read = [](const providers::SecretSource& source) {
        return providers::blocking_read_secret(source, config::process_environment());
    };
    for (const Webhook& webhook : config.webhooks) {
        const std::string place = "webhook " + webhook.name;
        std::string address = webhook.url;
        if (webhook.url_source.is_set()) {
            auto text = read(webhook.url_source);
            if (!text) return text.error().within(place + ": url");
            address = std::move(*text);
        }
        auto url = http::Url::parse(address);
        if (!url)
            return Error{ErrorKind::invalid,
                         place + ": url: what is there is no address of http or https"};
        Receiver receiver{webhook, std::move(*url), ""};
        if (webhook.secret.is_set()) {
            auto secret = read(webhook.secret);
            if (!secret) return secret.error().within(place + ": secret");
            receiver.secret = std::move(*secret);
        }
        receivers.push_back(std::move(receiver));
    }
    return receivers;
}

}  // namespace evalfleet::webhooks
