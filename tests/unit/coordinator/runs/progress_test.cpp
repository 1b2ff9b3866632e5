#include "coordinator/runs/progress.hpp"

#include "common/json/document.hpp"

#include <gtest/gtest.h>

namespace evalfleet::runs {
namespace {

Progress half_way() {
    Progress progress;
    progress.run_id = "20261116-155501-3f9a2c-nightly";
    progress.name = "nightly \"A\"";
    progress.phase = RunPhase::running;
    progress.total = 200;
    progress.done = 100;
    progress.passed = 84;
    progress.pass_rate_ci95 = statistics::Interval{0.7558, 0.899};
    progress.errors = 3;
    progress.in_flight = 64;
    progress.workers = 2;
    progress.trials_per_s = 40;
    progress.elapsed_s = 2.5;
    progress.folder = "runs/nightly";
    return progress;
}

json::Document shown(const Progress& progress) {
    return std::move(json::Document::parse(to_json(progress)).value());
}

TEST(ProgressJson, HasTheFieldsOfTheApi) {
    const json::Document document = shown(half_way());
    const json::Value root = document.root();
    EXPECT_EQ(root.get<std::string>("run_id").value(), "20261116-155501-3f9a2c-nightly");
    EXPECT_EQ(root.get<std::string>("name").value(), "nightly \"A\"");
    EXPECT_EQ(root.get<std::string>("state").value(), "running");
    EXPECT_EQ(root.get<std::uint64_t>("total").value(), 200u);
    EXPECT_EQ(root.get<std::uint64_t>("done").value(), 100u);
    EXPECT_EQ(root.get<std::uint64_t>("passed").value(), 84u);
    EXPECT_EQ(root.get<std::uint64_t>("failed").value(), 16u);
    EXPECT_EQ(root.get<std::uint64_t>("errors").value(), 3u);
    EXPECT_EQ(root.get<std::uint64_t>("in_flight").value(), 64u);
    EXPECT_EQ(root.get<std::uint64_t>("workers").value(), 2u);
    EXPECT_EQ(root.get<double>("trials_per_s").value(), 40);
    EXPECT_EQ(root.get<double>("elapsed_s").value(), 2.5);
    EXPECT_EQ(root.get<std::string>("folder").value(), "runs/nightly");
}

TEST(ProgressJson, ShowsThePassRateWithinItsLimits) {
    const json::Document document = shown(half_way());
    const json::Value root = document.root();
    EXPECT_DOUBLE_EQ(root.get<double>("pass_rate").value(), 0.84);
    EXPECT_EQ(root.get<double>("pass_rate_ci95_lower").value(), 0.7558);
    EXPECT_EQ(root.get<double>("pass_rate_ci95_upper").value(), 0.899);
}

TEST(ProgressJson, DividesWhatIsLeftByTheRate) {
    const json::Document document = shown(half_way());
    EXPECT_DOUBLE_EQ(document.root().get<double>("eta_s").value(), 2.5);
    Progress complete = half_way();
    complete.done = complete.total;
    EXPECT_EQ(shown(complete).root().get<double>("eta_s").value(), 0);
}

void expect_null(const Progress& progress, std::initializer_list<const char*> names) {
    const json::Document document = shown(progress);
    for (const char* name : names) {
        const auto member = document.root().find(name);
        ASSERT_TRUE(member) << name;
        EXPECT_TRUE(member->is_null()) << name;
    }
}

TEST(ProgressJson, HasNoRateBeforeTheFirstTrialIsDone) {
    Progress progress = half_way();
    progress.done = 0;
    progress.passed = 0;
    progress.pass_rate_ci95 = std::nullopt;
    expect_null(progress, {"pass_rate", "pass_rate_ci95_lower", "pass_rate_ci95_upper"});
    EXPECT_EQ(shown(progress).root().get<std::uint64_t>("failed").value(), 0u);
}

TEST(ProgressJson, DoesNotGuessTheTimeWithoutARate) {
    Progress progress = half_way();
    progress.trials_per_s = 0;
    expect_null(progress, {"eta_s"});
    progress.trials_per_s.reset();
    expect_null(progress, {"eta_s", "trials_per_s"});
}

TEST(ProgressJson, WritesNullForWhatIsNotKnown) {
    expect_null(half_way(), {"group_id", "note", "release_ready", "measured"});
    Progress progress = half_way();
    progress.group_id = "g";
    progress.note = "no workers";
    progress.release_ready = false;
    progress.measured = job::Measured::not_measured;
    const json::Document document = shown(progress);
    EXPECT_EQ(document.root().get<std::string>("group_id").value(), "g");
    EXPECT_EQ(document.root().get<std::string>("note").value(), "no workers");
    EXPECT_FALSE(document.root().get<bool>("release_ready").value());
    EXPECT_EQ(document.root().get<std::string>("measured").value(), "not_measured");
}

}  // namespace
}  // namespace evalfleet::runs
