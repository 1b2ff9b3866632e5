#include "coordinator/access/session_book.hpp"

#include "coordinator/access/cookie.hpp"

#include <gtest/gtest.h>

namespace evalfleet::access {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr async::TimePoint kNow{hours(1000)};

TEST(SessionBook, FindsASessionByItsIdUntilItExpires) {
    SessionBook book({.lifetime = seconds(60)});
    book.open("id", "csrf", "hash", kNow);
    ASSERT_NE(book.find("id", kNow + seconds(59)), nullptr);
    EXPECT_EQ(book.find("id", kNow)->csrf, "csrf");
    EXPECT_EQ(book.find("id", kNow)->token_sha256, "hash");
    EXPECT_EQ(book.find("other", kNow), nullptr);
    EXPECT_EQ(book.find("", kNow), nullptr);
    EXPECT_EQ(book.find("id", kNow + seconds(60)), nullptr);
    EXPECT_EQ(book.size(), 0U) << "what has expired is forgotten";
}

TEST(SessionBook, EndsOneWithoutTheOthers) {
    SessionBook book({});
    book.open("a", "x", "hash", kNow);
    book.open("b", "y", "hash", kNow);
    book.close("a");
    book.close("never");
    EXPECT_EQ(book.find("a", kNow), nullptr);
    EXPECT_NE(book.find("b", kNow), nullptr);
}

TEST(SessionBook, KeepsOnlySoManyTheYoungest) {
    SessionBook book({.max_sessions = 3});
    for (int i = 0; i < 10; ++i)
        book.open("id" + std::to_string(i), "x", "hash", kNow + seconds(i));
    EXPECT_EQ(book.size(), 3U);
    EXPECT_EQ(book.find("id6", kNow), nullptr);
    EXPECT_NE(book.find("id7", kNow), nullptr);
}

TEST(SessionBook, MakesRoomByThoseThatHaveExpired) {
    SessionBook book({.lifetime = seconds(10), .max_sessions = 100});
    for (int i = 0; i < 50; ++i)
        book.open("id" + std::to_string(i), "x", "hash", kNow);
    book.open("late", "x", "hash", kNow + seconds(10));
    EXPECT_EQ(book.size(), 1U);
}

TEST(Cookie, IsFoundAmongOthers) {
    const http::Headers headers{{"Cookie", "a=1; evalfleet_session=abc;b=2"}};
    EXPECT_EQ(cookie_of(headers, kSessionCookie), "abc");
    EXPECT_EQ(cookie_of(headers, "b"), "2");
    EXPECT_EQ(cookie_of(headers, "session"), "");
    EXPECT_EQ(cookie_of({{"Cookie", "xevalfleet_session=abc"}}, kSessionCookie), "");
    EXPECT_EQ(cookie_of({{"Cookie", ";;=;evalfleet_session"}}, kSessionCookie), "");
    EXPECT_EQ(cookie_of({}, kSessionCookie), "");
}

TEST(Cookie, IsKeptFromScriptsAndOtherSitesAndFromPlainHttpWhereThereIsTls) {
    EXPECT_EQ(set_session_cookie("abc", seconds(60), false),
              "evalfleet_session=abc; Path=/; HttpOnly; SameSite=Strict; Max-Age=60");
    EXPECT_EQ(set_session_cookie("abc", seconds(60), true),
              "evalfleet_session=abc; Path=/; HttpOnly; SameSite=Strict; Max-Age=60; Secure");
}

}  // namespace
}  // namespace evalfleet::access
