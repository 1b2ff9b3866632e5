#include "common/files/atomic_file.hpp"
#include "common/job/run_metadata.hpp"
#include "common/job/sha256.hpp"
#include "common/json/document.hpp"
#include "tests/support/coordinator_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

namespace evalfleet {
namespace {

using testing::Answer;
using testing::ask;
using testing::CoordinatorProcess;
using ::testing::HasSubstr;
using ::testing::Not;

const testing::HeaderFields kBrowser{{"Accept", "text/html,*/*;q=0.8"}};

std::string between(const std::string& text, const std::string& before, const std::string& after) {
    const auto begin = text.find(before);
    if (begin == std::string::npos) return "";
    const auto from = begin + before.size();
    return text.substr(from, text.find(after, from) - from);
}

TEST(Pages, AreServedAtEveryAddressOfTheirsAndNowhereElse) {
    const CoordinatorProcess coordinator({}, true);
    for (const char* path :
         {"/", "/runs", "/runs/some", "/runs/some/samples/3?passed=false", "/compare?base=a",
          "/groups/g", "/fleet", "/trends", "/submit", "/login?next=%2Fruns"}) {
        const Answer page = coordinator.get(path, kBrowser);
        EXPECT_EQ(page.status, 200) << path;
        EXPECT_EQ(page.header("Cache-Control"), "no-store");
        EXPECT_THAT(page.header("Content-Security-Policy"), HasSubstr("script-src 'self';"));
        EXPECT_THAT(page.header("Content-Security-Policy"), Not(HasSubstr("unsafe")));
    }
    const std::string prefix = "/assets/" + between(coordinator.get("/").body, "/assets/", "/");
    const Answer style = coordinator.get(prefix + "/app.css");
    EXPECT_EQ(style.status, 200);
    EXPECT_EQ(style.header("Content-Type"), "text/css; charset=utf-8");
    EXPECT_THAT(style.header("Cache-Control"), HasSubstr("immutable"));
    EXPECT_EQ(coordinator.get("/assets/0000/app.css").status, 404);
    EXPECT_EQ(coordinator.get(prefix + "/../../etc/passwd").status, 404);
}

TEST(Pages, TellPeopleAndProgramsOfFailuresInTheirOwnWay) {
    const CoordinatorProcess coordinator({}, true);
    const Answer unknown = coordinator.get("/<b>nowhere", kBrowser);
    EXPECT_EQ(unknown.status, 404);
    EXPECT_THAT(unknown.body, HasSubstr("<!doctype html>"));
    EXPECT_THAT(unknown.body, Not(HasSubstr("<b>nowhere")));
    EXPECT_EQ(coordinator.get("/nowhere").header("Content-Type"), "application/problem+json");
    EXPECT_EQ(coordinator.call("POST", "/nowhere").status, 404);
    const Answer closed = coordinator.get("/api/v1/runs/x/report.html", kBrowser);
    EXPECT_EQ(closed.status, 401);
    EXPECT_THAT(closed.body, HasSubstr("/login?next=%2Fapi%2Fv1%2Fruns%2Fx%2Freport.html"));
    EXPECT_EQ(coordinator.get("/api/v1/runs").header("Content-Type"), "application/problem+json");
}

struct Browser {
    std::string cookie;
    std::string csrf;

    [[nodiscard]] testing::HeaderFields reads() const {
        return {{"Cookie", "evalfleet_session=" + cookie}};
    }
    [[nodiscard]] testing::HeaderFields writes() const {
        return {{"Cookie", "evalfleet_session=" + cookie}, {"X-CSRF-Token", csrf}};
    }
};

Browser sign_in(const CoordinatorProcess& coordinator, const std::string& token) {
    const Answer in = coordinator.call("POST", "/api/v1/session", R"({"token":")" + token + "\"}");
    EXPECT_EQ(in.status, 200) << in.body;
    EXPECT_THAT(in.header("Set-Cookie"), HasSubstr("HttpOnly; SameSite=Strict"));
    return {between(in.header("Set-Cookie"), "evalfleet_session=", ";"),
            between(in.body, R"("csrf":")", "\"")};
}

TEST(Session, StandsForItsTokenAndEnds) {
    const CoordinatorProcess coordinator({}, true);
    EXPECT_EQ(coordinator.get("/api/v1/session").status, 401);
    EXPECT_EQ(coordinator.call("POST", "/api/v1/session", R"({"token":"wrong"})").status, 401);
    EXPECT_EQ(coordinator.call("POST", "/api/v1/session", "{").status, 400);
    const Browser browser = sign_in(coordinator, "submitter");
    EXPECT_THAT(coordinator.get("/api/v1/session", browser.reads()).body,
                HasSubstr(R"("role":"submitter")"));
    EXPECT_EQ(coordinator.get("/api/v1/runs", browser.reads()).status, 200);
    coordinator.put_dataset(CoordinatorProcess::as("submitter"));
    const std::string run = CoordinatorProcess::run_file();
    const Answer forged = coordinator.call("POST", "/api/v1/runs", run, browser.reads());
    EXPECT_EQ(forged.status, 403);
    EXPECT_THAT(forged.body, HasSubstr("X-CSRF-Token"));
    const Answer made = coordinator.call("POST", "/api/v1/runs", run, browser.writes());
    EXPECT_EQ(made.status, 201) << made.body;
    EXPECT_THAT(coordinator.get("/api/v1/runs?submitter=the-submitter", browser.reads()).body,
                HasSubstr(R"("submitted_by":"the-submitter")"));
    EXPECT_THAT(coordinator.get("/api/v1/runs?submitter=other", browser.reads()).body,
                HasSubstr(R"("total":0)"));
    EXPECT_EQ(coordinator.call("DELETE", "/api/v1/session", "", browser.reads()).status, 403);
    EXPECT_EQ(coordinator.call("DELETE", "/api/v1/session", "", browser.writes()).status, 204);
    EXPECT_EQ(coordinator.get("/api/v1/runs", browser.reads()).status, 401);
    EXPECT_THAT(coordinator.log(), Not(HasSubstr(browser.cookie)));
    EXPECT_THAT(coordinator.log(), Not(HasSubstr(browser.csrf)));
}

TEST(Session, EndsWithItsToken) {
    const CoordinatorProcess coordinator({}, true);
    const Browser browser = sign_in(coordinator, "submitter");
    EXPECT_EQ(coordinator.get("/api/v1/runs", browser.reads()).status, 200);
    coordinator.write_tokens({"reader"});
    // The file is looked at every second.
    int status = 200;
    for (int i = 0; i < 600 && status == 200; ++i) {
        status = coordinator.get("/api/v1/runs", browser.reads()).status;
        if (status == 200) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    EXPECT_EQ(status, 401);
}

TEST(Validate, SaysWhatIsWrongOrWhatItWouldTake) {
    const CoordinatorProcess coordinator;
    coordinator.put_dataset();
    const auto check = [&](const std::string& text) {
        return coordinator.call("POST", "/api/v1/validate", text);
    };
    const Answer good = check(CoordinatorProcess::run_file("t", "repeats: 3\n"));
    EXPECT_EQ(good.status, 200);
    EXPECT_THAT(good.body, HasSubstr(R"("valid":true)"));
    EXPECT_THAT(good.body, HasSubstr(R"("trials":6,"calls":12)"));
    EXPECT_THAT(good.body, Not(HasSubstr(R"("estimated_cost_usd":null)")));
    const Answer bad = check(CoordinatorProcess::run_file("t", "repeats: 0\n"));
    EXPECT_EQ(bad.status, 200);
    EXPECT_THAT(bad.body, HasSubstr(R"("valid":false)"));
    EXPECT_THAT(bad.body, HasSubstr(R"("field":"repeats","line":6)"));
    EXPECT_THAT(coordinator.get("/api/v1/runs").body, HasSubstr(R"("total":0)"));
}

constexpr const char* kHostile = "<img src=x onerror=alert(1)>\\u202e";

// A run folder as `evalfleet run` leaves it: four samples, two repeats; the first fails.
void write_run(const std::filesystem::path& folder, const std::string& id, int failing) {
    const std::string dataset =
        R"({"id":"a","task":"Where is )" + std::string(kHostile) +
        R"(?","reference_answer":"here","context":"ann@example.org"})" +
        "\n{\"id\":\"b\",\"task\":\"Two\"}\n{\"task\":\"Three\"}\n{\"task\":\"Four\"}\n";
    std::filesystem::create_directories(folder / "work");
    files::blocking_write_atomically(folder / "work" / "dataset.jsonl", dataset).value();
    job::Sha256 hash;
    hash.add(dataset);
    job::RunMetadata metadata;
    metadata.run_id = id;
    metadata.name = "nightly";
    metadata.group_id = "pair";
    metadata.timestamp_utc = "2026-11-16T02:00:00.123Z";
    metadata.dataset_hash = hash.hex();
    metadata.sample_count = 4;
    metadata.repeats = 2;
    metadata.model = {"main", "model-" + id, "1"};
    metadata.prompt_template = {"p", "1", "Be brief.", "Q: {{task}}", "x"};
    files::blocking_write_atomically(folder / "run.json", job::to_json(metadata)).value();
    std::string records;
    for (int sample = 0; sample < 4; ++sample) {
        for (int repeat = 1; repeat <= 2; ++repeat) {
            const bool passed = sample >= failing || repeat == 2;
            records += R"({"sample_id":"s)" + std::to_string(sample) + R"(","sample_index":)" +
                       std::to_string(sample) + R"(,"repeat":)" + std::to_string(repeat) +
                       R"(,"answer":"answer )" + kHostile + R"(","rubric_passed":)" +
                       (passed ? "true" : "false") + R"(,"spec_passed":true,"sample_score":)" +
                       (passed ? "1" : "0.25") + R"(,"correctness_score":)" + (passed ? "2" : "0") +
                       R"(,"faithfulness_score":2,"latency_e2e_ms":)" +
                       std::to_string(100 * (sample + 1)) +
                       R"(,"started_at_utc":"2026-11-16T02:00:01.000Z","failure_label":)" +
                       (passed ? "null" : R"("incorrect_answer")") + "}\n";
        }
    }
    files::blocking_write_atomically(folder / "records.jsonl", records).value();
    files::blocking_write_atomically(
        folder / "summary.json",
        R"({"release_ready":true,"rubric":{"total_count":8,"pass_count":7},"extra":{"could_measure":"complete","total_cost_usd":0.5},"gates":{}})")
        .value();
}

/// `evalfleet-coordinator --view` over two run folders.
class ViewTest : public ::testing::Test {
  protected:
    ViewTest() {
        write_run(folder_ / "out" / "one", "run-1", 1);
        write_run(folder_ / "out" / "two", "run-2", 0);
        process_.emplace(
            std::vector<std::string>{std::string(EVALFLEET_BIN_DIR) + "/evalfleet-coordinator",
                                     "--view", (folder_ / "out").string(), "--listen",
                                     "127.0.0.1:0", "--port-file", (folder_ / "port").string()},
            folder_ / "log");
        for (int i = 0; i < 600 && port_ == 0; ++i) {
            std::ifstream(folder_ / "port") >> port_;
            if (port_ == 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
    }
    Answer get(const std::string& path) const { return ask(port_, "GET", path); }
    Answer post(const std::string& path, const std::string& body) const {
        return ask(port_, "POST", path, body);
    }

    testing::TemporaryFolder folder_;
    std::optional<testing::Process> process_;
    std::uint16_t port_ = 0;
};

TEST_F(ViewTest, ShowsRunsOfFoldersWithoutRedisAndChangesNothing) {
    const Answer session = get("/api/v1/session");
    EXPECT_THAT(session.body, HasSubstr(R"("mode":"view","read_only":true)"));
    const Answer runs = get("/api/v1/runs?verdict=ready");
    EXPECT_THAT(runs.body, HasSubstr(R"("run_id":"run-1")"));
    EXPECT_THAT(runs.body, HasSubstr(R"("total":2)"));
    EXPECT_THAT(runs.body, HasSubstr(R"("cost_usd":0.5)"));
    EXPECT_EQ(get("/").status, 200);
    EXPECT_EQ(post("/api/v1/runs/run-1/cancel", "").status, 403);
    EXPECT_EQ(ask(port_, "DELETE", "/api/v1/runs/run-1").status, 403);
    EXPECT_EQ(get("/api/v1/workers").status, 503);
    process_->signal(SIGTERM);
    EXPECT_EQ(process_->wait(), 0);
    EXPECT_THAT(process_->output(), HasSubstr("2 runs at http://127.0.0.1:"));
}

TEST_F(ViewTest, FiltersCountsAndSearchesTrials) {
    const Answer failed = get("/api/v1/runs/run-1/trials?passed=false&facets=true");
    EXPECT_EQ(failed.status, 200) << failed.body;
    EXPECT_THAT(failed.body, HasSubstr(R"("total":1)"));
    EXPECT_THAT(failed.body, HasSubstr(R"("sample_id":"s0")"));
    EXPECT_THAT(failed.body, HasSubstr(R"("passed":{"false":1,"true":7})"));
    EXPECT_THAT(failed.body, HasSubstr(R"("task_excerpt":"Where is <img)"));
    const Answer slow = get("/api/v1/runs/run-1/trials?sort=latency&order=desc&limit=1");
    EXPECT_THAT(slow.body, HasSubstr(R"("sample_index":3)"));
    EXPECT_THAT(slow.body, HasSubstr(R"("next_offset":1)"));
    const Answer found = get("/api/v1/runs/run-1/trials?q=THREE");
    EXPECT_THAT(found.body, HasSubstr(R"("total":2)"));
    EXPECT_THAT(get("/api/v1/runs/run-1/trials?q=nowhere+to+be+found").body,
                HasSubstr(R"("total":0)"));
    EXPECT_EQ(get("/api/v1/runs/run-1/trials?sort=size").status, 400);
    EXPECT_EQ(get("/api/v1/runs/run-1/trials?score=7").status, 400);
    EXPECT_EQ(get("/api/v1/runs/none/trials").status, 404);
}

TEST_F(ViewTest, GivesWhatWasAskedByPages) {
    const Answer first = get("/api/v1/runs/run-1/texts?limit=1");
    EXPECT_EQ(first.status, 200) << first.body;
    EXPECT_THAT(first.body,
                HasSubstr(R"({"texts":[{"sample_index":0,"texts":{"question":"Where is <img)"));
    EXPECT_THAT(first.body, HasSubstr(R"("reference_answer":"here")"));
    EXPECT_THAT(first.body, HasSubstr(R"("next":1,"dataset_note":null)"));
    EXPECT_THAT(get("/api/v1/runs/run-1/texts?first=1").body, HasSubstr(R"("next":null)"));
    EXPECT_THAT(get("/api/v1/runs/run-1/texts?first=1000").body,
                HasSubstr(R"({"texts":[],"next":null)"));
    EXPECT_EQ(get("/api/v1/runs/run-1/texts?limit=0").status, 400);
}

TEST_F(ViewTest, ShowsASampleWithItsTextPromptAndRepeats) {
    const Answer sample = get("/api/v1/runs/run-1/samples/0");
    EXPECT_EQ(sample.status, 200) << sample.body;
    const auto document = json::Document::parse(sample.body);
    ASSERT_TRUE(document) << document.error().message;
    const json::Value root = document->root();
    EXPECT_EQ(root.find("sample")->get<std::string>("reference_answer").value(), "here");
    EXPECT_THAT(root.find("sample")->get<std::string>("context").value(),
                HasSubstr("[REDACTED:email]"));
    EXPECT_EQ(root.get<json::Array>("records")->size(), 2U);
    EXPECT_EQ(root.get<json::Array>("prompt")->size(), 2U);
    EXPECT_THAT(sample.body, HasSubstr(R"("role":"system","content":"Be brief.")"));
    EXPECT_THAT(root.get<std::string>("curl").value(), HasSubstr("$API_KEY"));
    EXPECT_EQ(root.get<std::uint64_t>("next").value(), 1U);
    EXPECT_EQ(get("/api/v1/runs/run-1/samples/99").status, 404);
    EXPECT_EQ(get("/api/v1/runs/run-1/samples/x").status, 404);
    std::ofstream(folder_ / "out" / "two" / "work" / "dataset.jsonl", std::ios::app) << "{}\n";
    EXPECT_THAT(get("/api/v1/runs/run-2/samples/0").body, HasSubstr("is not the one it ran with"));
}

TEST_F(ViewTest, KeepsReviewsBesideTheRun) {
    EXPECT_EQ(post("/api/v1/runs/run-1/labels",
                   R"({"sample_index":0,"agree":false,"accuracy":2,"comment":"it is right"})")
                  .status,
              201);
    EXPECT_EQ(post("/api/v1/runs/run-1/labels", R"({"sample_index":1,"agree":true})").status, 201);
    EXPECT_EQ(post("/api/v1/runs/run-1/labels", R"({"sample_index":77,"agree":true})").status, 404);
    EXPECT_EQ(post("/api/v1/runs/run-1/labels", R"({"sample_index":1})").status, 422);
    const Answer labels = get("/api/v1/runs/run-1/labels");
    EXPECT_THAT(labels.body, HasSubstr(R"("by":"local")"));
    EXPECT_THAT(labels.body, HasSubstr(R"("count":2,"observed":0.5)"));
    EXPECT_THAT(get("/api/v1/runs/run-1/labels.jsonl").body, HasSubstr(R"("sample_id":"s0")"));
    EXPECT_TRUE(std::filesystem::exists(folder_ / "out" / "one" / "reviews.jsonl"));
    EXPECT_THAT(get("/api/v1/runs/run-1/samples/0").body, HasSubstr("it is right"));
}

TEST_F(ViewTest, PutsRunsBesideEachOther) {
    const Answer flips =
        get("/api/v1/compare/samples?base=run-1&candidate=run-2&min_difference=0.1");
    EXPECT_EQ(flips.status, 200) << flips.body;
    EXPECT_THAT(flips.body, HasSubstr(R"("total":1)"));
    EXPECT_THAT(flips.body, HasSubstr(R"("difference":0.375)"));
    EXPECT_THAT(get("/api/v1/groups").body, HasSubstr(R"("group_id":"pair")"));
    EXPECT_THAT(get("/api/v1/groups/pair").body, HasSubstr(R"("run_id":"run-2")"));
    const Answer matrix = get("/api/v1/groups/pair/matrix");
    EXPECT_THAT(matrix.body, HasSubstr(R"("total":4)"));
    EXPECT_THAT(matrix.body, HasSubstr(R"("model":"main/model-run-2@1")"));
    EXPECT_THAT(get("/api/v1/trends?name=nightly").body, HasSubstr(R"("changed":["model"])"));
    EXPECT_THAT(get("/api/v1/runs/run-1/live").body, HasSubstr(R"("name":"pass_rate")"));
    EXPECT_THAT(get("/api/v1/runs/run-1/timeline").body, HasSubstr(R"("done":8)"));
}

TEST(View, SaysWhichFolderHasNoRun) {
    const testing::TemporaryFolder folder;
    testing::Process process({std::string(EVALFLEET_BIN_DIR) + "/evalfleet-coordinator", "--view",
                              folder.path().string()},
                             folder / "log");
    EXPECT_EQ(process.wait(), 2);
    EXPECT_THAT(process.output(), HasSubstr(folder.path().string() + ": found no run"));
}

}  // namespace
}  // namespace evalfleet
