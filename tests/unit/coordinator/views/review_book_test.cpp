#include "coordinator/views/review_book.hpp"

#include "common/files/atomic_file.hpp"
#include "common/json/document.hpp"
#include "common/runfile/labels_file.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace evalfleet::views {
namespace {

using ::testing::HasSubstr;

Review review(std::uint32_t sample, int judge, int person) {
    Review made;
    made.at = "2026-11-18T10:00:00Z";
    made.by = "ann";
    made.sample_index = sample;
    made.sample_id = "s" + std::to_string(sample);
    made.agrees = judge == person;
    made.judge_accuracy = judge;
    made.accuracy = person;
    made.judge_faithfulness = 2;
    made.faithfulness = 2;
    return made;
}

Result<Review> read(const std::string& text) {
    return read_review(json::Document::parse(text).value().root());
}

TEST(Review, NamesTheFieldThatIsWrong) {
    EXPECT_TRUE(read(R"({"sample_index":3,"agree":true})"));
    EXPECT_EQ(read(R"({"sample_index":3,"agree":false,"accuracy":1})")->accuracy, 1);
    const auto message = [](const std::string& text) {
        const auto wrong = read(text);
        return wrong ? std::string("nothing is wrong") : wrong.error().message;
    };
    EXPECT_THAT(message(R"({"agree":true})"), HasSubstr("sample_index"));
    EXPECT_THAT(message(R"({"sample_index":-1,"agree":true})"), HasSubstr("sample_index"));
    EXPECT_THAT(message(R"({"sample_index":0})"), HasSubstr("agree"));
    EXPECT_THAT(message(R"({"sample_index":0,"agree":false})"), HasSubstr("accuracy"));
    EXPECT_THAT(message(R"({"sample_index":0,"agree":false,"accuracy":3})"), HasSubstr("0, 1, 2"));
    EXPECT_THAT(message(R"({"sample_index":0,"repeat":0,"agree":true})"), HasSubstr("repeat"));
    EXPECT_THAT(message(R"({"sample_index":0,"agree":true,"coment":"x"})"), HasSubstr("coment"));
    EXPECT_THAT(message(R"({"sample_index":0,"agree":true,"comment":")" +
                        std::string(kMaxCommentBytes + 1, 'x') + "\"}"),
                HasSubstr("comment"));
    EXPECT_THAT(message("[]"), HasSubstr("object"));
}

TEST(ReviewFile, IsOnlyAppendedToAndReadOverWhatACrashLeft) {
    const testing::TemporaryFolder folder;
    const auto file = folder / "reviews.jsonl";
    EXPECT_TRUE(blocking_read_reviews(file)->empty());
    ASSERT_TRUE(blocking_append_review(file, review(1, 2, 2)));
    std::ofstream(file, std::ios::app) << R"({"at":"2026)";
    Review second = review(2, 0, 1);
    second.comment = "two\nlines, \"quoted\"";
    ASSERT_TRUE(blocking_append_review(file, second));
    const auto reviews = blocking_read_reviews(file).value();
    ASSERT_EQ(reviews.size(), 2U);
    EXPECT_EQ(reviews[0].sample_id, "s1");
    EXPECT_EQ(reviews[1].comment, second.comment);
    EXPECT_EQ(reviews[1].judge_accuracy, 0);
}

TEST(Reviews, CountTheLastWordOnEachTrial) {
    const std::vector<Review> all{review(1, 2, 2), review(1, 2, 0), review(2, 1, 1)};
    EXPECT_EQ(latest(all).size(), 2U);
    EXPECT_EQ(latest(all)[0].accuracy, 0);
    const auto document = json::Document::parse(reviews_json(all));
    ASSERT_TRUE(document);
    const auto accuracy = document->root().find("agreement")->find("accuracy");
    EXPECT_EQ(accuracy->get<std::uint64_t>("count").value(), 2U);
    EXPECT_EQ(accuracy->get<double>("observed").value(), 0.5);
    EXPECT_EQ(document->root().get<json::Array>("labels")->size(), 3U);
}

TEST(Reviews, AreExportedAsAFileOfManualLabels) {
    const testing::TemporaryFolder folder;
    Review unscored = review(3, 1, 1);
    unscored.accuracy.reset();
    files::blocking_write_atomically(folder / "labels.jsonl",
                                     labels_file({review(1, 2, 0), review(2, 1, 1), unscored}))
        .value();
    const auto labels = runfile::LabelsFile::blocking_read(folder / "labels.jsonl");
    ASSERT_TRUE(labels) << labels.error().status().error().message;
    EXPECT_EQ(labels->size(), 2U);
    ASSERT_EQ(labels->of("s1").size(), 1U);
    EXPECT_EQ(labels->of("s1")[0].correctness_score, 0);
    EXPECT_EQ(labels->of("s1")[0].repeat, 1);
}

}  // namespace
}  // namespace evalfleet::views
