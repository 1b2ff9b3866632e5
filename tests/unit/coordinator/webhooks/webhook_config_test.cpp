#include "coordinator/webhooks/webhook_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::webhooks {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string refusal(const std::string& yaml) {
    const auto config = parse_webhooks(yaml, "w.yaml");
    return config ? "accepted" : config.error().message;
}

TEST(WebhookConfig, ReadsReceivers) {
    const auto config = parse_webhooks(
        "link: https://evalfleet.example.com/\n"
        "webhooks:\n"
        "  - {name: chat, url_env: SLACK_URL, format: slack, events: [gate.failed, regression],\n"
        "     runs: \"nightly*\"}\n"
        "  - {name: ops, url: \"https://ops.example.com/hook\", secret_file: /run/secrets/hook}\n",
        "w.yaml");
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(config->link, "https://evalfleet.example.com");
    ASSERT_EQ(config->webhooks.size(), 2U);
    const Webhook& chat = config->webhooks[0];
    EXPECT_EQ(chat.format, BodyFormat::slack);
    EXPECT_EQ(chat.url_source.env, "SLACK_URL");
    EXPECT_EQ(chat.events, (std::set{EventKind::gate_failed, EventKind::regression}));
    EXPECT_TRUE(config->webhooks[1].events.empty());
    EXPECT_TRUE(config->webhooks[1].secret.is_set());
}

TEST(WebhookConfig, WantsEventsByKindAndName) {
    Webhook webhook;
    Event event;
    event.kind = EventKind::run_paused;
    event.run.name = "nightly-qa";
    EXPECT_TRUE(webhook.wants(event));
    webhook.events = {EventKind::run_ended};
    EXPECT_FALSE(webhook.wants(event));
    webhook.events.insert(EventKind::run_paused);
    webhook.runs = "nightly*";
    EXPECT_TRUE(webhook.wants(event));
    webhook.runs = "nightly";
    EXPECT_FALSE(webhook.wants(event));
}

TEST(WebhookConfig, SaysAllThatIsWrongWithItsLine) {
    const std::string all = refusal(
        "webhooks:\n"
        "  - {name: Chat, url: \"ftp://x\"}\n"
        "  - {name: a, url: \"http://x\", url_env: X}\n"
        "  - {name: a, url: \"http://x\", events: [run.begun], formt: slack}\n"
        "  - {name: b}\n");
    EXPECT_THAT(all, AllOf(HasSubstr("w.yaml:2"), HasSubstr("lower-case letters"),
                           HasSubstr("w.yaml:3"), HasSubstr("one of url, url_env and url_file")));
    EXPECT_THAT(all, AllOf(HasSubstr("w.yaml:4"), HasSubstr("stands twice"),
                           HasSubstr("found 'run.begun', allowed: run.ended, gate.failed"),
                           HasSubstr("formt"), HasSubstr("w.yaml:5")));
    std::string many = "webhooks:\n";
    for (int i = 0; i < 17; ++i)
        many += "  - {name: w" + std::to_string(i) + ", url: \"http://x\"}\n";
    EXPECT_THAT(refusal(many), HasSubstr("found 17, allowed: at most 16"));
}

TEST(WebhookConfig, ShowsNoAddressThatComesFromASecret) {
    ASSERT_EQ(setenv("EVALFLEET_TEST_HOOK", "not an address with sEcReT", 1), 0);
    WebhooksConfig config;
    config.webhooks.push_back({.name = "chat", .url_source = {.env = "EVALFLEET_TEST_HOOK"}});
    const auto wrong = blocking_resolve(config);
    ASSERT_FALSE(wrong);
    EXPECT_THAT(wrong.error().message, AllOf(HasSubstr("webhook chat"), Not(HasSubstr("sEcReT"))));
    config.webhooks[0].url_source.env = "EVALFLEET_TEST_NO_HOOK";
    EXPECT_THAT(blocking_resolve(config).error().message, HasSubstr("EVALFLEET_TEST_NO_HOOK"));
}

}  // namespace
}  // namespace evalfleet::webhooks
