#include "common/async/task_group.hpp"
#include "common/files/atomic_file.hpp"
#include "common/files/file.hpp"
#include "common/job/sha256.hpp"
#include "common/json/document.hpp"
#include "common/json/writer.hpp"
#include "common/scoring/derive.hpp"
#include "tests/integration/runs/pool_stage.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

namespace evalfleet::runs {
namespace {

namespace asio = boost::asio;
using ::testing::HasSubstr;

constexpr std::uint64_t kSamples = 600;
constexpr std::uint64_t kFirst = 200;  ///< come back at once, and are good
constexpr std::uint64_t kOut = 350;    ///< are out at the same time

/// A run that may end early, with the test as its worker: it takes trials in the run's own order
/// and says when which of them comes back.
class EarlyEndTest : public ::testing::Test {
  protected:
    store::RunFolder make_run() {
        std::string lines;
        for (std::uint64_t i = 0; i < kSamples; ++i)
            lines += fmt::format("{{\"id\":\"s{}\",\"task\":\"?\"}}\n", i);
        files::blocking_write_atomically(stage.folder / "qa.jsonl", lines).value();
        job::Sha256 hash;
        hash.add(lines);
        job::RunSpec spec;
        spec.name = "run";
        spec.dataset.path = (stage.folder / "qa.jsonl").string();
        spec.models = {{"p", "m", "1"}};
        spec.judge = job::JudgeSpec{{"p", "j", "1"}};
        spec.early_stop = job::EarlyStop::gates;
        job::RunMetadata metadata;
        metadata.run_id = "run";
        metadata.timestamp_utc = "t";
        metadata.dataset_hash = hash.hex();
        metadata.sample_count = kSamples;
        metadata.model = spec.models.front();
        metadata.policy.gates.max_faithfulness_failure_rate = 0.2;
        metadata.policy.bootstrap.replicates = 100;
        std::string spec_json;
        json::Writer writer(spec_json);
        job::write(writer, spec);
        return store::RunFolder::blocking_create(stage.folder.path(), "run", job::to_json(metadata),
                                                 spec_json, stage.folder / "qa.jsonl")
            .value();
    }

    static std::string record_of(std::uint64_t index, bool is_good) {
        job::TrialRecord record;
        record.run_id = "run";
        record.sample_index = static_cast<std::int64_t>(index);
        record.sample_id = fmt::format("s{}", index);
        record.answer = "a";
        record.latency_e2e_ms = 5;
        record.input_tokens = 3;
        record.output_tokens = 2;
        record.correctness_score = is_good ? 2 : 0;
        record.faithfulness_score = 2;
        record.hallucination_score = 0;
        scoring::derive(record, {});
        return job::to_json(record);
    }

    asio::awaitable<void> deliver(queue::JobRef job, bool is_good) {
        const std::string record = record_of(job.index, is_good);
        (void)(co_await stage.worker.done(job, record, soon())).value();
    }

    /// As many trials as that, in the order in which they go out.
    asio::awaitable<std::vector<queue::JobRef>> take(std::uint64_t count) {
        std::vector<queue::JobRef> taken;
        const async::TimePoint deadline = soon();
        while (taken.size() < count && stage.clock.now() < deadline) {
            std::vector<std::string> providers{"p"};
            const auto some = co_await stage.worker.take(
                count - taken.size(), std::chrono::minutes(5), std::move(providers), soon());
            for (const queue::TakenJob& job : some.value().jobs)
                taken.push_back(job.ref);
            if (some->jobs.empty()) co_await stage.clock.wait_for(std::chrono::milliseconds(5));
        }
        EXPECT_EQ(taken.size(), count);
        const reduce::TrialOrder order("run", kSamples, 1);
        const auto place = [&order](const queue::JobRef& job) { return order.position(job.index); };
        std::ranges::sort(taken, {}, place);
        co_return taken;
    }

    asio::awaitable<void> await_state(std::string state) {
        co_await stage.until([this, &state] {
            const auto& runs = stage.watch.view().stats.runs;
            return std::ranges::any_of(runs, [&state](const queue::RunStats& run) {
                return run.run == "run" && run.state == state;
            });
        });
    }

    /// The first samples come back good, which decides it; the others are under way.
    asio::awaitable<std::vector<queue::JobRef>> make_certain() {
        std::vector<queue::JobRef> out = co_await take(kOut);
        for (std::uint64_t i = 0; i < kFirst; ++i)
            co_await deliver(out[i], true);
        co_await await_state("pause");
        out.erase(out.begin(), out.begin() + kFirst);
        co_return out;
    }

    RunDeps deps() {
        RunDeps deps = stage.deps(stage.clock);
        deps.window = {kOut, 1 << 30};
        return deps;
    }

    static json::Document summary_of(const store::RunFolder& folder) {
        const auto text = files::blocking_read_file(folder.file("summary.json"), 1 << 24).value();
        return std::move(json::Document::parse(text).value());
    }

    void act(
        const std::function<asio::awaitable<void>(RunKeeper&, const store::RunFolder&)>& play) {
        const auto scene = [this, &play]() -> asio::awaitable<void> {
            const store::RunFolder folder = make_run();
            RunKeeper keeper(deps(), folder);
            async::TaskGroup group(co_await asio::this_coro::executor, [](std::exception_ptr) {});
            group.spawn(keeper.run());
            std::exception_ptr failure;
            try {
                co_await play(keeper, folder);
            } catch (...) {
                failure = std::current_exception();
            }
            group.cancel();
            co_await group.join();
            if (failure) std::rethrow_exception(failure);
        };
        stage.act(scene);
    }

    PoolStage stage;
};

TEST_F(EarlyEndTest, EndsOnceWhatWasUnderWayCameBackAndAgrees) {
    act([this](RunKeeper& keeper, const store::RunFolder& folder) -> asio::awaitable<void> {
        for (const queue::JobRef& job : co_await make_certain()) {
            EXPECT_EQ(keeper.phase(), RunPhase::running) << "calls are under way";
            co_await deliver(job, true);
        }
        co_await stage.until([&keeper] { return keeper.phase() == RunPhase::done; });
        const json::Document summary = summary_of(folder);
        EXPECT_EQ(summary.root().find("rubric")->get<std::uint64_t>("total_count").value(), kOut);
        EXPECT_TRUE(summary.root().find("extra")->get<bool>("stopped_early").value());
        EXPECT_TRUE(summary.root().get<bool>("release_ready").value());
    });
}

// Slow calls are the last to come back, and these are bad: the run would have ended with a verdict
// that its own report does not have.
TEST_F(EarlyEndTest, GoesOnIfWhatWasUnderWayTurnsTheSummary) {
    act([this](RunKeeper& keeper, const store::RunFolder& folder) -> asio::awaitable<void> {
        for (const queue::JobRef& job : co_await make_certain())
            co_await deliver(job, false);
        co_await await_state("run");
        EXPECT_EQ(keeper.phase(), RunPhase::running);
        for (const queue::JobRef& job : co_await take(kSamples - kOut))
            co_await deliver(job, false);
        co_await stage.until([&keeper] { return keeper.phase() == RunPhase::done; });
        const json::Document summary = summary_of(folder);
        EXPECT_EQ(summary.root().find("rubric")->get<std::uint64_t>("total_count").value(),
                  kSamples);
        EXPECT_FALSE(summary.root().find("extra")->get<bool>("stopped_early").value());
        EXPECT_FALSE(summary.root().get<bool>("release_ready").value());
    });
}

// What is under way leaves the verdict as it is, but it is worse than what came first.
TEST_F(EarlyEndTest, SaysWhatMovesAndGoesOn) {
    act([this](RunKeeper& keeper, const store::RunFolder& folder) -> asio::awaitable<void> {
        for (const queue::JobRef& job : co_await make_certain())
            co_await deliver(job, job.index % 10 != 0);
        co_await await_state("run");
        std::string note;
        co_await stage.until([&keeper, &note] {
            note = keeper.progress()->note.value_or("");
            return !note.empty();
        });
        EXPECT_THAT(note, HasSubstr("not ended early: the "));
        EXPECT_THAT(note, HasSubstr("in the first third of the samples"));
        for (const queue::JobRef& job : co_await take(kSamples - kOut))
            co_await deliver(job, true);
        co_await stage.until([&keeper] { return keeper.phase() == RunPhase::done; });
        EXPECT_FALSE(summary_of(folder).root().find("extra")->get<bool>("stopped_early").value());
    });
}

}  // namespace
}  // namespace evalfleet::runs
