#include "cli/line_reader.hpp"

#include "tests/integration/cli/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::cli {
namespace {

using test::ScratchFolder;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

std::vector<std::pair<std::size_t, std::string>> lines_of(const std::string& text) {
    const ScratchFolder folder;
    auto reader = LineReader::open(folder.put("file", text)).value();
    std::vector<std::pair<std::size_t, std::string>> lines;
    while (const auto line = reader.next().value())
        lines.emplace_back(line->number, line->text);
    return lines;
}

TEST(LineReader, NumbersLinesAndSkipsBlankOnes) {
    EXPECT_THAT(lines_of("a\n\n \t\r\nb\r\n\n"), ElementsAre(Pair(1U, "a"), Pair(4U, "b\r")));
    EXPECT_THAT(lines_of(""), IsEmpty());
    EXPECT_THAT(lines_of("\n\n"), IsEmpty());
}

TEST(LineReader, NeedsNoLineFeedAtTheEnd) {
    EXPECT_THAT(lines_of("a\nb"), ElementsAre(Pair(1U, "a"), Pair(2U, "b")));
    EXPECT_THAT(lines_of("a\n  "), ElementsAre(Pair(1U, "a")));
}

TEST(LineReader, EndsALineAtALineFeedOnly) {
    const std::string line = "a\xC2\x85 b\xE2\x80\xA8 c\v\f\r";
    EXPECT_THAT(lines_of(line + "\n"), ElementsAre(Pair(1U, line)));
}

TEST(LineReader, ReadsLinesLongerThanItsBuffer) {
    const std::string large(3'000'000, 'x');
    EXPECT_THAT(lines_of("a\n" + large + "\n" + large),
                ElementsAre(Pair(1U, "a"), Pair(2U, large), Pair(3U, large)));
}

TEST(LineReader, KeepsNulBytes) {
    const std::string line("a\0b", 3);
    EXPECT_THAT(lines_of(line), ElementsAre(Pair(1U, line)));
}

TEST(LineReader, RefusesALineWithoutEnd) {
    const ScratchFolder folder;
    const std::string file =
        folder.put("file", "a\n" + std::string(LineReader::kMaxLineBytes + 1, 'x'));
    auto reader = LineReader::open(file).value();
    EXPECT_TRUE(reader.next());
    const auto second = reader.next();
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().kind, ErrorKind::too_large);
    EXPECT_THAT(second.error().message, testing::StartsWith(file + ":2: "));
}

TEST(LineReader, PutsFileAndLineInFrontOfAnError) {
    const ScratchFolder folder;
    const std::string file = folder.put("file", "\na\n");
    auto reader = LineReader::open(file).value();
    EXPECT_TRUE(reader.next());
    EXPECT_EQ(reader.locate({ErrorKind::invalid, "tags: wrong"}).message, file + ":2: tags: wrong");
    EXPECT_EQ(reader.locate({ErrorKind::invalid, "line 1, column 3: wrong"}).message,
              file + ":2: column 3: wrong");
}

TEST(LineReader, SaysWhichFileIsNotThere) {
    EXPECT_EQ(LineReader::open("/no/such/file").error().kind, ErrorKind::not_found);
}

}  // namespace
}  // namespace evalfleet::cli
