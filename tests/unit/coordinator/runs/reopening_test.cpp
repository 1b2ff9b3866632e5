#include "coordinator/runs/reopening.hpp"

#include "common/files/atomic_file.hpp"
#include "common/job/trial_record_json.hpp"
#include "common/scoring/derive.hpp"
#include "coordinator/runs/finisher.hpp"
#include "tests/support/temporary_folder.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

namespace evalfleet::runs {
namespace {

constexpr int kSamples = 4;

class Reopening : public ::testing::Test {
  protected:
    Reopening() {
        std::string samples;
        for (int i = 0; i < kSamples; ++i)
            samples += "{\"task\":\"t\"}\n";
        files::blocking_write_atomically(folder_ / "d.jsonl", samples).value();
    }

    void make(job::EarlyStop early_stop = job::EarlyStop::never) {
        files_.metadata.run_id = "r";
        files_.metadata.sample_count = kSamples;
        files_.metadata.dataset_hash =
            runfile::Dataset::blocking_open(folder_ / "d.jsonl").value().sha256();
        files_.spec.early_stop = early_stop;
        run_ =
            store::RunFolder::blocking_create(folder_.path(), "r", "{}", "{}", folder_ / "d.jsonl")
                .value();
        open();
    }

    /// As a coordinator that was started again does it.
    void open() {
        open_.reset();
        open_ = OpenRun::blocking_open(*run_, files_, {}).value();
    }

    static job::TrialRecord answered(std::int64_t sample) {
        job::TrialRecord record;
        record.run_id = "r";
        record.sample_index = sample;
        record.answer = "a";
        record.latency_e2e_ms = 5;
        record.input_tokens = 3;
        record.output_tokens = 2;
        record.correctness_score = 2;
        record.faithfulness_score = 2;
        record.hallucination_score = 0;
        record.cost_usd = 1;
        return record;
    }
    static job::TrialRecord refused(std::int64_t sample, std::int64_t status) {
        job::TrialRecord record;
        record.run_id = "r";
        record.sample_index = sample;
        record.error_kind = job::CallError::http_4xx;
        record.http_status = status;
        record.cost_usd = 1;
        return record;
    }

    void enter(job::TrialRecord record) {
        scoring::derive(record, {});
        const auto index = static_cast<std::uint64_t>(record.sample_index);
        const std::string line = job::to_json(record);
        const store::Entry entries[]{{store::EntryKind::record, index, line}};
        const auto offsets = open_->log.blocking_append(entries).value();
        ASSERT_TRUE(open_->book.ledger.mark(index, offsets.front()));
        open_->book.enter(index, Tally::of(record));
        open_->book.cursor = std::max(open_->book.cursor, index + 1);
    }

    std::uint64_t reopen() {
        boost::asio::io_context context;
        async::BlockingPool durable({.threads = 1});
        async::HeavyPool heavy({.threads = 1, .large_at_once = 1});
        Result<std::uint64_t> count = std::uint64_t{0};
        boost::asio::co_spawn(context, reopen_unmeasured(*open_, durable, heavy),
                              [&](const std::exception_ptr& thrown, Result<std::uint64_t> result) {
                                  EXPECT_FALSE(thrown);
                                  count = std::move(result);
                              });
        context.run();
        return count.value();
    }

    /// The same before and after a restart.
    void expect_counts(std::uint64_t done, std::uint64_t passed, std::uint64_t errored,
                       std::uint64_t usd) {
        for (const bool is_restarted : {false, true}) {
            if (is_restarted) open();
            const RunBook& book = open_->book;
            EXPECT_EQ(book.ledger.count_done(), done) << is_restarted;
            EXPECT_EQ(book.tally.count(), done) << is_restarted;
            EXPECT_EQ(book.tally.count_passed(), passed) << is_restarted;
            EXPECT_EQ(book.tally.count_errored(), errored) << is_restarted;
            EXPECT_EQ(book.tally.spent().nano_usd, usd * 1'000'000'000) << is_restarted;
        }
    }

    ::evalfleet::testing::TemporaryFolder folder_;
    RunFiles files_;
    std::optional<store::RunFolder> run_;
    std::unique_ptr<OpenRun> open_;
};

TEST_F(Reopening, MakesRecordsVoidOfTrialsThatWereNotMeasured) {
    make();
    enter(answered(0));
    enter(refused(1, 401));
    enter(refused(2, 400));
    EXPECT_EQ(reopen(), 1U);
    EXPECT_FALSE(open_->book.ledger.is_done(1));
    EXPECT_TRUE(open_->book.ledger.is_done(2)) << "others were answered: it is the sample's fault";
    EXPECT_EQ(open_->book.cursor, 1U) << "it goes out again";
    expect_counts(2, 1, 1, 3);
    enter(answered(1));
    expect_counts(3, 2, 1, 4);
    EXPECT_EQ(reopen(), 0U) << "everything is measured";
}

TEST_F(Reopening, TheLastRecordCountsEvenIfDamageTookTheEntryThatMadeTheFirstVoid) {
    make();
    enter(answered(0));
    enter(refused(1, 401));
    EXPECT_EQ(reopen(), 1U);
    enter(answered(1));
    expect_counts(2, 2, 0, 3);
    open_.reset();
    std::string frame;
    store::append_frame(frame, {store::EntryKind::reopened, 1, {}});
    std::string bytes = files::blocking_read_file(run_->log(), 1 << 20).value();
    const std::size_t place = bytes.find(frame);
    ASSERT_NE(place, std::string::npos);
    bytes[place + 5] = static_cast<char>(bytes[place + 5] ^ 1);
    ASSERT_TRUE(files::blocking_write_atomically(run_->log(), bytes));
    open();
    EXPECT_NE(open_->book.log_damage, "");
    expect_counts(2, 2, 0, 3);
}

TEST_F(Reopening, TriesRefusedRequestsAgainIfNothingWasAnswered) {
    make();
    enter(refused(0, 400));
    enter(refused(1, 400));
    EXPECT_EQ(reopen(), 2U);
    expect_counts(0, 0, 0, 2);
}

TEST_F(Reopening, KeepsTheLastOfSeveralRecords) {
    make();
    for (int round = 0; round < 3; ++round) {
        enter(refused(0, 401));
        EXPECT_EQ(reopen(), 1U);
    }
    enter(answered(0));
    expect_counts(1, 1, 0, 4);
    const auto offset = open_->book.ledger.offset(0).value();
    EXPECT_NE(open_->log.blocking_read(offset).value().find("\"answer\":\"a\""), std::string::npos);
}

TEST_F(Reopening, WatchesTheGatesOverWhatIsLeft) {
    make(job::EarlyStop::gates);
    for (int sample = 0; sample < kSamples; ++sample)
        enter(refused(sample, 401));
    EXPECT_EQ(open_->book.gates->count_samples(), 4U);
    EXPECT_EQ(reopen(), 4U);
    EXPECT_EQ(open_->book.gates->count_samples(), 0U);
    enter(answered(0));
    const std::uint64_t counted = open_->book.gates->count_samples();
    open();
    EXPECT_EQ(open_->book.gates->count_samples(), counted);
}

/// Of a coordinator that is to end.
class StoppedWork : public Reopening {
  protected:
    StoppedWork() { stopped_.request_stop(); }
    std::stop_source stopped_;
};

TEST_F(StoppedWork, ReadsTheLogNoFurther) {
    make();
    enter(answered(0));
    open_.reset();
    EXPECT_THROW((void)OpenRun::blocking_open(*run_, files_, {}, stopped_.get_token()),
                 boost::system::system_error);
    open();
    EXPECT_EQ(open_->book.ledger.count_done(), 1U) << "the next one finds everything";
}

TEST_F(StoppedWork, LeavesNoHalfOfAFile) {
    make();
    enter(answered(0));
    EXPECT_THROW((void)blocking_finish(*run_, open_->log, open_->book, files_.metadata,
                                       stopped_.get_token()),
                 boost::system::system_error);
    for (const auto& entry : std::filesystem::directory_iterator(run_->path()))
        EXPECT_FALSE(entry.path().filename().string().find("records") != std::string::npos)
            << entry.path();
}

}  // namespace
}  // namespace evalfleet::runs
