#include "coordinator/access/token_book.hpp"

#include "tests/unit/coordinator/access/tokens.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::access {
namespace {

using ::testing::HasSubstr;

std::string faults(std::string_view yaml) {
    const auto book = TokenBook::parse(yaml, "tokens.yaml");
    return book ? "" : book.error().message;
}

TEST(TokenBook, KnowsWhoATokenBelongsTo) {
    const auto book = TokenBook::parse("tokens:\n" + token_line("nightly", "submitter", "s3cret") +
                                           token_line("board", "reader", "other"),
                                       "tokens.yaml");
    ASSERT_TRUE(book) << book.error().message;
    EXPECT_EQ(book->size(), 2U);
    EXPECT_EQ(book->find("s3cret")->name, "nightly");
    EXPECT_EQ(book->find("s3cret")->role, Role::submitter);
    EXPECT_EQ(book->find("other")->role, Role::reader);
    EXPECT_FALSE(book->find("s3cre"));
    EXPECT_FALSE(book->find(""));
    EXPECT_FALSE(book->find(hash_of("s3cret"))) << "the hash is not the token";
}

TEST(TokenBook, RefusesAFileThatCouldBeMeantOtherwise) {
    const std::string hash(64, 'a');
    EXPECT_THAT(faults("tokens: []"), HasSubstr("there is no token"));
    EXPECT_THAT(faults("{}"), HasSubstr("there is no token"));
    EXPECT_THAT(faults("tokens: [{name: a, sha256: " + hash + "}]"), HasSubstr("role"));
    EXPECT_THAT(faults("tokens: [{name: a, role: root, sha256: " + hash + "}]"),
                HasSubstr("reader, submitter, admin"));
    EXPECT_THAT(faults("tokens: [{name: a, role: admin, sha256: abc}]"), HasSubstr("64 digits"));
    EXPECT_THAT(faults("tokens: [{name: \"a b\", role: admin, sha256: " + hash + "}]"),
                HasSubstr("letters"));
    EXPECT_THAT(faults("tokens: [{name: a, role: admin, token: plain, sha256: " + hash + "}]"),
                HasSubstr("token"));
    EXPECT_THAT(
        faults("tokens:\n" + token_line("a", "reader", "1") + token_line("a", "admin", "2")),
        HasSubstr("tokens.yaml:3"));
}

}  // namespace
}  // namespace evalfleet::access
