#include "common/redaction/secrets.hpp"

#include "common/redaction/redactor.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace evalfleet::redaction {
namespace {

std::string redacted(const Redactor& redactor, const std::string& text) {
    return redactor.redact(text).text;
}

TEST(Secrets, AreFoundByRedactorsThatWereMadeBefore) {
    const auto secrets = std::make_shared<Secrets>();
    const Redactor redactor = Redactor::sharing(secrets);
    const Redactor copy = redactor;
    EXPECT_EQ(redacted(redactor, "old-word new-word"), "old-word new-word");
    secrets->add("old-word");
    secrets->add("new-word");
    EXPECT_EQ(redacted(redactor, "old-word new-word"), "[REDACTED:secret] [REDACTED:secret]");
    EXPECT_EQ(redacted(copy, "new-word"), "[REDACTED:secret]");
}

TEST(Secrets, StayKnownAsLongAsOneWhoAddedThemKeepsThem) {
    const auto secrets = std::make_shared<Secrets>(std::vector<std::string>{"shared-word"});
    const Redactor redactor = Redactor::sharing(secrets);
    secrets->add("shared-word");
    secrets->remove("shared-word");
    EXPECT_EQ(redacted(redactor, "shared-word"), "[REDACTED:secret]");
    secrets->remove("shared-word");
    EXPECT_EQ(redacted(redactor, "shared-word"), "shared-word");
    secrets->remove("shared-word");  // of nobody
}

TEST(Secrets, ChangeNothingWhenThereAreTooMany) {
    const auto secrets = std::make_shared<Secrets>(std::vector<std::string>{"first-word"});
    const Redactor redactor = Redactor::sharing(secrets);
    std::string huge;
    for (int i = 0; i < 100'000; ++i)
        huge += static_cast<char>('!' + i * 7919 % 90);
    EXPECT_THROW(secrets->add(huge), std::length_error);
    EXPECT_EQ(redacted(redactor, "first-word"), "[REDACTED:secret]");
}

TEST(Secrets, MayGrowWhileOthersRedact) {
    const auto secrets = std::make_shared<Secrets>(std::vector<std::string>{"always-known"});
    std::atomic<bool> done = false;
    std::atomic<int> leaks = 0;
    std::thread reader([&, redactor = Redactor::sharing(secrets)] {
        while (!done) {
            if (redacted(redactor, "always-known") != "[REDACTED:secret]") ++leaks;
        }
    });
    for (int i = 0; i < 100; ++i) {
        const std::string word = "word-number-" + std::to_string(1000 + i);
        secrets->add(word);
        if (redacted(Redactor::sharing(secrets), word) != "[REDACTED:secret]") ++leaks;
    }
    done = true;
    reader.join();
    EXPECT_EQ(leaks, 0);
}

}  // namespace
}  // namespace evalfleet::redaction
