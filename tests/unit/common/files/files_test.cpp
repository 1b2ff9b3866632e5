#include "common/files/atomic_file.hpp"
#include "common/files/copy_file.hpp"
#include "common/files/file.hpp"
#include "common/files/folder.hpp"
#include "common/files/full_disk.hpp"
#include "common/files/part_file.hpp"
#include "tests/support/temporary_folder.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

namespace evalfleet::files {
namespace {

using ::testing::HasSubstr;

std::size_t count_entries(const std::filesystem::path& folder) {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder),
                                                  std::filesystem::directory_iterator()));
}

TEST(File, NamesThePathThatIsNotThere) {
    const testing::TemporaryFolder folder;
    const auto file = File::blocking_open(folder / "absent", File::Mode::read);
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().kind, ErrorKind::not_found);
    EXPECT_THAT(file.error().message, HasSubstr("absent: cannot open: No such file"));
}

TEST(File, RefusesToReadMoreThanAllowed) {
    const testing::TemporaryFolder folder;
    ASSERT_TRUE(blocking_write_atomically(folder / "f", "12345"));
    EXPECT_EQ(*blocking_read_file(folder / "f", 5), "12345");
    EXPECT_EQ(blocking_read_file(folder / "f", 4).error().kind, ErrorKind::too_large);
}

TEST(File, ReadingPastTheEndIsAnError) {
    const testing::TemporaryFolder folder;
    ASSERT_TRUE(blocking_write_atomically(folder / "f", "12345"));
    const auto file = File::blocking_open(folder / "f", File::Mode::read);
    std::string buffer(4, ' ');
    EXPECT_TRUE(file->blocking_read_at(1, buffer));
    EXPECT_EQ(buffer, "2345");
    EXPECT_FALSE(file->blocking_read_at(2, buffer));
}

TEST(File, LockIsHeldByOneProcessAndEndsWithIt) {
    const testing::TemporaryFolder folder;
    int ready[2] = {};
    int finish[2] = {};
    ASSERT_EQ(pipe(ready), 0);
    ASSERT_EQ(pipe(finish), 0);
    const pid_t other = fork();
    if (other == 0) {
        auto file = File::blocking_open(folder / "lock", File::Mode::read_write);
        char byte = *file->blocking_try_lock() ? 'y' : 'n';
        (void)!write(ready[1], &byte, 1);
        (void)!read(finish[0], &byte, 1);
        _exit(0);
    }
    char byte = 0;
    ASSERT_EQ(read(ready[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'y');
    auto file = File::blocking_open(folder / "lock", File::Mode::read_write);
    EXPECT_FALSE(*file->blocking_try_lock());
    ASSERT_EQ(write(finish[1], &byte, 1), 1);
    waitpid(other, nullptr, 0);
    EXPECT_TRUE(*file->blocking_try_lock());
    for (const int end : {ready[0], ready[1], finish[0], finish[1]})
        close(end);
}

TEST(AtomicFile, AppearsWholeOnCommit) {
    const testing::TemporaryFolder folder;
    auto file = AtomicFile::blocking_create(folder / "out.json");
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->blocking_append("a"));
    ASSERT_TRUE(file->blocking_append(std::string(1 << 20, 'b')));
    EXPECT_FALSE(std::filesystem::exists(folder / "out.json"));
    ASSERT_TRUE(file->blocking_commit());
    EXPECT_EQ(blocking_read_file(folder / "out.json", 1 << 21)->size(), (1U << 20) + 1);
    EXPECT_EQ(count_entries(folder.path()), 1U);
}

TEST(AtomicFile, LeavesTheOldFileAndNothingElseWithoutCommit) {
    const testing::TemporaryFolder folder;
    ASSERT_TRUE(blocking_write_atomically(folder / "out.json", "old"));
    {
        auto file = AtomicFile::blocking_create(folder / "out.json");
        ASSERT_TRUE(file->blocking_append("new"));
    }
    EXPECT_EQ(*blocking_read_file(folder / "out.json", 10), "old");
    EXPECT_EQ(count_entries(folder.path()), 1U);
}

TEST(AtomicFile, SaysWhereItCannotWrite) {
    const auto file = AtomicFile::blocking_create("/nowhere/at/all/out.json");
    ASSERT_FALSE(file);
    EXPECT_THAT(file.error().message, HasSubstr("/nowhere/at/all/out.json: cannot create"));
}

TEST(PartFile, IsToldFromAUsersFile) {
    for (const char* ours :
         {".records.jsonl.aB3xY9.evalfleet-part", ".run.json.aB3xY9", ".x.000000.evalfleet-part"})
        EXPECT_TRUE(is_part_name(ours)) << ours;
    for (const char* theirs :
         {"", ".", "records.jsonl", ".records.jsonl", ".records.jsonl.bak", ".records.jsonl.backup",
          ".run.json.Backup", ".run.json.202611", ".mine.aB3xY9", "run.json.aB3xY9.evalfleet-part",
          ".run.json.aB-xY9.evalfleet-part", ".evalfleet-part", "..aB3xY9.evalfleet-par",
          ".run.json.aB3xY9.evalfleet-part.txt"})
        EXPECT_FALSE(is_part_name(theirs)) << theirs;
}

TEST(PartFile, IsWhatAKilledWriterLeavesAndIsRemoved) {
    const testing::TemporaryFolder folder;
    const pid_t writer = fork();
    if (writer == 0) {
        auto file = AtomicFile::blocking_create(folder / "f");
        (void)!file->blocking_append("half");
        _exit(0);  // no destructor runs
    }
    ASSERT_EQ(waitpid(writer, nullptr, 0), writer);
    ASSERT_EQ(count_entries(folder.path()), 1U);
    EXPECT_EQ(blocking_remove_parts(folder.path()).value(), 1U);
    EXPECT_EQ(count_entries(folder.path()), 0U);
    EXPECT_EQ(blocking_remove_parts(folder / "absent").value(), 0U);
}

TEST(CopyFile, IsNotChangedWithItsSource) {
    const testing::TemporaryFolder folder;
    const std::string content(3'000'000, 'x');
    ASSERT_TRUE(blocking_write_atomically(folder / "from", content));
    ASSERT_TRUE(blocking_copy_file(folder / "from", folder / "to"));
    auto source = File::blocking_open(folder / "from", File::Mode::read_write);
    ASSERT_TRUE(source->blocking_write_at(0, "changed"));
    EXPECT_EQ(*blocking_read_file(folder / "to", 1 << 24), content);
    EXPECT_EQ(std::filesystem::status(folder / "to").permissions(),
              std::filesystem::perms::owner_read);
    EXPECT_FALSE(blocking_copy_file(folder / "from", folder / "to")) << "it was written over";
    EXPECT_FALSE(blocking_copy_file(folder / "absent", folder / "other"));
}

TEST(Folder, IsMadeWithThoseAboveIt) {
    const testing::TemporaryFolder folder;
    ASSERT_TRUE(blocking_make_folders(folder.path() / "a" / "b" / "c"));
    ASSERT_TRUE(blocking_make_folders(folder.path() / "a" / "b" / "c" / ""));
    EXPECT_TRUE(std::filesystem::is_directory(folder.path() / "a" / "b" / "c"));
    ASSERT_TRUE(blocking_write_atomically(folder / "file", ""));
    EXPECT_FALSE(blocking_make_folders(folder.path() / "file"));
    EXPECT_FALSE(blocking_make_folders(folder.path() / "file" / "below"));
}

TEST(FullDisk, IsToldByEveryWayThereIsNoRoom) {
    for (const int code : {ENOSPC, EDQUOT, EFBIG}) {
        errno = code;
        EXPECT_TRUE(tells_of_full_disk(last_system_error("cannot write", "/x"))) << code;
    }
    errno = EIO;
    EXPECT_FALSE(tells_of_full_disk(last_system_error("cannot write", "/x")));
    EXPECT_TRUE(tells_of_full_disk(
        {ErrorKind::internal,
         "/x: " + std::make_error_code(std::errc::no_space_on_device).message()}));
}

}  // namespace
}  // namespace evalfleet::files
