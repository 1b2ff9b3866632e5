#include "tests/integration/redaction/planted_run.hpp"

#include "common/files/file.hpp"
#include "common/redaction/secret_index.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace evalfleet::testing {
namespace {

/// Looks for pieces in every encoding of a log. In portions, since an index has a largest size.
class PieceFinder {
  public:
    explicit PieceFinder(const std::vector<Planted>& planted) {
        constexpr std::size_t kPortion = 500;
        std::set<std::string> needles;
        for (const Planted& piece : planted) {
            for (const Encoding& encoding : log_encodings())
                needles.insert(encoding.encode(piece.secret));
        }
        std::vector<std::string> portion;
        for (const std::string& needle : needles) {
            portion.push_back(needle);
            if (portion.size() < kPortion) continue;
            indexes_.emplace_back(portion);
            portion.clear();
        }
        indexes_.emplace_back(portion);
    }

    [[nodiscard]] std::set<std::string> find(const std::string& text) const {
        std::set<std::string> found;
        for (const redaction::SecretIndex& index : indexes_) {
            for (const auto span : index.find(text))
                found.insert(text.substr(span.begin, span.end - span.begin));
        }
        return found;
    }

  private:
    std::vector<redaction::SecretIndex> indexes_;
};

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
        EXPECT_EQ(planted_.find(text), kNothing) << what;
        EXPECT_EQ(in_prompt_.find(text), kNothing) << what;
    }

    PlantedRun run_;
    PieceFinder planted_{run_.planted()};
    PieceFinder in_prompt_{run_.in_prompt()};
};

TEST_F(PlantedRunTest, LeavesNothingPlantedAnywhere) {
    run_.begin();
    run_.fill_redis();
    // The run's spec is there for the workers; jobs that are done are gone, and so is their text.
    const std::string results = run_.dump_redis();
    EXPECT_NE(results.find("evaluator_raw_output"), std::string::npos);
    EXPECT_EQ(planted_.find(results), kNothing);
    EXPECT_NE(in_prompt_.find(results), kNothing) << "what is there is found";
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
          at + "/summary", at + "/records?limit=500", at + "/report.html", at + "/report.txt"}) {
        const Answer answer = run_.coordinator().get(path);
        EXPECT_EQ(answer.status, 200) << path;
        expect_clean(path, answer.body);
    }
}

}  // namespace
}  // namespace evalfleet::testing
