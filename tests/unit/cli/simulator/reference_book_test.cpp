#include "cli/simulator/reference_book.hpp"

#include "common/files/atomic_file.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

namespace evalfleet::simulator {
namespace {

TEST(ReferenceBook, FindsATaskAnywhereInAPrompt) {
    ReferenceBook book;
    book.add("What is the depth of the harbour?", "6 metres");
    book.add("depth of the harbour?", "wrong one");
    book.add("Why?", "because");
    EXPECT_EQ(book.find("Context.\n\nWhat is the depth of the harbour?"), "6 metres");
    EXPECT_EQ(book.find("Question: What is the depth of the harbour? Answer:"), "6 metres");
    EXPECT_EQ(book.find("the depth of the harbour?"), "wrong one");
    EXPECT_EQ(book.find("And Why? indeed"), "because");
    EXPECT_FALSE(book.find("What is the depth of the lake?"));
    EXPECT_FALSE(book.find(""));
}

TEST(ReferenceBook, ReadsADataset) {
    const ::evalfleet::testing::TemporaryFolder folder;
    const auto path = folder / "d.jsonl";
    ASSERT_TRUE(files::blocking_write_atomically(
        path, "{\"task\":\"a long enough task\",\"reference_answer\":\"r\"}\n{\"task\":\"b\"}\n"));
    const auto book = ReferenceBook::blocking_read(path);
    ASSERT_TRUE(book);
    EXPECT_EQ(book->size(), 1U);
    EXPECT_EQ(book->find("a long enough task"), "r");
    ASSERT_TRUE(files::blocking_write_atomically(path, "{\"task\":\"a\"}\n{\n"));
    EXPECT_NE(ReferenceBook::blocking_read(path).error().message.find("d.jsonl:2"),
              std::string::npos);
}

}  // namespace
}  // namespace evalfleet::simulator
