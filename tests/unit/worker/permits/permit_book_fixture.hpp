#pragma once

#include "worker/permits/permit_book.hpp"

#include <gtest/gtest.h>

namespace evalfleet::worker {

/// A book, a clock, and a Redis that says what the test wants.
class PermitBookTest : public ::testing::Test {
  protected:
    using milliseconds = std::chrono::milliseconds;

    static constexpr queue::WindowTerms kTerms{milliseconds(60'000), milliseconds(1'000),
                                               milliseconds(30'000)};
    static constexpr milliseconds kServerNow{1'000'000};

    explicit PermitBookTest(queue::LimitKey key = {.name = "k", .max_concurrent = 100})
        : book_({std::move(key), kTerms}) {}

    void enter(PermitBook::Ticket ticket, std::int64_t tokens = 0,
               CallRank rank = CallRank::first) {
        book_.enter(ticket, tokens, rank);
    }
    std::vector<PermitBook::Ticket> serve() {
        std::vector<PermitBook::Ticket> tickets;
        for (const auto& start : book_.serve(now_)) {
            tickets.push_back(start.ticket);
            charges_.push_back(start.charge);
        }
        return tickets;
    }
    std::optional<queue::PermitAsk> ask() { return book_.next_ask(now_); }
    void answer(const queue::PermitAnswer& answer) { book_.answered(answer, now_, now_, 0); }
    /// There is room for so many.
    void allow(std::uint64_t calls) { answer({.allowed = calls, .target = calls}); }
    /// Whatever is asked for is given.
    queue::PermitAsk agree() {
        const auto asked = ask();
        EXPECT_TRUE(asked);
        queue::PermitAnswer all;
        all.granted = asked->wishes.size();
        all.bucket = 7;
        all.allowed = asked->in_use + asked->wanted;
        all.target = all.allowed;
        all.server_now = kServerNow;
        answer(all);
        return *asked;
    }
    void end(CallEnd::Kind kind = CallEnd::Kind::answered, milliseconds rest = milliseconds(0)) {
        CallEnd how;
        how.kind = kind;
        how.sent = now_;
        how.rest = rest;
        end(how);
    }
    void end(const CallEnd& how) {
        const auto charge = charges_.empty() ? std::nullopt : charges_.front();
        if (!charges_.empty()) charges_.erase(charges_.begin());
        book_.end(charge, how, now_);
    }
    void pass(milliseconds time) { now_ += time; }

    PermitBook book_;
    async::TimePoint now_{std::chrono::hours(1)};
    std::vector<std::optional<Charge>> charges_;
};

}  // namespace evalfleet::worker
