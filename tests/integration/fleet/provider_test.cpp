#include "tests/integration/fleet/evalfleet_process.hpp"

/// What becomes of runs whose providers, keys or files are not as they should be.
namespace evalfleet {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
using ::testing::AllOf;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

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
    // So few that they are over before the run would be paused.
    const std::string file =
        put_run_file(home, provider.url(), "stream: false", 4, "[[simulate status=503 times=1]] ");
    std::ofstream(file, std::ios::app) << "limits: {max_attempts: 1, give_up_after_ms: 0}\n";
    const fs::path out = home / "out";
    Process process(home.path(), {"run", file, "--out", out.string()});
    EXPECT_EQ(process.wait(), 3) << process.err();
    const std::string words = "could not measure: 4 of 4 calls failed at the provider (503)";
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
    expect_every_trial_once(out, 4, 1);
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
