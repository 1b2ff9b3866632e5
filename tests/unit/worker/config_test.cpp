#include "worker/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Parsed {
    WorkerConfig config;
    std::string error;
};

Parsed parse(std::vector<const char*> arguments) {
    Parsed parsed;
    arguments.insert(arguments.begin(), "evalfleet-worker");
    config::CommandLine program("evalfleet-worker", "help");
    parsed.config.add_to(program);
    const auto outcome = program.parse(arguments, [](const std::string&) { return std::nullopt; });
    if (!outcome) parsed.error = outcome.error().message;
    return parsed;
}

TEST(WorkerConfig, HasSensibleDefaults) {
    const auto [config, error] = parse({"--redis", "redis://h", "--providers", "p.yaml"});
    EXPECT_EQ(error, "");
    EXPECT_EQ(config.concurrency, 64U);
    EXPECT_EQ(config.drain_timeout, std::chrono::seconds(30));
    EXPECT_EQ(config.lease, std::chrono::seconds(30));
    EXPECT_EQ(config.metrics_port, std::nullopt);
    EXPECT_EQ(config.providers, "p.yaml");
    EXPECT_EQ(config.redis().value().endpoint.host, "h");
    EXPECT_EQ(config.redis().value().client_name, "evalfleet-worker");
}

TEST(WorkerConfig, ReadsAllThatIsGiven) {
    const auto [config, error] =
        parse({"--redis", "unix:///s", "--providers", "p", "--concurrency", "7", "--threads", "2",
               "--drain-timeout", "5", "--metrics-port", "0", "--port-file", "f", "--name", "w"});
    EXPECT_EQ(error, "");
    EXPECT_EQ(config.concurrency, 7U);
    EXPECT_EQ(config.threads, 2U);
    EXPECT_EQ(config.drain_timeout, std::chrono::seconds(5));
    EXPECT_EQ(config.metrics_port, 0);
    EXPECT_EQ(config.port_file, "f");
    EXPECT_EQ(config.name, "w");
}

TEST(WorkerConfig, NamesWhatIsWrong) {
    EXPECT_THAT(parse({"--providers", "p"}).error, HasSubstr("--redis"));
    EXPECT_THAT(parse({"--redis", "redis://h"}).error, HasSubstr("--providers"));
    EXPECT_THAT(parse({"--redis", "redis://h", "--providers", "p", "--concurrency", "0"}).error,
                HasSubstr("--concurrency"));
    EXPECT_THAT(parse({"--redis", "redis://h", "--providers", "p", "--port-file", "f"}).error,
                HasSubstr("--metrics-port"));
    EXPECT_THAT(parse({"--redis", "redis://h", "--providers", "p", "--pool", "a{b"}).error,
                HasSubstr("--pool"));
}

TEST(WorkerConfig, DoesNotShowThePasswordOfABadUrl) {
    EXPECT_THAT(parse({"--redis", "http://u:hunter22@h", "--providers", "p"}).error,
                AllOf(HasSubstr("--redis"), Not(HasSubstr("hunter22"))));
}

}  // namespace
}  // namespace evalfleet::worker
