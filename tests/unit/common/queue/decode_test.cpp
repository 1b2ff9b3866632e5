#include "common/queue/decode.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace evalfleet::queue {
namespace {

using redis::Reply;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Reply text(std::string bytes) {
    return Reply::string(std::move(bytes));
}

Reply array(Reply::Array items) {
    return Reply::array(std::move(items));
}

Reply words(const std::vector<std::string>& list) {
    Reply::Array items;
    for (const std::string& word : list)
        items.push_back(text(word));
    return array(std::move(items));
}

// What no function ever answers.
std::vector<Reply> hostile_replies() {
    return {Reply(),
            Reply::integer(7),
            Reply::integer(-1),
            text(""),
            text("BOGUS"),
            Reply::status("BOGUS"),
            Reply::error("ERR it broke"),
            array({}),
            array({Reply()}),
            array({array({})}),
            array({text("BOGUS"), text("x"), text("y")}),
            array({Reply(), Reply(), Reply(), Reply(), Reply(), Reply()}),
            array({array({array({array({})})}), array({}), array({})})};
}

template <class Decode>
void expect_invalid(const Decode& decode, const std::vector<Reply>& replies) {
    for (std::size_t i = 0; i < replies.size(); ++i) {
        const auto decoded = decode(replies[i]);
        ASSERT_FALSE(decoded) << "reply " << i;
        EXPECT_EQ(decoded.error().kind, ErrorKind::invalid) << "reply " << i;
    }
}

Reply job(std::string run, Reply index, Reply attempt, Reply deliveries, Reply tries,
          Reply payload) {
    return array({text(std::move(run)), std::move(index), std::move(attempt), std::move(deliveries),
                  std::move(tries), std::move(payload)});
}

TEST(ParseIndex, TakesDecimalNumbersOnly) {
    EXPECT_EQ(parse_index("0"), 0u);
    EXPECT_EQ(parse_index("42"), 42u);
    EXPECT_EQ(parse_index("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
    for (const char* wrong :
         {"", "-1", "+1", " 1", "1 ", "1.0", "1e3", "0x10", "abc", "1\n", "18446744073709551616"})
        EXPECT_EQ(parse_index(wrong), std::nullopt) << wrong;
}

TEST(DecodeTaken, GivesJobsWithNumbersInEitherForm) {
    const auto taken =
        decode_taken(array({Reply::integer(0),
                            job("r1", Reply::integer(3), Reply::integer(2), Reply::integer(1),
                                Reply::integer(0), text("{}")),
                            job("r2", text("4"), text("5"), text("6"), text("7"), text(""))}));
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->quiet_for, std::chrono::milliseconds(0));
    ASSERT_EQ(taken->jobs.size(), 2u);
    EXPECT_EQ(taken->jobs[0].ref, (JobRef{"r1", 3, 2}));
    EXPECT_EQ(taken->jobs[0].deliveries, 1u);
    EXPECT_EQ(taken->jobs[0].tries, 0u);
    EXPECT_EQ(taken->jobs[0].payload, "{}");
    EXPECT_EQ(taken->jobs[1].ref, (JobRef{"r2", 4, 5}));
    EXPECT_EQ(taken->jobs[1].deliveries, 6u);
    EXPECT_EQ(taken->jobs[1].tries, 7u);
    EXPECT_EQ(taken->jobs[1].payload, "");
}

TEST(DecodeTaken, KnowsHowLongNothingComes) {
    EXPECT_EQ(decode_taken(array({Reply::integer(1500)})).value().quiet_for,
              std::chrono::milliseconds(1500));
    EXPECT_EQ(decode_taken(array({Reply::integer(-1)})).value().quiet_for, std::nullopt);
}

Reply job_that_waited(Reply waited) {
    const Reply one = Reply::integer(1);
    return array({Reply::integer(0),
                  array({text("r1"), one, one, one, one, text("{}"), std::move(waited)})});
}

TEST(DecodeTaken, GivesTheWaitOfAJobWhereItIsKnown) {
    const auto waited_of = [](Reply waited) {
        return decode_taken(job_that_waited(std::move(waited))).value().jobs.at(0).waited;
    };
    EXPECT_EQ(waited_of(Reply::integer(0)), std::chrono::milliseconds(0));
    EXPECT_EQ(waited_of(Reply::integer(1500)), std::chrono::milliseconds(1500));
    EXPECT_EQ(waited_of(Reply()), std::nullopt);
    const Reply one = Reply::integer(1);
    const auto older = decode_taken(array({one, job("r1", one, one, one, one, text("{}"))}));
    EXPECT_EQ(older.value().jobs.at(0).waited, std::nullopt);
}

TEST(DecodeTaken, RefusesAWaitThatIsNoTime) {
    expect_invalid(
        decode_taken,
        {job_that_waited(Reply::integer(-1)),
         job_that_waited(Reply::integer(std::numeric_limits<std::int64_t>::min())),
         job_that_waited(text("12")), job_that_waited(text("x")), job_that_waited(array({}))});
}

Reply job_with_a_past(Reply past, Reply age) {
    const Reply one = Reply::integer(1);
    return array({Reply::integer(0), array({text("r1"), one, one, one, one, text("{}"), one,
                                            std::move(past), std::move(age)})});
}

TEST(DecodeTaken, GivesThePastOfAJobThatWasPutBack) {
    const auto taken = decode_taken(job_with_a_past(text("connect=1"), Reply::integer(1500)));
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->jobs.at(0).past, "connect=1");
    EXPECT_EQ(taken->jobs.at(0).age, std::chrono::milliseconds(1500));
    EXPECT_EQ(decode_taken(job_with_a_past(text(""), text("7"))).value().jobs.at(0).age.count(), 7);
    const auto older = decode_taken(job_that_waited(Reply::integer(0)));
    EXPECT_EQ(older.value().jobs.at(0).past, "");
    EXPECT_EQ(older.value().jobs.at(0).age.count(), 0);
}

TEST(DecodeTaken, RefusesAPastThatIsNone) {
    expect_invalid(
        decode_taken,
        {job_with_a_past(Reply(), Reply::integer(1)), job_with_a_past(array({}), Reply::integer(1)),
         job_with_a_past(text(""), Reply()), job_with_a_past(text(""), Reply::integer(-1)),
         job_with_a_past(text(""), text("x"))});
}

TEST(DecodeTaken, TellsJobsThatOthersMustDoFromNone) {
    EXPECT_TRUE(decode_taken(array({Reply::integer(-2)})).value().passed_over);
    EXPECT_EQ(decode_taken(array({Reply::integer(-2)})).value().quiet_for, std::nullopt);
    EXPECT_FALSE(decode_taken(array({Reply::integer(-1)})).value().passed_over);
    EXPECT_FALSE(decode_taken(array({Reply::integer(0)})).value().passed_over);
}

TEST(DecodeTaken, RefusesJobsOfAnotherShape) {
    const Reply zero = Reply::integer(0);
    const std::vector<Reply> jobs{Reply(),
                                  text("job"),
                                  array({}),
                                  array({text("r1"), zero, zero, zero, zero}),
                                  job("r1", Reply::integer(-1), zero, zero, zero, text("")),
                                  job("r1", text("x"), zero, zero, zero, text("")),
                                  job("r1", zero, Reply(), zero, zero, text("")),
                                  job("r1", zero, zero, array({}), zero, text("")),
                                  job("r1", zero, zero, zero, text(""), text("")),
                                  job("r1", zero, zero, zero, zero, Reply()),
                                  array({Reply::integer(1), zero, zero, zero, zero, text("")})};
    std::vector<Reply> replies = hostile_replies();
    for (const Reply& one : jobs)
        replies.push_back(array({zero, one}));
    expect_invalid(decode_taken, replies);
}

TEST(DecodeBeats, GivesOneForEachJob) {
    const auto beats = decode_beats(words({"OK", "CANCEL", "LOST"}), 3);
    ASSERT_TRUE(beats);
    EXPECT_THAT(*beats, ElementsAre(Beat::held, Beat::cancelled, Beat::lost));
    EXPECT_TRUE(decode_beats(array({}), 0).value().empty());
}

TEST(DecodeBeats, RefusesAnotherCountOrAnotherWord) {
    const auto decode = [](const Reply& reply) { return decode_beats(reply, 2); };
    std::vector<Reply> replies = hostile_replies();
    replies.push_back(words({"OK"}));
    replies.push_back(words({"OK", "OK", "OK"}));
    replies.push_back(words({"OK", "ok"}));
    replies.push_back(array({text("OK"), Reply::integer(1)}));
    expect_invalid(decode, replies);
}

TEST(DecodeDeliveries, GivesOneForEachResult) {
    const auto deliveries = decode_deliveries(words({"OK", "LATE", "DROP"}), 3);
    ASSERT_TRUE(deliveries);
    EXPECT_THAT(*deliveries, ElementsAre(Delivery::finished, Delivery::late, Delivery::dropped));
}

TEST(DecodeDeliveries, RefusesAnotherCountOrAnotherWord) {
    const auto decode = [](const Reply& reply) { return decode_deliveries(reply, 1); };
    std::vector<Reply> replies = hostile_replies();
    replies.push_back(text("OK"));
    replies.push_back(words({"OK", "OK"}));
    replies.push_back(words({"ok"}));
    expect_invalid(decode, replies);
}

TEST(DecodeFailure, KnowsFourWords) {
    EXPECT_EQ(decode_failure(text("RETRY")).value(), Failure::delayed);
    EXPECT_EQ(decode_failure(text("DEAD")).value(), Failure::dead);
    EXPECT_EQ(decode_failure(text("LOST")).value(), Failure::lost);
    EXPECT_EQ(decode_failure(text("NOTED")).value(), Failure::noted);
    EXPECT_EQ(decode_failure(text("PAUSED")).value(), Failure::paused);
    expect_invalid(decode_failure, hostile_replies());
    EXPECT_FALSE(decode_failure(text("OK")));
}

TEST(DecodeOwned, TurnsWordsIntoKindsOfErrors) {
    EXPECT_EQ(decode_owned(words({"NORUN"})).error().kind, ErrorKind::not_found);
    EXPECT_EQ(decode_owned(words({"FENCED"})).error().kind, ErrorKind::lease_lost);
    EXPECT_EQ(decode_owned(words({"DONE"})).error().kind, ErrorKind::lease_lost);
    EXPECT_EQ(decode_owned(words({"STATE"})).error().kind, ErrorKind::denied);
    expect_invalid(decode_owned, hostile_replies());
}

TEST(DecodeOwned, GivesAllItemsOfAYes) {
    EXPECT_THAT(decode_owned(words({"OK", "1"})).value(), ElementsAre(text("OK"), text("1")));
    EXPECT_EQ(decode_owned(words({"FULL"})).value().size(), 1u);
}

TEST(DecodeEnqueued, TellsWhetherTheWindowIsFull) {
    const auto all = decode_enqueued(array({text("OK"), Reply::integer(5), Reply::integer(9)}));
    ASSERT_TRUE(all);
    EXPECT_FALSE(all->window_full);
    EXPECT_EQ(all->added, 5u);
    EXPECT_EQ(all->outstanding, 9u);
    EXPECT_TRUE(decode_enqueued(words({"FULL", "0", "9"})).value().window_full);
}

TEST(DecodeEnqueued, RefusesWhatIsNotAYesWithTwoNumbers) {
    std::vector<Reply> replies = hostile_replies();
    replies.push_back(words({"OK"}));
    replies.push_back(words({"OK", "1"}));
    replies.push_back(words({"OK", "1", "x"}));
    replies.push_back(array({text("OK"), Reply::integer(-1), Reply::integer(1)}));
    expect_invalid(decode_enqueued, replies);
    EXPECT_EQ(decode_enqueued(words({"FENCED"})).error().kind, ErrorKind::lease_lost);
}

TEST(DecodeReaped, TakesTwoNumbers) {
    const auto reaped = decode_reaped(array({Reply::integer(3), text("4")}));
    ASSERT_TRUE(reaped);
    EXPECT_EQ(reaped->requeued, 3u);
    EXPECT_EQ(reaped->dead, 4u);
    std::vector<Reply> replies = hostile_replies();
    replies.push_back(array({Reply::integer(3)}));
    replies.push_back(array({Reply::integer(3), Reply::integer(-4)}));
    expect_invalid(decode_reaped, replies);
}

Reply counts_and(Reply run) {
    return array({Reply::integer(1), Reply::integer(2), Reply::integer(3), std::move(run)});
}

TEST(DecodeStats, GivesThePoolAndItsRuns) {
    const auto stats = decode_stats(
        counts_and(words({"r1", "10", "4", "2", "paused", "3", "cost", "7000", "90"})));
    ASSERT_TRUE(stats);
    EXPECT_EQ(stats->leased, 1u);
    EXPECT_EQ(stats->delayed, 2u);
    EXPECT_EQ(stats->workers, 3u);
    ASSERT_EQ(stats->runs.size(), 1u);
    EXPECT_EQ(stats->runs[0].run, "r1");
    EXPECT_EQ(stats->runs[0].outstanding, 10u);
    EXPECT_EQ(stats->runs[0].ready, 4u);
    EXPECT_EQ(stats->runs[0].results, 2u);
    EXPECT_EQ(stats->runs[0].state, "paused");
    EXPECT_EQ(stats->runs[0].leased, 3u);
    EXPECT_EQ(stats->runs[0].ended, "cost");
    EXPECT_EQ(stats->runs[0].spent, (Spent{7000, 90}));
}

TEST(DecodeStats, RefusesRunsOfAnotherShape) {
    std::vector<Reply> replies = hostile_replies();
    for (const Reply& hostile : hostile_replies())
        replies.push_back(counts_and(hostile));
    replies.push_back(counts_and(words({"r1", "10", "4", "2"})));
    replies.push_back(counts_and(words({"r1", "10", "4", "2", "paused"})));
    replies.push_back(counts_and(words({"r1", "ten", "4", "2", "paused", "3", "", "0", "0"})));
    replies.push_back(counts_and(words({"r1", "10", "4", "2", "paused", "3", "", "-1", "0"})));
    expect_invalid(decode_stats, replies);
}

Reply stream_of(Reply::Array entries) {
    return array({array({text("ef:{main}:res:r1"), array(std::move(entries))})});
}

TEST(DecodeStream, GivesRecordsAndDeadJobs) {
    const auto results = decode_stream(
        stream_of({array({text("1-0"), words({"i", "7", "a", "2", "k", "ok", "v", "{\"x\":1}"})}),
                   array({text("1-1"), words({"k", "dead", "v", "why", "a", "5", "i", "8"})})}));
    ASSERT_TRUE(results);
    ASSERT_EQ(results->size(), 2u);
    EXPECT_EQ((*results)[0].id, "1-0");
    EXPECT_EQ((*results)[0].index, 7u);
    EXPECT_EQ((*results)[0].attempt, 2u);
    EXPECT_EQ((*results)[0].kind, RunResult::Kind::record);
    EXPECT_EQ((*results)[0].value, "{\"x\":1}");
    EXPECT_EQ((*results)[1].id, "1-1");
    EXPECT_EQ((*results)[1].index, 8u);
    EXPECT_EQ((*results)[1].attempt, 5u);
    EXPECT_EQ((*results)[1].kind, RunResult::Kind::dead);
    EXPECT_EQ((*results)[1].value, "why");
}

TEST(DecodeStream, GivesNotesOfJobsThatGoOn) {
    const auto results = decode_stream(stream_of(
        {array({text("1-0"), words({"i", "7", "a", "2", "k", "note", "v", "HTTP 503"})})}));
    ASSERT_TRUE(results);
    ASSERT_EQ(results->size(), 1u);
    EXPECT_EQ(results->front().kind, RunResult::Kind::note);
    EXPECT_EQ(results->front().index, 7u);
    EXPECT_EQ(results->front().value, "HTTP 503");
}

TEST(DecodeStream, TakesNilAndAnEmptyStreamAsNoEntries) {
    EXPECT_TRUE(decode_stream(Reply()).value().empty());
    EXPECT_TRUE(decode_stream(stream_of({})).value().empty());
}

TEST(DecodeStream, KeepsTheIdOfAnEntryThatIsNotOursSoThatItCanGoAway) {
    const std::vector<Reply> fields{Reply(),
                                    text("v"),
                                    array({}),
                                    words({"i"}),
                                    words({"i", "7", "a", "2", "k", "maybe", "v", ""}),
                                    words({"i", "-7", "a", "2", "k", "ok", "v", ""}),
                                    words({"i", "7", "k", "ok", "v", ""}),
                                    words({"i", "7", "a", "2", "v", ""})};
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const auto results = decode_stream(stream_of({array({text("5-1"), fields[i]})}));
        ASSERT_TRUE(results) << i;
        ASSERT_EQ(results->size(), 1u) << i;
        EXPECT_EQ(results->front().id, "5-1") << i;
        EXPECT_EQ(results->front().index, kNoIndex) << i;
        EXPECT_EQ(results->front().kind, RunResult::Kind::dead) << i;
    }
}

TEST(DecodeStream, RefusesWhatIsNotAStream) {
    std::vector<Reply> replies = hostile_replies();
    replies.erase(replies.begin());  // nil is no entries
    replies.push_back(array({array({text("key")})}));
    replies.push_back(array({array({text("key"), text("entries")})}));
    expect_invalid(decode_stream, replies);
}

TEST(Decode, SaysWhatCameInstead) {
    EXPECT_THAT(decode_deliveries(Reply::integer(1), 1).error().message,
                HasSubstr("done is an integer"));
    EXPECT_THAT(decode_reaped(Reply()).error().message, HasSubstr("reap is nil"));
}

}  // namespace
}  // namespace evalfleet::queue
