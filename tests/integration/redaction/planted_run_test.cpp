#include "tests/integration/redaction/planted_run.hpp"

#include "common/files/file.hpp"
#include "common/json/document.hpp"
#include "common/json/escape.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace evalfleet::testing {
namespace {

/// Which of the planted pieces stand in a text, as they are or in one of the encodings of a log.
std::set<std::string> found_in(const std::string& text, const std::vector<Planted>& planted) {
    std::set<std::string> found;
    for (const Planted& piece : planted) {
        for (const Encoding& encoding : log_encodings()) {
            if (text.find(encoding.encode(piece.secret)) != std::string::npos)
                found.insert(piece.kind + " (" + encoding.name + "): " + piece.secret);
        }
    }
    return found;
}

const std::set<std::string> kNothing;

/// All files of a run that users read, by name.
std::map<std::string, std::string> files_of(const std::filesystem::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (!entry.is_regular_file()) continue;
        files[entry.path().filename().string()] =
            files::blocking_read_file(entry.path(), std::uint64_t{1} << 30).value();
    }
    return files;
}

class PlantedRunTest : public ::testing::Test {
  protected:
    void expect_clean(const std::string& what, const std::string& text) const {
        EXPECT_FALSE(text.empty()) << what;
        EXPECT_EQ(found_in(text, run_.planted()), kNothing) << what;
        EXPECT_EQ(found_in(text, run_.in_prompt()), kNothing) << what;
    }

    PlantedRun run_;
};

TEST_F(PlantedRunTest, LeavesNothingPlantedAnywhere) {
    run_.begin();
    run_.fill_redis();
    // The run's spec is there for the workers; jobs that are done are gone, and so is their text.
    const std::string results = run_.dump_redis();
    EXPECT_NE(results.find("evaluator_raw_output"), std::string::npos);
    EXPECT_EQ(found_in(results, run_.planted()), kNothing);
    run_.finish();

    expect_clean("Redis", run_.dump_redis());
    for (const auto& [name, text] : files_of(run_.run_folder()))
        expect_clean(name, text);
    for (const auto& [name, text] : files_of(run_.coordinator().store() / "submissions"))
        expect_clean(name, text);
    expect_clean("log of the coordinator", run_.coordinator().log());
    expect_clean("log of the worker", run_.worker_log());
    expect_clean("output of submit", run_.submit_output());
    expect_clean("metrics of the worker", run_.worker_metrics());
    const std::string at = "/api/v1/runs/" + run_.run_id();
    for (const std::string& path :
         {std::string("/metrics"), std::string("/api/v1/runs"), std::string("/api/v1/queues"), at,
          at + "/summary", at + "/records?limit=500", at + "/report.html", at + "/report.md",
          at + "/report.txt", at + "/records.csv"}) {
        expect_clean(path, run_.coordinator().get(path).body);
    }
}

}  // namespace
}  // namespace evalfleet::testing
