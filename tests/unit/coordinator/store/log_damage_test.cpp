#include "common/files/file.hpp"
#include "coordinator/store/durable_log.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <random>

namespace evalfleet::store {
namespace {

using Records = std::map<std::uint64_t, std::string>;

constexpr std::uint64_t kTrials = 40;

std::string record_of(std::uint64_t index) {
    return R"({"trial":)" + std::to_string(index) + R"(,"text":")" +
           std::string(200 + index * 7, 'x') + "\"}";
}

/// A log with one record a trial, whose bytes can be changed while nobody has it open.
class LogDamageTest : public ::testing::Test {
  protected:
    LogDamageTest() {
        auto log = open();
        for (std::uint64_t index = 0; index < kTrials; ++index) {
            const std::string record = record_of(index);
            const std::vector<Entry> batch{{EntryKind::record, index, record}};
            places.push_back(log->blocking_append(batch).value().front());
        }
        bytes = files::blocking_read_file(path, 1 << 24).value();
    }

    Result<DurableLog> open() {
        found.clear();
        return DurableLog::blocking_open(path, [this](const Entry& entry, std::uint64_t) {
            found.emplace(entry.number, entry.bytes);
        });
    }

    void write() const { std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes; }
    void flip(std::uint64_t place) { bytes[place] = static_cast<char>(bytes[place] ^ 0x10); }

    // Everything but these is found, and what is appended then is found as well.
    void expect_lost(const std::vector<std::uint64_t>& lost) {
        write();
        Records expected;
        for (std::uint64_t index = 0; index < kTrials; ++index)
            expected[index] = record_of(index);
        for (const std::uint64_t index : lost)
            expected.erase(index);
        {
            auto log = open();
            ASSERT_TRUE(log) << log.error().message;
            EXPECT_EQ(found, expected);
            const std::vector<Entry> more{{EntryKind::record, 1000, "more"}};
            EXPECT_TRUE(log->blocking_append(more));
        }
        expected[1000] = "more";
        ASSERT_TRUE(open());
        EXPECT_EQ(found, expected);
    }

    testing::TemporaryFolder folder;
    std::filesystem::path path = folder / "trials.log";
    std::string bytes;                  // of the file
    std::vector<std::uint64_t> places;  // of the records in it
    Records found;
};

TEST_F(LogDamageTest, AFlippedBitAnywhereInAFrameLosesThatRecordOnly) {
    const std::uint64_t begin = places[3];
    const std::uint64_t end = places[4];
    const std::string sound = bytes;
    for (std::uint64_t place = begin; place < end; place += place < begin + 20 ? 1 : 37) {
        SCOPED_TRACE(place - begin);
        bytes = sound;
        flip(place);
        expect_lost({3});
    }
}

TEST_F(LogDamageTest, DamageInSeveralPlacesLosesThoseRecordsOnly) {
    for (const std::uint64_t trial : {2, 3, 17, 30})
        flip(places[trial] + 40);
    expect_lost({2, 3, 17, 30});
}

TEST_F(LogDamageTest, AnEmptyPageLosesTheRecordsItTouchesOnly) {
    const std::uint64_t page = (places[10] / 4096 + 1) * 4096;
    ASSERT_LT(page + 4096, places[kTrials - 2]);
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(page), 4096, '\0');
    std::vector<std::uint64_t> lost;
    for (std::uint64_t index = 0; index < kTrials; ++index) {
        const std::uint64_t end = index + 1 < kTrials ? places[index + 1] : bytes.size();
        if (places[index] < page + 4096 && end > page) lost.push_back(index);
    }
    ASSERT_GT(lost.size(), 2U);
    expect_lost(lost);
}

TEST_F(LogDamageTest, BytesMissingInTheMiddleLoseTheRecordsTheyWereOf) {
    bytes.erase(places[5] + 30, places[8] - places[5]);
    expect_lost({5, 6, 7, 8});
}

TEST_F(LogDamageTest, GarbageBehindTheEndLosesNothing) {
    std::mt19937 random(5);
    for (int i = 0; i < 5000; ++i)
        bytes.push_back(static_cast<char>(random()));
    expect_lost({});
}

TEST_F(LogDamageTest, GarbageInTheMiddleLosesNothing) {
    bytes.insert(places[9], std::string(3000, '\x7f'));
    expect_lost({});
}

TEST_F(LogDamageTest, FramesThatAreThereTwiceCountOnce) {
    const std::string twice = bytes.substr(places[5], places[9] - places[5]);
    bytes.insert(places[20], twice);
    bytes += twice;
    expect_lost({});
}

TEST_F(LogDamageTest, ALogWhoseBeginningIsDamagedIsStillOne) {
    flip(2);
    expect_lost({});
}

TEST_F(LogDamageTest, ALogCutInTheMiddleKeepsWhatIsBeforeTheCut) {
    bytes.resize(places[30] + 25);
    std::vector<std::uint64_t> lost;
    for (std::uint64_t index = 30; index < kTrials; ++index)
        lost.push_back(index);
    expect_lost(lost);
}

TEST_F(LogDamageTest, RandomDamageNeverLosesMoreThanItTouched) {
    const std::string sound = bytes;
    std::mt19937 random(11);
    for (int round = 0; round < 60; ++round) {
        SCOPED_TRACE(round);
        bytes = sound;
        std::vector<std::uint64_t> lost;
        for (int i = 0; i < 5; ++i) {
            const std::uint64_t place = places[0] + random() % (bytes.size() - places[0]);
            flip(place);
            const auto after = std::upper_bound(places.begin(), places.end(), place);
            lost.push_back(static_cast<std::uint64_t>(after - places.begin()) - 1);
        }
        // Two flips in one byte undo each other; then nothing is lost there.
        if (bytes == sound) continue;
        std::sort(lost.begin(), lost.end());
        lost.erase(std::unique(lost.begin(), lost.end()), lost.end());
        expect_lost(lost);
    }
}

TEST_F(LogDamageTest, IsNamedAndKeptAside) {
    flip(places[7] + 3);
    flip(places[12] + 60);
    write();
    const std::string damaged = bytes.substr(places[7], places[8] - places[7]);
    for (int opening = 0; opening < 2; ++opening) {  // it is known as long as there is the log
        const auto log = open();
        ASSERT_TRUE(log);
        const std::vector<LogDamage> expected{{places[7], places[8] - places[7]},
                                              {places[12], places[13] - places[12]}};
        EXPECT_EQ(log->recovery().damage, expected);
        EXPECT_EQ(log->recovery().cut_bytes, 0U);
        EXPECT_TRUE(log->recovery().is_damaged());
        EXPECT_THAT(
            log->recovery().describe_damage(),
            ::testing::HasSubstr("2 places, the first at byte " + std::to_string(places[7])));
    }
    const auto kept =
        folder.path() / "damaged" /
        ("trials.log-" + std::to_string(places[7]) + "-" + std::to_string(places[8] - places[7]));
    EXPECT_EQ(files::blocking_read_file(kept, 1 << 20).value(), damaged);
}

TEST_F(LogDamageTest, IsNotWhatACrashTears) {
    bytes.resize(bytes.size() - 5);
    write();
    const auto log = open();
    EXPECT_FALSE(log->recovery().is_damaged()) << log->recovery().describe_damage();
    EXPECT_GT(log->recovery().cut_bytes, 0U);
    EXPECT_EQ(log->recovery().describe_damage(), "");
    EXPECT_FALSE(std::filesystem::exists(folder / "damaged"));
}

TEST_F(LogDamageTest, ALogThatLostItsEndSaysSo) {
    ASSERT_TRUE(open());  // it has been seen whole
    bytes.resize(places[20]);
    write();
    const auto log = open();
    EXPECT_TRUE(log->recovery().is_damaged());
    EXPECT_THAT(log->recovery().describe_damage(), ::testing::HasSubstr("missing at its end"));
}

TEST_F(LogDamageTest, NeverTakesTheEpochBack) {
    std::uint64_t last = open()->epoch();
    last = open()->epoch();
    const auto expect_higher = [&](const char* what) {
        write();
        const auto log = open();
        ASSERT_TRUE(log) << what;
        EXPECT_GT(log->epoch(), last) << what;
        last = log->epoch();
        bytes = files::blocking_read_file(path, 1 << 24).value();
    };
    bytes = files::blocking_read_file(path, 1 << 24).value();
    flip(bytes.size() - 2);
    expect_higher("the last epoch was damaged");
    bytes.resize(places[0]);
    expect_higher("all but the first was lost");
    bytes.clear();
    expect_higher("the log was empty");
    std::filesystem::remove(folder / "trials.log.epoch");
    expect_higher("only the log was left");
    std::ofstream(folder / "trials.log.epoch") << "nonsense";
    flip(bytes.size() - 2);
    expect_higher("both were damaged");
}

}  // namespace
}  // namespace evalfleet::store
