#include "common/archive/archiver.hpp"

#include "common/files/atomic_file.hpp"
#include "common/job/manifest.hpp"
#include "tests/support/run_coroutine.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace evalfleet::archive {
namespace {

namespace fs = std::filesystem;

class ArchiverTest : public ::testing::Test {
  protected:
    ArchiverTest() {
        put(run_.path() / "records.jsonl", std::string(3'000'000, 'x'));
        put(run_.path() / "run.json", "{}");
        put(run_.path() / "manifest.json",
            job::to_json(job::blocking_make_manifest(run_.path()).value()));
    }
    static void put(const fs::path& file, const std::string& text) {
        ASSERT_TRUE(files::blocking_write_atomically(file, text));
    }
    Result<Archived> archive(bool read_back = false) {
        Archiver archiver(context_.get_executor(), clock_, pool_, {archive_.path() / "deep"}, {});
        return testing::run(context_, archiver.put("r-1", run_.path(), read_back));
    }
    [[nodiscard]] fs::path copy(const char* name) const {
        return archive_.path() / "deep" / "r-1" / name;
    }

    testing::TemporaryFolder run_;
    testing::TemporaryFolder archive_;
    boost::asio::io_context context_{1};
    async::SystemClock clock_;
    async::BlockingPool pool_{{.threads = 1}};
};

TEST_F(ArchiverTest, CopiesARunWhole) {
    const auto done = archive(true);
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(done->files, 3U);
    EXPECT_EQ(done->sent, 3U);
    EXPECT_EQ(fs::file_size(copy("records.jsonl")), 3'000'000U);
    EXPECT_TRUE(fs::exists(copy("manifest.json")));
}

TEST_F(ArchiverTest, SendsAgainOnlyWhatIsNotThereAsItIs) {
    ASSERT_TRUE(archive());
    EXPECT_EQ(archive()->sent, 0U);
    put(copy("records.jsonl"), std::string(3'000'000, 'y'));
    EXPECT_EQ(archive()->sent, 1U);
    EXPECT_EQ(job::blocking_sha256_file(copy("records.jsonl")).value(),
              job::sha256_hex(std::string(3'000'000, 'x')));
}

TEST_F(ArchiverTest, LeavesNoManifestWhereAFileIsMissing) {
    fs::create_directories(copy("run.json"));  // a folder is in the way
    const auto failed = archive();
    ASSERT_FALSE(failed);
    EXPECT_FALSE(fs::exists(copy("manifest.json")));
    fs::remove(copy("run.json"));
    EXPECT_TRUE(archive());
    EXPECT_TRUE(fs::exists(copy("manifest.json")));
}

}  // namespace
}  // namespace evalfleet::archive
