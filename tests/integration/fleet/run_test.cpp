#include "common/files/atomic_file.hpp"
#include "common/files/file.hpp"
#include "common/job/trial_record_json.hpp"
#include "common/json/document.hpp"
#include "tests/support/temporary_folder.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>

extern char** environ;

namespace evalfleet {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

const std::string kEvalfleet = EVALFLEET_BIN_DIR "/evalfleet";
const std::string kDemo = EVALFLEET_TEST_DATA_DIR "/../docs/examples/demo.yaml";

// A program whose output goes to files of the test's folder.
class Process {
  public:
    Process(const fs::path& folder, std::vector<std::string> arguments)
        : out_(folder / "stdout"), err_(folder / "stderr") {
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC;
        posix_spawn_file_actions_addopen(&actions, 1, out_.c_str(), kFlags, 0644);
        posix_spawn_file_actions_addopen(&actions, 2, err_.c_str(), kFlags, 0644);
        std::vector<char*> argv{const_cast<char*>(kEvalfleet.c_str())};
        for (std::string& argument : arguments)
            argv.push_back(argument.data());
        argv.push_back(nullptr);
        if (posix_spawn(&pid_, kEvalfleet.c_str(), &actions, nullptr, argv.data(), environ) != 0)
            throw std::runtime_error("cannot start " + kEvalfleet);
        posix_spawn_file_actions_destroy(&actions);
    }

    int wait() {
        int status = 0;
        waitpid(pid_, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }

    void signal(int number) const { kill(pid_, number); }
    [[nodiscard]] pid_t pid() const { return pid_; }
    [[nodiscard]] std::string out() const {
        return files::blocking_read_file(out_, 1 << 24).value();
    }
    [[nodiscard]] std::string err() const {
        return files::blocking_read_file(err_, 1 << 24).value();
    }

  private:
    fs::path out_;
    fs::path err_;
    pid_t pid_ = 0;
};

int run(const testing::TemporaryFolder& folder, std::vector<std::string> arguments) {
    return Process(folder.path(), std::move(arguments)).wait();
}

// How often each trial is in a run's records.
std::map<std::pair<std::int64_t, std::int64_t>, int> count_trials(const fs::path& records) {
    std::map<std::pair<std::int64_t, std::int64_t>, int> counts;
    std::ifstream file(records);
    json::Parser parser;
    for (std::string line; std::getline(file, line);) {
        const auto record = parser.parse(line).value();
        ++counts[{record.get<std::int64_t>("sample_index").value(),
                  record.get<std::int64_t>("repeat").value()}];
    }
    return counts;
}

void expect_every_trial_once(const fs::path& folder, std::size_t samples, std::int64_t repeats) {
    const auto counts = count_trials(folder / "records.jsonl");
    EXPECT_EQ(counts.size(), samples * static_cast<std::size_t>(repeats));
    for (const auto& [trial, count] : counts)
        EXPECT_EQ(count, 1) << trial.first;
}

// A file of /proc; empty if its process has ended, be it in the middle of our reading.
std::string read_of_process(const fs::path& file) {
    const files::File handle(::open(file.c_str(), O_RDONLY | O_CLOEXEC), file);
    std::string content(4096, '\0');
    const ssize_t size = ::read(handle.descriptor(), content.data(), content.size());
    content.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return content;
}

// The children of a process, by what they run.
std::set<pid_t> children_named(pid_t parent, const std::string& program) {
    std::set<pid_t> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        const std::string name = entry.path().filename().string();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        const std::string content = read_of_process(entry.path() / "stat");
        const auto close = content.rfind(')');
        if (close == std::string::npos) continue;
        std::istringstream rest(content.substr(close + 1));
        std::string state;
        pid_t parent_of = 0;
        rest >> state >> parent_of;
        const std::string line = read_of_process(entry.path() / "cmdline");
        if (parent_of == parent && state != "Z" && line.find(program) != std::string::npos)
            found.insert(static_cast<pid_t>(std::stol(name)));
    }
    return found;
}

std::size_t count_of(const std::string& needle, const std::string& text) {
    std::size_t count = 0;
    for (auto at = text.find(needle); at != std::string::npos; at = text.find(needle, at + 1))
        ++count;
    return count;
}

// Waits for a condition that other processes bring about.
template <class Condition>
bool eventually(Condition condition) {
    for (int i = 0; i < 3000; ++i) {
        if (condition()) return true;
        usleep(20'000);
    }
    return false;
}

std::map<std::pair<std::string, std::int64_t>, job::TrialRecord> read_records(
    const fs::path& folder) {
    std::map<std::pair<std::string, std::int64_t>, job::TrialRecord> records;
    std::ifstream file(folder / "records.jsonl");
    json::Parser parser;
    for (std::string line; std::getline(file, line);) {
        auto record = job::read_trial_record(parser.parse(line).value()).value();
        records.emplace(std::pair(record.sample_id.value(), record.repeat), std::move(record));
    }
    return records;
}

TEST(EvalfleetRun, EvaluatesTheDemoAndLeavesAFolderThatVerifies) {
    const testing::TemporaryFolder home;
    const std::string out = (home / "out").string();
    Process process(home.path(), {"run", kDemo, "--simulate", "--out", out});
    const int code = process.wait();
    EXPECT_TRUE(code == 0 || code == 1) << process.err();
    EXPECT_THAT(process.out(), HasSubstr("aggregate"));
    EXPECT_THAT(process.err(), HasSubstr("186/186 trials"));
    for (const char* name : {"run.json", "records.jsonl", "summary.json", "report.md",
                             "report.html", "junit.xml", "manifest.json"})
        EXPECT_TRUE(fs::exists(fs::path(out) / name)) << name;
    EXPECT_FALSE(fs::exists(fs::path(out) / ".fleet"));
    expect_every_trial_once(out, 62, 3);
    for (const auto& [trial, record] : read_records(out)) {
        EXPECT_EQ(record.evaluation_schema_version, job::SchemaVersion::v1_1) << trial.first;
        EXPECT_TRUE(record.error_kind || !record.answer.value_or("").empty()) << trial.first;
    }
    EXPECT_THAT(files::blocking_read_file(fs::path(out) / "summary.json", 1 << 24).value(),
                HasSubstr(R"("evaluation_schema_version": "1.1")"));
    EXPECT_EQ(run(home, {"verify", out}), 0);
}

TEST(EvalfleetRun, IsScoredFromManualLabelsWithoutAJudge) {
    const testing::TemporaryFolder home;
    const auto put = [&](const char* name, std::string_view content) {
        ASSERT_TRUE(files::blocking_write_atomically(home / name, content));
    };
    put("qa.jsonl",
        "{\"id\":\"a\",\"task\":\"one?\"}\n{\"id\":\"b\",\"task\":\"two?\"}\n"
        "{\"id\":\"c\",\"task\":\"three?\"}\n");
    fs::create_directory(home / "people");
    put("people/labels.jsonl",
        "{\"sample_id\":\"a\",\"accuracy_score\":2,\"faithfulness_score\":2,"
        "\"hallucination_score\":0,\"rationale\":\"as it should be\"}\n"
        "{\"sample_id\":\"b\",\"repeat\":1,\"accuracy_score\":1,\"faithfulness_score\":1}\n"
        "{\"sample_id\":\"b\",\"repeat\":2,\"accuracy_score\":0,\"faithfulness_score\":2,"
        "\"failure_label\":\"tool_or_retrieval_misuse\"}\n");
    put("run.yaml",
        "version: 1\nname: by hand\ndataset: {path: qa.jsonl}\n"
        "model: {provider: sim, name: m, version: \"1\"}\nrepeats: 2\n"
        "labels: {path: people/labels.jsonl, version: hand-v3}\n"
        "providers:\n  sim: {type: openai, base_url: \"http://127.0.0.1:1/v1\"}\n");
    const fs::path out = home / "out";
    Process process(home.path(),
                    {"run", (home / "run.yaml").string(), "--simulate", "--out", out.string()});
    EXPECT_EQ(process.wait(), 3) << process.err();
    EXPECT_THAT(process.err(), HasSubstr("1 of 3 samples lack a label"));
    EXPECT_THAT(process.err(), HasSubstr("could not measure: 2 of 6 answers not scored (no label)"))
        << "with good scores for them the aggregate score would do";

    const auto records = read_records(out);
    ASSERT_EQ(records.size(), 6U);
    for (const std::int64_t repeat : {1, 2}) {
        const job::TrialRecord& labelled = records.at({"a", repeat});
        EXPECT_EQ(labelled.correctness_score, 2);
        EXPECT_EQ(labelled.hallucination_source, job::HallucinationSource::judge);
        EXPECT_EQ(labelled.rationale, "as it should be");
        EXPECT_FALSE(labelled.evaluator_attempts);
        EXPECT_EQ(records.at({"c", repeat}).evaluator_error, job::EvaluatorError::missing_label);
    }
    EXPECT_EQ(records.at({"b", 1}).correctness_score, 1);
    EXPECT_EQ(records.at({"b", 1}).hallucination_source, job::HallucinationSource::derived);
    EXPECT_EQ(records.at({"b", 2}).judge_failure_label, "tool_or_retrieval_misuse");
    const std::string metadata = files::blocking_read_file(out / "run.json", 1 << 20).value();
    EXPECT_THAT(metadata, HasSubstr("\"evaluator_version\": \"hand-v3\""));
    EXPECT_THAT(metadata, HasSubstr("\"evaluator_labels_hash\": \""));
    EXPECT_EQ(run(home, {"verify", out.string()}), 0);
}

TEST(EvalfleetRun, PrintsOnlyJsonWhenAsked) {
    const testing::TemporaryFolder home;
    Process process(home.path(),
                    {"run", kDemo, "--simulate", "--json", "--out", (home / "out").string()});
    process.wait();
    const auto document = json::Document::parse(process.out());
    ASSERT_TRUE(document) << process.out() << process.err();
    const auto runs = document->root().get<json::Array>("runs").value();
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ((*runs.begin()).get<std::string>("state").value(), "done");
}

// Two models with two prompts each; the name of one model pins it.
std::string put_group_file(const testing::TemporaryFolder& home) {
    std::string lines;
    for (int i = 0; i < 8; ++i)
        lines += "{\"task\":\"question " + std::to_string(i) + "\"}\n";
    EXPECT_TRUE(files::blocking_write_atomically(home / "qa.jsonl", lines));
    EXPECT_TRUE(files::blocking_write_atomically(
        home / "run.yaml",
        "version: 1\nname: matrix\ndataset: {path: qa.jsonl}\n"
        "models: [{provider: sim, name: gpt-4o-2024-08-06}, {provider: sim, name: o3-2025-04-16}]\n"
        "prompts: [{id: p, version: \"1\", template: \"{{task}}\"},\n"
        "          {id: p, version: \"2\", template: \"Answer: {{task}}\"}]\n"
        "judge: {provider: sim, name: gpt-4.1-2025-04-14}\n"
        "providers:\n  sim: {type: openai, base_url: \"http://127.0.0.1:1/v1\"}\n"));
    return (home / "run.yaml").string();
}

json::Document read_json(const fs::path& file) {
    return json::Document::parse(files::blocking_read_file(file, 1 << 22).value()).value();
}

TEST(EvalfleetRun, SummarisesAGroupBesideItsRuns) {
    const testing::TemporaryFolder home;
    const fs::path out = home / "out";
    Process process(home.path(),
                    {"run", put_group_file(home), "--simulate", "--out", out.string()});
    const int code = process.wait();
    EXPECT_TRUE(code == 0 || code == 1) << process.err();
    EXPECT_THAT(process.out(), HasSubstr("The group's summary: " + (out / "group.json").string()));
    EXPECT_THAT(process.out(), HasSubstr("rank"));
    const auto group = read_json(out / "group.json");
    const auto ranking = group.root().get<json::Array>("ranking").value();
    ASSERT_EQ(ranking.size(), 4U);
    std::vector<std::string> folders;
    bool all_ready = true;
    for (const json::Value ranked : ranking) {
        all_ready = all_ready && ranked.get<bool>("release_ready").value();
        folders.push_back((out / ranked.get<std::string>("run_id").value()).string());
        expect_every_trial_once(folders.back(), 8, 1);
    }
    EXPECT_EQ(code, all_ready ? 0 : 1) << "the worst of the runs";
    const json::Value slices = group.root().find("slices").value();
    EXPECT_TRUE(slices.find("model")->find("sim/o3-2025-04-16@2025-04-16"));
    EXPECT_TRUE(slices.find("prompt_template_version")->find("p@2"));

    // The same as offline, run by run in the order of the submission.
    std::sort(folders.begin(), folders.end());
    std::vector<std::string> words{"reduce", "--group", "--out", (home / "again.json").string()};
    words.insert(words.end(), folders.begin(), folders.end());
    run(home, words);
    const std::string stored = files::blocking_read_file(out / "group.json", 1 << 22).value();
    EXPECT_EQ(files::blocking_read_file(home / "again.json", 1 << 22).value(), stored);

    // And the folder can be asked for its report and verified like that of a run.
    const auto report = [&](const char* format) {
        Process command(home.path(), {"report", out.string(), "--format", format});
        EXPECT_NE(command.wait(), 2) << command.err();
        return command.out();
    };
    EXPECT_EQ(report("json"), stored);
    EXPECT_THAT(report("text"), AllOf(HasSubstr("4 runs"), HasSubstr("model, prompt"),
                                      HasSubstr("prompt template version")));
    EXPECT_THAT(report("md"), AllOf(HasSubstr("| rank | model, prompt |"), HasSubstr("| p\\@2 |")));
    Process refused(home.path(), {"report", out.string(), "--format", "junit"});
    EXPECT_EQ(refused.wait(), 2);
    EXPECT_THAT(refused.err(), HasSubstr("a group has reports as text, json, md and html"));

    Process verified(home.path(), {"verify", out.string()});
    EXPECT_EQ(verified.wait(), 0) << verified.out();
    for (const std::string& folder : folders)
        EXPECT_THAT(verified.out(), HasSubstr(folder + ": hashes and summary are as recorded"));
    std::ofstream(fs::path(folders.back()) / "records.jsonl", std::ios::app) << " ";
    Process changed(home.path(), {"verify", out.string()});
    EXPECT_EQ(changed.wait(), 1);
    EXPECT_THAT(changed.out(), HasSubstr(folders.back() + ": 1 difference"));
}

TEST(EvalfleetRun, TellsTheGroupInJson) {
    const testing::TemporaryFolder home;
    const fs::path out = home / "out";
    Process process(home.path(),
                    {"run", put_group_file(home), "--simulate", "--json", "--out", out.string()});
    process.wait();
    const auto document = json::Document::parse(process.out());
    ASSERT_TRUE(document) << process.out() << process.err();
    const json::Value group = document->root().find("group").value();
    EXPECT_EQ(group.get<std::string>("file").value(), (out / "group.json").string());
    EXPECT_EQ(group.get<json::Array>("ranking").value().size(), 4U);
}

// Rubric 4.3 and Specification 5, as a real run leaves them.
TEST(EvalfleetRun, LeavesNoNameOfTheMetadataNull) {
    const testing::TemporaryFolder home;
    const fs::path out = home / "out";
    run(home, {"run", put_group_file(home), "--simulate", "--out", out.string(), "--environment",
               "region=eu-west-1,deployment=test"});
    const auto group = read_json(out / "group.json");
    const auto ranking = group.root().get<json::Array>("ranking").value();
    for (const json::Value ranked : ranking) {
        const std::string run_id = ranked.get<std::string>("run_id").value();
        const auto document = read_json(out / run_id / "run.json");
        const json::Value root = document.root();
        for (const char* name : {"run_id",
                                 "timestamp_utc",
                                 "dataset_id",
                                 "dataset_version",
                                 "dataset_version_or_hash",
                                 "model",
                                 "model_id",
                                 "model_version",
                                 "evaluator_model_id",
                                 "evaluator_model_version",
                                 "evaluator_version",
                                 "prompt_template",
                                 "prompt_template_id",
                                 "prompt_template_version_or_hash",
                                 "evaluator_prompt_template_version_or_hash",
                                 "generation_params",
                                 "params",
                                 "generation_params_requested",
                                 "api_key_id",
                                 "code_version",
                                 "environment"}) {
            const auto value = root.find(name);
            EXPECT_TRUE(value && !value->is_null()) << name;
        }
        const bool reasons = root.get<std::string>("model_id").value() == "sim/o3-2025-04-16";
        EXPECT_EQ(root.get<std::string>("model_version").value(),
                  reasons ? "2025-04-16" : "2024-08-06");
        EXPECT_EQ(root.get<std::string>("evaluator_model_version").value(), "2025-04-14");
        const json::Value sent = root.find("generation_params").value();
        for (const char* name : {"temperature", "top_p"})
            EXPECT_EQ(sent.find(name)->is_null(), reasons) << name;
        EXPECT_FALSE(sent.find("seed")->is_null());
        const json::Value environment = root.find("environment").value();
        EXPECT_EQ(environment.get<std::string>("region").value(), "eu-west-1");
        EXPECT_EQ(environment.get<std::string>("deployment").value(), "test");
        const auto workers = root.get<json::Object>("worker_environments").value();
        for (const auto [place, trials] : workers) {
            EXPECT_THAT(std::string(place), HasSubstr("region=eu-west-1,deployment=test,runtime="));
            EXPECT_EQ(trials.as_int64().value(), 8);
        }
        EXPECT_EQ(root.get<json::Object>("model_versions_reported").value().size(), 1U);
    }
}

TEST(EvalfleetRun, RefusesAnEnvironmentThatItDoesNotKnow) {
    const testing::TemporaryFolder home;
    Process process(home.path(), {"run", put_group_file(home), "--simulate", "--out",
                                  (home / "out").string(), "--environment", "regoin=eu"});
    EXPECT_EQ(process.wait(), 2);
    EXPECT_THAT(process.err(), HasSubstr("--environment: found 'regoin=eu', allowed: "));
    EXPECT_FALSE(fs::exists(home / "out"));
}

TEST(EvalfleetRun, LosesNothingWhenEveryPartIsKilledOnce) {
    const testing::TemporaryFolder home;
    const std::string out = (home / "out").string();
    Process process(home.path(), {"run", kDemo, "--simulate", "--out", out, "--concurrency", "4"});
    std::size_t killed = 0;
    for (const char* program : {"evalfleet-worker", "evalfleet-coordinator", "redis-server"}) {
        ASSERT_TRUE(eventually([&] { return !children_named(process.pid(), program).empty(); }));
        kill(*children_named(process.pid(), program).begin(), SIGKILL);
        ++killed;
        ASSERT_TRUE(eventually([&] {
            return count_of("ended (signal 9)", process.err()) >= killed;
        })) << program;
    }
    const int code = process.wait();
    EXPECT_TRUE(code == 0 || code == 1) << process.err();
    EXPECT_THAT(process.err(), HasSubstr("starting it again"));
    expect_every_trial_once(out, 62, 3);
    EXPECT_EQ(run(home, {"verify", out}), 0);
}

TEST(EvalfleetRun, GoesOnAfterAnInterruptionWithNothingCountedTwice) {
    const testing::TemporaryFolder home;
    const std::string out = (home / "out").string();
    Process process(home.path(), {"run", kDemo, "--simulate", "--out", out, "--concurrency", "2"});
    ASSERT_TRUE(
        eventually([&] { return !children_named(process.pid(), "evalfleet-worker").empty(); }));
    process.signal(SIGINT);
    EXPECT_EQ(process.wait(), 130) << process.err();
    EXPECT_THAT(process.err(), HasSubstr("evalfleet run --resume " + out));
    Process resumed(home.path(), {"run", "--resume", out});
    const int code = resumed.wait();
    EXPECT_TRUE(code == 0 || code == 1) << resumed.err();
    expect_every_trial_once(out, 62, 3);
    EXPECT_EQ(run(home, {"verify", out}), 0);
}

TEST(EvalfleetRun, LeavesNoChildBehindWhenItIsKilled) {
    const testing::TemporaryFolder home;
    Process process(home.path(), {"run", kDemo, "--simulate", "--out", (home / "out").string()});
    std::set<pid_t> children;
    ASSERT_TRUE(eventually([&] {
        children = children_named(process.pid(), "");
        return children.size() >= 5;
    }));
    process.signal(SIGKILL);
    process.wait();
    EXPECT_TRUE(eventually([&] {
        return std::all_of(children.begin(), children.end(),
                           [](pid_t pid) { return kill(pid, 0) != 0; });
    }));
}

// A run file with so many samples whose provider is as `provider` says.
std::string put_run_file(const testing::TemporaryFolder& home, const std::string& url,
                         const std::string& provider, int samples = 100,
                         const std::string& task = "question ") {
    std::string lines;
    for (int i = 0; i < samples; ++i)
        lines += "{\"task\":\"" + task + std::to_string(i) + "\"}\n";
    EXPECT_TRUE(files::blocking_write_atomically(home / "qa.jsonl", lines));
    EXPECT_TRUE(files::blocking_write_atomically(
        home / "run.yaml",
        "version: 1\nname: keys\ndataset: {path: qa.jsonl}\n"
        "model: {provider: sim, name: m, version: \"1\"}\n"
        "judge: {provider: sim, name: j, version: \"1\"}\n"
        "providers:\n  sim: {type: openai, base_url: \"" +
            url + "\", api_key_id: team-key, " + provider + "}\n"));
    return (home / "run.yaml").string();
}

// A simulated provider of its own, which takes one key or none.
class Provider {
  public:
    enum class Keys { any, one };
    explicit Provider(Keys keys, const std::vector<std::string>& more = {}) {
        EXPECT_TRUE(files::blocking_write_atomically(folder_ / "keys", "the-right-key\n"));
        std::vector<std::string> words{
            "simulate",      "--port", "0", "--port-file", (folder_ / "port").string(),
            "--correctness", "1"};
        if (keys == Keys::one) {
            words.emplace_back("--api-key-file");
            words.push_back((folder_ / "keys").string());
        }
        words.insert(words.end(), more.begin(), more.end());
        process_.emplace(folder_.path(), words);
        EXPECT_TRUE(eventually([&] { return fs::exists(folder_ / "port"); }));
    }
    ~Provider() {
        process_->signal(SIGTERM);
        process_->wait();
    }
    Provider(const Provider&) = delete;
    Provider& operator=(const Provider&) = delete;

    [[nodiscard]] std::string url() const {
        const std::string port = files::blocking_read_file(folder_ / "port", 16).value();
        return "http://127.0.0.1:" + port.substr(0, port.find('\n')) + "/v1";
    }

  private:
    testing::TemporaryFolder folder_;
    std::optional<Process> process_;
};

void expect_all_answered(const fs::path& folder) {
    for (const auto& [trial, record] : read_records(folder))
        EXPECT_TRUE(job::is_answered(record) && !record.evaluator_error) << trial.first;
}

TEST(EvalfleetRun, FindsAMissingKeyBeforeAnythingStarts) {
    const testing::TemporaryFolder home;
    for (const char* key :
         {"api_key_env: EVALFLEET_TEST_NO_SUCH_KEY", "api_key_file: no-such-file"}) {
        Process process(home.path(), {"run", put_run_file(home, "http://127.0.0.1:1/v1", key),
                                      "--out", (home / "out").string()});
        EXPECT_EQ(process.wait(), 2) << process.err();
        EXPECT_THAT(process.err(), HasSubstr("team-key"));
        EXPECT_FALSE(fs::exists(home / "out"));
    }
}

TEST(EvalfleetRun, FindsACertificateThatCannotBeUsedBeforeAnythingStarts) {
    const testing::TemporaryFolder home;
    std::ofstream(home / "text.pem") << "no certificate\n";
    for (const char* lines :
         {"ca_file: no-such.pem", "client_cert_file: text.pem, client_key_file: text.pem"}) {
        const std::string file = put_run_file(home, "https://127.0.0.1:1/v1", lines);
        for (const char* command : {"validate", "run"}) {
            Process process(home.path(), {command, file});
            EXPECT_EQ(process.wait(), 2) << process.err();
            EXPECT_THAT(process.err() + process.out(), HasSubstr(".pem"));
            EXPECT_THAT(process.err() + process.out(), HasSubstr("_file: TLS"));
        }
    }
}

TEST(EvalfleetRun, FindsAProgramAndCredentialsThatCannotBeUsedBeforeAnythingStarts) {
    const testing::TemporaryFolder home;
    std::ofstream(home / "none.json") << "{}\n";
    const std::pair<const char*, const char*> cases[] = {
        {"auth: {type: command, command: [no-such-program-x]}", "no-such-program-x"},
        {"auth: {type: google, scope: s, credentials_file: none.json}", "client_email"},
        {"auth: {type: google, scope: s, credentials_file: nowhere.json}", "nowhere.json"}};
    for (const auto& [lines, word] : cases) {
        const std::string file = put_run_file(home, "https://127.0.0.1:1/v1", lines);
        for (const char* command : {"validate", "run"}) {
            Process process(home.path(), {command, file});
            EXPECT_EQ(process.wait(), 2) << lines << process.err();
            EXPECT_THAT(process.err() + process.out(), HasSubstr(word)) << lines;
            EXPECT_THAT(process.err() + process.out(), HasSubstr("auth.c")) << lines;
        }
    }
}

TEST(EvalfleetRun, FindsAProxyOfAnUnknownKindBeforeAnythingStarts) {
    const testing::TemporaryFolder home;
    setenv("ALL_PROXY", "socks4://127.0.0.1:1", 1);
    Process process(home.path(), {"run", put_run_file(home, "http://127.0.0.1:1/v1", "rpm: 1"),
                                  "--out", (home / "out").string()});
    unsetenv("ALL_PROXY");
    EXPECT_EQ(process.wait(), 2) << process.err();
    EXPECT_THAT(process.err(), HasSubstr("ALL_PROXY: found socks4://"));
    EXPECT_FALSE(fs::exists(home / "out"));
}

// However small the run is: 100 and 7 trials.
TEST(EvalfleetRun, EndsWhenItsKeyIsRefusedAndTriesThoseTrialsAgainWithARightOne) {
    const Provider provider(Provider::Keys::one);
    for (const int samples : {100, 7}) {
        const testing::TemporaryFolder home;
        // The key's file is found from the run file's folder.
        ASSERT_TRUE(files::blocking_write_atomically(home / "key", "a-wrong-key\n"));
        const std::string file = put_run_file(home, provider.url(), "api_key_file: key", samples);
        const std::string out = (home / "out").string();

        Process refused(home.path(), {"run", file, "--out", out, "--concurrency", "4"});
        EXPECT_EQ(refused.wait(), 3) << refused.err();
        EXPECT_THAT(refused.err(), HasSubstr("was paused: could not measure: "));
        EXPECT_THAT(refused.err(), HasSubstr("401"));
        EXPECT_THAT(refused.err(), HasSubstr("key team-key"));
        EXPECT_THAT(refused.err(), HasSubstr("evalfleet run --resume " + out));

        Process again(home.path(), {"run", "--resume", out});
        EXPECT_EQ(again.wait(), 3) << "nothing was mended: " << again.err();
        EXPECT_THAT(again.err(), HasSubstr("was paused: could not measure: "));

        ASSERT_TRUE(files::blocking_write_atomically(home / "key", "the-right-key\n"));
        Process resumed(home.path(), {"run", "--resume", out});
        const int code = resumed.wait();
        EXPECT_TRUE(code == 0 || code == 1) << resumed.err();
        expect_every_trial_once(out, static_cast<std::size_t>(samples), 1);
        expect_all_answered(out);
        EXPECT_EQ(run(home, {"verify", out}), 0);
        EXPECT_FALSE(fs::exists(fs::path(out) / ".fleet"));
    }
}

TEST(EvalfleetRun, TriesTrialsAgainAlthoughItsCoordinatorIsKilledOverThem) {
    const Provider provider(Provider::Keys::one);
    const testing::TemporaryFolder home;
    ASSERT_TRUE(files::blocking_write_atomically(home / "key", "a-wrong-key\n"));
    const std::string file = put_run_file(home, provider.url(), "api_key_file: key", 300);
    const std::string out = (home / "out").string();
    EXPECT_EQ(run(home, {"run", file, "--out", out}), 3);

    ASSERT_TRUE(files::blocking_write_atomically(home / "key", "the-right-key\n"));
    Process resumed(home.path(), {"run", "--resume", out, "--concurrency", "1", "--workers", "1"});
    for (std::size_t killed = 1; killed <= 3; ++killed) {
        const auto find = [&] { return children_named(resumed.pid(), "evalfleet-coordinator"); };
        ASSERT_TRUE(eventually([&] { return !find().empty(); }));
        kill(*find().begin(), SIGKILL);
        ASSERT_TRUE(
            eventually([&] { return count_of("ended (signal 9)", resumed.err()) >= killed; }));
    }
    const int code = resumed.wait();
    EXPECT_TRUE(code == 0 || code == 1) << resumed.err();
    expect_every_trial_once(out, 300, 1);
    expect_all_answered(out);
    EXPECT_EQ(run(home, {"verify", out}), 0);
}

TEST(EvalfleetRun, SaysThatItCouldNotMeasureAndTriesAgainWhatFailed) {
    const Provider provider(Provider::Keys::any);
    const testing::TemporaryFolder home;
    const std::string file =
        put_run_file(home, provider.url(), "stream: false", 30, "[[simulate status=503 times=1]] ");
    std::ofstream(file, std::ios::app) << "limits: {max_attempts: 1, give_up_after_ms: 0}\n";
    const fs::path out = home / "out";
    Process process(home.path(), {"run", file, "--out", out.string()});
    EXPECT_EQ(process.wait(), 3) << process.err();
    const std::string words = "could not measure: 30 of 30 calls failed at the provider (503)";
    EXPECT_THAT(process.err(), HasSubstr(words));
    EXPECT_THAT(process.err(), HasSubstr("evalfleet run --resume " + out.string()));
    EXPECT_THAT(process.out(), HasSubstr("NOT MEASURED  keys\n" + words));
    const auto content = [&](const char* name) {
        return files::blocking_read_file(out / name, 1 << 24).value();
    };
    EXPECT_THAT(content("summary.json"), HasSubstr("\"measured\": \"not_measured\""));
    EXPECT_THAT(content("junit.xml"), HasSubstr("<error type=\"not_measured\" message=\"" + words));
    EXPECT_EQ(run(home, {"report", out.string()}), 3);

    Process resumed(home.path(), {"run", "--resume", out.string(), "--json"});
    EXPECT_EQ(resumed.wait(), 0) << resumed.err();
    EXPECT_THAT(resumed.out(), HasSubstr("\"measured\": \"complete\""));
    expect_every_trial_once(out, 30, 1);
    expect_all_answered(out);
    EXPECT_EQ(run(home, {"verify", out.string()}), 0);
    EXPECT_FALSE(fs::exists(out / ".fleet"));
}

TEST(EvalfleetRun, AsksAJudgeThatThinksAndRefusesWhatItDoesNotKnow) {
    const Provider provider(Provider::Keys::any, {"--reasoning-tokens", "2000", "--refuse", "seed",
                                                  "--error-shape", "mistral"});
    const auto run_with = [&](const testing::TemporaryFolder& home, const std::string& judge) {
        std::string text = files::blocking_read_file(
                               put_run_file(home, provider.url(), "stream: true", 5), 1 << 20)
                               .value();
        const std::string plain = "judge: {provider: sim, name: j, version: \"1\"}";
        text.replace(text.find(plain), plain.size(),
                     "generation: {max_tokens: 4096}\n"
                     "judge: {provider: sim, name: j, version: \"1\"" +
                         judge + "}");
        EXPECT_TRUE(files::blocking_write_atomically(home / "run.yaml", text));
        Process process(home.path(),
                        {"run", (home / "run.yaml").string(), "--out", (home / "out").string()});
        (void)process.wait();
        return process.err();
    };
    const testing::TemporaryFolder small, large;
    EXPECT_THAT(run_with(small, ""),
                AllOf(HasSubstr("was paused: could not measure: all 5 answers"),
                      HasSubstr("while thinking")));
    const std::string told =
        run_with(large, ", generation: {max_tokens: 8192}, limits: {max_attempts: 4}");
    const auto records = read_records(large / "out");
    ASSERT_EQ(records.size(), 5U) << told;
    for (const auto& [trial, record] : records) {
        EXPECT_FALSE(record.evaluator_error) << record.evaluator_error_message.value_or("");
        EXPECT_THAT(record.evaluator_refused_parameters, ::testing::ElementsAre("seed"));
        EXPECT_EQ(record.seed_supported, false);
    }
    const std::string metadata =
        files::blocking_read_file(large / "out" / "run.json", 1 << 20).value();
    const auto document = json::Document::parse(metadata).value();
    const auto sent = document.root().required("evaluator_generation_params").value();
    EXPECT_EQ(sent.get<int>("max_tokens").value(), 8192);
    EXPECT_TRUE(sent.find("seed")->is_null());
    EXPECT_EQ(sent.get<std::string>("response_format").value(), "json");
}

TEST(EvalfleetRun, TakesAnAnswerWhereServersDifferFromTheBook) {
    const Provider provider(Provider::Keys::any);
    for (const char* fault : {"no_done", "surrogates", "blank_error"}) {
        const testing::TemporaryFolder home;
        const std::string file = put_run_file(
            home, provider.url(), "stream: true", 3,
            "[[simulate fault=" + std::string(fault) + " answer=smile\xF0\x9F\x98\x80on]] ");
        run(home, {"run", file, "--out", (home / "out").string()});
        for (const auto& [trial, record] : read_records(home / "out")) {
            EXPECT_EQ(record.answer, "smile\xF0\x9F\x98\x80on") << fault;
            EXPECT_EQ(record.attempts, 1) << fault;
        }
    }
}

TEST(EvalfleetRun, StartsNothingOnWrongInput) {
    const testing::TemporaryFolder home;
    ASSERT_TRUE(
        files::blocking_write_atomically(home / "bad.yaml", "version: 1\nname: x\nmodle: {}\n"));
    Process process(home.path(),
                    {"run", (home / "bad.yaml").string(), "--out", (home / "out").string()});
    EXPECT_EQ(process.wait(), 2);
    EXPECT_THAT(process.err(), HasSubstr("bad.yaml:3"));
    EXPECT_FALSE(fs::exists(home / "out"));
}

TEST(EvalfleetRun, LeavesNothingBehindWhenItsRunIsRefused) {
    const testing::TemporaryFolder home;
    const std::string file = put_run_file(home, "http://127.0.0.1:1/v1", "stream: false");
    std::ofstream(file, std::ios::app) << "baseline: none-such\n";
    const std::vector<std::string> words{"run", file, "--simulate", "--out",
                                         (home / "out").string()};
    Process process(home.path(), words);
    EXPECT_EQ(process.wait(), 2) << process.err();
    EXPECT_THAT(process.err(), HasSubstr("none-such"));
    EXPECT_FALSE(fs::exists(home / "out"));
}

TEST(EvalfleetRun, TakesWhateverValidateTakes) {
    const testing::TemporaryFolder home;
    const std::string file = put_run_file(
        home, "http://127.0.0.1:1/v1", "prices: {input_usd_per_mtok: 1, output_usd_per_mtok: 2}");
    std::ofstream(file, std::ios::app) << "limits: {timeout_ms: 20000, max_cost_usd: 100}\n";
    EXPECT_EQ(run(home, {"validate", file}), 0);
    Process process(home.path(), {"run", file, "--simulate", "--out", (home / "out").string()});
    const int code = process.wait();
    EXPECT_TRUE(code == 0 || code == 1) << process.err();
    expect_every_trial_once(home / "out", 100, 1);
}

TEST(EvalfleetRun, NamesThePackageOfAMissingRedisServerAndLeavesNothing) {
    const testing::TemporaryFolder home;
    const std::string path = std::getenv("PATH");
    setenv("PATH", "/nonexistent", 1);
    Process process(home.path(), {"run", kDemo, "--simulate", "--out", (home / "out").string()});
    setenv("PATH", path.c_str(), 1);
    EXPECT_EQ(process.wait(), 3);
    EXPECT_THAT(process.err(), HasSubstr("package redis-server"));
    EXPECT_FALSE(fs::exists(home / "out"));
}

TEST(EvalfleetRun, RefusesAFolderThatIsInUse) {
    const testing::TemporaryFolder home;
    ASSERT_TRUE(files::blocking_write_atomically(home / "precious", "data"));
    Process process(home.path(), {"run", kDemo, "--simulate", "--out", home.path().string()});
    EXPECT_EQ(process.wait(), 2);
    EXPECT_THAT(process.err(), HasSubstr("is not empty"));
}

}  // namespace
}  // namespace evalfleet
