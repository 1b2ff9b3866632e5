#include "tests/support/coordinator_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>

namespace evalfleet {
namespace {

using testing::Answer;
using testing::CoordinatorProcess;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCanLimitMemory = false;  // sanitizers map terabytes
#else
constexpr bool kCanLimitMemory = true;
#endif

// From now on the coordinator has no more memory than this for its data.
void limit_memory(const CoordinatorProcess& coordinator, std::uint64_t bytes) {
    if (!kCanLimitMemory) return;
    const rlimit limit{bytes, bytes};
    ASSERT_EQ(::prlimit(coordinator.pid(), RLIMIT_DATA, &limit, nullptr), 0);
}

std::string lines(int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
        text += "{\"task\":\"" + std::to_string(i) + "\"}\n";
    return text;
}

void put_lines(const CoordinatorProcess& coordinator, int count) {
    ASSERT_EQ(coordinator.call("PUT", "/api/v1/datasets/qa", lines(count)).status, 201);
}

std::string text_of(const std::string& json, const std::string& member) {
    const std::string mark = "\"" + member + "\":\"";
    const auto at = json.find(mark);
    if (at == std::string::npos) return "";
    const auto begin = at + mark.size();
    return json.substr(begin, json.find('"', begin) - begin);
}

std::string state_of(const CoordinatorProcess& coordinator, const std::string& id) {
    return text_of(coordinator.get("/api/v1/runs/" + id).body, "state");
}

bool await_state(const CoordinatorProcess& coordinator, const std::string& id,
                 const std::string& state) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (state_of(coordinator, id) != state) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        ::usleep(20'000);
    }
    return true;
}

// Nothing was begun, and the coordinator works on.
void expect_unharmed(const CoordinatorProcess& coordinator) {
    EXPECT_THAT(coordinator.get("/api/v1/runs").body, HasSubstr("\"runs\":[]"));
    EXPECT_EQ(coordinator.get("/readyz").status, 200);
    EXPECT_THAT(coordinator.log(), Not(HasSubstr("bad_alloc")));
}

TEST(Bounds, ARunOfTooManyTrialsIsRefusedWithTheNumbers) {
    const CoordinatorProcess coordinator;
    put_lines(coordinator, 30'000);
    limit_memory(coordinator, 512 * kMiB);
    const auto answer =
        coordinator.call("POST", "/api/v1/runs", coordinator.run_file("big", "repeats: 10000\n"));
    EXPECT_EQ(answer.status, 422);
    EXPECT_THAT(answer.body, HasSubstr("found 30000 samples x 10000 repeats = 300000000 trials, "
                                       "allowed: at most 100000000 (--max-trials)"));
    EXPECT_THAT(answer.body, HasSubstr("\"field\":\"repeats\",\"line\":6"));
    expect_unharmed(coordinator);
}

TEST(Bounds, TheOperatorSaysHowManyTrialsARunMayHave) {
    const CoordinatorProcess coordinator({"--max-trials", "5"});
    std::ofstream(coordinator.data() / "d.jsonl") << lines(2);
    const std::string by_path =
        "version: 1\nname: t\ndataset: {path: d.jsonl}\n"
        "models:\n  - {provider: main, name: m, version: \"1\"}\n"
        "  - {provider: main, name: n, version: \"1\"}\n"
        "judge: {provider: main, name: j, version: \"1\"}\n";
    const auto refused = coordinator.call("POST", "/api/v1/runs", by_path + "repeats: 2\n");
    EXPECT_EQ(refused.status, 422);
    EXPECT_THAT(refused.body, HasSubstr("2 samples x 2 repeats x 2 models x 1 prompts = 8 trials, "
                                        "allowed: at most 5"));
    EXPECT_EQ(coordinator.call("POST", "/api/v1/runs", by_path).status, 201);
}

TEST(Bounds, ARunOfAsManyTrialsAsAllowedCostsNoMemoryAndCanBeSteered) {
    CoordinatorProcess coordinator({"--window-jobs", "1000"});
    put_lines(coordinator, 10'000);
    limit_memory(coordinator, 256 * kMiB);
    const auto answer =
        coordinator.call("POST", "/api/v1/runs", coordinator.run_file("big", "repeats: 10000\n"));
    ASSERT_EQ(answer.status, 201) << answer.body;
    const std::string id = text_of(coordinator.get("/api/v1/runs").body, "run_id");
    ASSERT_TRUE(await_state(coordinator, id, "running")) << coordinator.log();
    EXPECT_THAT(coordinator.get("/api/v1/runs/" + id).body, HasSubstr("\"total\":100000000"));
    EXPECT_EQ(coordinator.call("POST", "/api/v1/runs/" + id + "/pause").status, 200);
    EXPECT_EQ(state_of(coordinator, id), "paused");
    coordinator.kill_and_restart();
    limit_memory(coordinator, 256 * kMiB);
    EXPECT_EQ(coordinator.call("POST", "/api/v1/runs/" + id + "/resume").status, 200);
    ASSERT_TRUE(await_state(coordinator, id, "running")) << coordinator.log();
    EXPECT_EQ(coordinator.call("POST", "/api/v1/runs/" + id + "/cancel").status, 200);
    ASSERT_TRUE(await_state(coordinator, id, "cancelled")) << coordinator.log();
    EXPECT_EQ(coordinator.call("DELETE", "/api/v1/runs/" + id).status, 204);
    expect_unharmed(coordinator);
}

TEST(Bounds, ALongTextWithAThousandAliasesIsRefusedWithTheNumbers) {
    const CoordinatorProcess coordinator;
    coordinator.put_dataset();
    limit_memory(coordinator, 256 * kMiB);
    std::string prompts = "prompts:\n  - {id: p, version: \"1\", template: &big \"{{task}} " +
                          std::string(3 * kMiB, 'x') + "\"}\n";
    for (int i = 0; i < 1000; ++i)
        prompts += "  - {id: p" + std::to_string(i) + ", version: \"1\", template: *big}\n";
    const auto answer =
        coordinator.call("POST", "/api/v1/runs", coordinator.run_file("laughs", prompts));
    EXPECT_EQ(answer.status, 422);
    EXPECT_THAT(
        answer.body,
        HasSubstr("\"field\":\"prompts[1].template\",\"line\":8,\"message\":\"found 31489"));
    EXPECT_THAT(answer.body, HasSubstr("allowed: at most 4194304"));
    expect_unharmed(coordinator);
}

TEST(Bounds, AGroupOfTooManyRunsIsRefusedWithTheNumbers) {
    const CoordinatorProcess coordinator;
    coordinator.put_dataset();
    limit_memory(coordinator, 256 * kMiB);
    std::string text =
        "version: 1\nname: group\ndataset: {id: qa}\n"
        "judge: {provider: main, name: j, version: \"1\"}\nmodels:\n";
    for (int i = 0; i < 300; ++i)
        text += "  - {provider: main, name: m" + std::to_string(i) + ", version: \"1\"}\n";
    text += "prompts:\n";
    for (int i = 0; i < 300; ++i)
        text += "  - {id: p" + std::to_string(i) + ", version: \"1\", template: \"{{task}}\"}\n";
    const auto answer = coordinator.call("POST", "/api/v1/runs", text);
    EXPECT_EQ(answer.status, 422);
    EXPECT_THAT(answer.body, HasSubstr("found 300 models x 300 prompts = 90000 runs, allowed: at "
                                       "most 256 in one group"));
    expect_unharmed(coordinator);
}

}  // namespace
}  // namespace evalfleet
