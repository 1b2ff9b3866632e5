#include "coordinator/records/trial_shelf.hpp"

#include "common/files/atomic_file.hpp"
#include "common/files/file.hpp"
#include "coordinator/records/record_text.hpp"
#include "coordinator/records/trial_query.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace evalfleet::records {
namespace {

namespace fs = std::filesystem;

std::string line(int sample, int repeat, bool passed, const std::string& more) {
    return R"({"sample_index":)" + std::to_string(sample) + R"(,"repeat":)" +
           std::to_string(repeat) + R"(,"rubric_passed":)" + (passed ? "true" : "false") +
           R"(,"spec_passed":true)" + (more.empty() ? "" : "," + more) + "}\n";
}

std::string records() {
    return line(0, 1, true,
                R"("latency_e2e_ms":300.5,"sample_score":0.25,"correctness_score":2,)"
                R"("faithfulness_score":1,"task_type":"qa","tags":{"lang":"de","x":"y"},)"
                R"("cost_usd":0.5,"total_tokens":77,"evaluator_attempts":2,)"
                R"("started_at_utc":"2026-01-02T03:04:05.678Z")") +
           line(0, 2, false,
                R"("error_kind":"timeout","timed_out":true,"task_type":"code",)"
                R"("failure_label":"timeout_or_latency_exceeded")");
}

void write(const fs::path& file, const std::string& text) {
    files::blocking_write_atomically(file, text).value();
}

// The records of a run that is over, and where their table is kept.
class KeptTable : public ::testing::Test {
  protected:
    KeptTable() {
        write(file_, records());
        changed_ = fs::last_write_time(file_);
    }
    // Other records that look the same from outside.
    void disguise() {
        write(file_, std::string(records().size(), 'x'));
        fs::last_write_time(file_, changed_);
    }
    Result<TrialTable> open() { return TrialTable::blocking_open(file_, kept_); }

    testing::TemporaryFolder folder_;
    fs::path file_ = folder_ / "records.jsonl";
    fs::path kept_ = folder_ / "trials.table";
    fs::file_time_type changed_;
};

TEST_F(KeptTable, IsOpenedWithoutReadingTheRecords) {
    const auto read = open().value();
    disguise();
    const auto kept = open().value();
    ASSERT_EQ(kept.trials().size(), 2U);
    EXPECT_EQ(kept.file(), file_);
    for (std::size_t i = 0; i < 2; ++i) {
        const TrialEntry& a = read.trials()[i];
        const TrialEntry& b = kept.trials()[i];
        EXPECT_EQ(a.offset, b.offset);
        EXPECT_EQ(a.bytes, b.bytes);
        EXPECT_EQ(a.finished_ms, b.finished_ms);
        EXPECT_EQ(a.sample_index, b.sample_index);
        EXPECT_EQ(a.repeat, b.repeat);
        EXPECT_EQ(a.total_tokens, b.total_tokens);
        EXPECT_EQ(a.label, b.label);
        EXPECT_EQ(a.error_kind, b.error_kind);
        EXPECT_EQ(a.accuracy, b.accuracy);
        EXPECT_EQ(a.faithfulness, b.faithfulness);
        EXPECT_EQ(a.passed, b.passed);
        EXPECT_EQ(a.spec_passed, b.spec_passed);
        EXPECT_EQ(a.judge_retried, b.judge_retried);
        EXPECT_EQ(a.is_answered, b.is_answered);
        EXPECT_EQ(a.timed_out, b.timed_out);
        EXPECT_EQ(a.is_lost, b.is_lost);
        EXPECT_EQ(a.disagrees, b.disagrees);
        EXPECT_EQ(kept.slices()[b.slice_set].task_type, read.slices()[a.slice_set].task_type);
        EXPECT_EQ(kept.slices()[b.slice_set].tags, read.slices()[a.slice_set].tags);
    }
    EXPECT_FLOAT_EQ(kept.trials()[0].latency_ms, 300.5F);
    EXPECT_FLOAT_EQ(kept.trials()[0].score, 0.25F);
    EXPECT_FLOAT_EQ(kept.trials()[0].cost_usd, 0.5F);
    EXPECT_TRUE(std::isnan(kept.trials()[1].score));
}

TEST_F(KeptTable, IsMadeAgainWhenTheRecordsChanged) {
    ASSERT_TRUE(open());
    write(file_, records() + line(1, 1, true, ""));
    EXPECT_EQ(open()->trials().size(), 3U);
    EXPECT_EQ(open()->trials().size(), 3U) << "from what was kept";
}

TEST_F(KeptTable, IsMadeAgainWhateverByteOfItIsBroken) {
    ASSERT_TRUE(open());
    const std::string whole = files::blocking_read_file(kept_, 1 << 20).value();
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string broken = whole;
        broken[at] = static_cast<char>(broken[at] ^ 0x40);
        write(kept_, broken);
        const auto table = open();
        ASSERT_TRUE(table) << at;
        ASSERT_EQ(table->trials().size(), 2U) << at;
        EXPECT_EQ(table->trials()[1].repeat, 2U) << at;
    }
    write(kept_, whole.substr(0, whole.size() - 1));
    EXPECT_EQ(open()->trials().size(), 2U);
    write(kept_, "");
    EXPECT_EQ(open()->trials().size(), 2U);
}

TEST_F(KeptTable, IsNotNeeded) {
    const auto table = TrialTable::blocking_open(file_, folder_ / "no such folder" / "table");
    ASSERT_TRUE(table);
    EXPECT_EQ(table->trials().size(), 2U);
    EXPECT_FALSE(TrialTable::blocking_open(folder_ / "none.jsonl", kept_));
}

TEST(TrialShelf, KeepsWhatFitsAndTheOneInUse) {
    const testing::TemporaryFolder folder;
    std::vector<TrialShelf::Run> runs;
    for (const char* name : {"a", "b", "c"}) {
        std::filesystem::create_directories(folder / name);
        files::blocking_write_atomically(folder / name / "records.jsonl", records()).value();
        runs.push_back({store::RunFolder(folder / name), "", true});
    }
    const std::uint64_t one = [&] {
        TrialShelf measure({});
        EXPECT_TRUE(measure.blocking_take(runs[0]));
        return measure.memory_bytes();
    }();
    TrialShelf shelf({.max_bytes = 2 * one});
    for (const TrialShelf::Run& run : runs)
        EXPECT_EQ(shelf.blocking_take(run)->table().trials().size(), 2U);
    EXPECT_FALSE(shelf.has(runs[0])) << "used longest ago";
    EXPECT_TRUE(shelf.has(runs[1]));
    EXPECT_TRUE(shelf.has(runs[2]));
    EXPECT_LE(shelf.memory_bytes(), 2 * one);
    TrialShelf tiny({.max_bytes = 1});
    EXPECT_TRUE(tiny.blocking_take(runs[0]));
    EXPECT_TRUE(tiny.has(runs[0]));
}

TEST(TrialShelf, ReadsRecordsAgainThatChanged) {
    const testing::TemporaryFolder folder;
    const TrialShelf::Run run{store::RunFolder(folder.path()), "", true};
    files::blocking_write_atomically(folder / "records.jsonl", line(0, 1, true, "")).value();
    TrialShelf shelf({});
    EXPECT_EQ(shelf.blocking_take(run)->table().trials().size(), 1U);
    files::blocking_write_atomically(folder / "records.jsonl", records()).value();
    std::filesystem::last_write_time(
        folder / "records.jsonl",
        std::filesystem::file_time_type::clock::now() + std::chrono::seconds(2));
    EXPECT_EQ(shelf.blocking_take(run)->table().trials().size(), 2U);
}

TEST(TrialShelf, LetsSeveralLookAtTheSameTime) {
    const testing::TemporaryFolder folder;
    const TrialShelf::Run run{store::RunFolder(folder.path()), "", true};
    write(folder / "records.jsonl", records());
    TrialShelf shelf({});
    EXPECT_FALSE(shelf.is_ready(run));
    const auto first = shelf.blocking_take(run);
    EXPECT_TRUE(shelf.is_ready(run));
    std::size_t seen = 0;
    std::thread other([&] { seen = shelf.blocking_take(run)->table().trials().size(); });
    other.join();  // while the first still looks
    EXPECT_EQ(seen, 2U);
    EXPECT_EQ(first->table().trials().size(), 2U);
}

TEST(TrialShelf, KeepsTheTableBesideTheRun) {
    const testing::TemporaryFolder folder;
    const store::RunFolder of_run(folder.path());
    fs::create_directories(folder / "work");
    write(folder / "records.jsonl", records());
    ASSERT_TRUE(TrialShelf({}).blocking_take({of_run, "", true}));
    EXPECT_TRUE(fs::exists(table_file_of(of_run)));
}

TEST(RecordText, GivesEachRecordInWhateverOrder) {
    const testing::TemporaryFolder folder;
    std::string all;
    for (int i = 0; i < 40; ++i)
        all += line(i, 1, true,
                    R"("answer":")" + std::string(50'000, static_cast<char>('a' + i % 26)) + '"');
    write(folder / "records.jsonl", all);
    const auto table = TrialTable::blocking_load(folder / "records.jsonl").value();
    auto text = RecordText::blocking_open(table).value();
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < 40; ++i)
        order.push_back(i);
    for (std::size_t i = 40; i > 0; --i)
        order.push_back(i - 1);
    for (std::size_t i = 0; i < 40; i += 3)
        order.push_back(i);
    for (const std::size_t i : order) {
        const TrialEntry& trial = table.trials()[i];
        const auto read = text.blocking_read(trial);
        ASSERT_TRUE(read);
        EXPECT_EQ(*read, std::string_view(all).substr(trial.offset, trial.bytes)) << i;
    }
}

}  // namespace
}  // namespace evalfleet::records
