#include "common/config/command_line.hpp"

#include "common/config/log_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

namespace evalfleet::config {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

enum class Mode { fast, exact };

/// A type with a reader of its own.
struct Pair {
    std::string left = "a";
    std::string right = "b";

    static Result<Pair> parse(std::string_view text) {
        const auto colon = text.find(':');
        if (colon != std::string_view::npos) {
            return Pair{std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
        }
        return Error{ErrorKind::invalid, "found '" + std::string(text) + "', allowed: a pair"};
    }
    [[nodiscard]] std::string to_string() const { return left + ":" + right; }
};

struct Config {
    std::string redis = "redis://localhost";
    int concurrency = 100;
    std::uint16_t port = 8080;
    double ratio = 0.5;
    bool verbose = false;
    std::chrono::seconds drain_timeout = 30s;
    std::chrono::milliseconds poll = 250ms;
    ByteSize buffer{64 << 20};
    Mode mode = Mode::fast;
    std::vector<std::string> tags;
    std::optional<std::string> token;
    Pair pair;
    std::vector<Pair> pairs;
};

class CommandLineTest : public ::testing::Test {
  protected:
    CommandLineTest() {
        line.option("redis", config.redis, "Where Redis is").value_name("URL").group("Redis");
        line.option("concurrency", config.concurrency, "Calls in flight").range(between(1, 1000));
        line.option("port", config.port, "Port").short_name('p');
        line.option("ratio", config.ratio, "Ratio").range(between(0.0, 1.0));
        line.flag("verbose", config.verbose, "Say more");
        line.option("drain-timeout", config.drain_timeout, "Drain").range(between(0s, 10min));
        line.option("poll", config.poll, "Poll");
        line.option("buffer", config.buffer, "Buffer")
            .range(between(ByteSize{1024}, ByteSize{1 << 30}));
        line.choice<Mode>("mode", config.mode, {{"fast", Mode::fast}, {"exact", Mode::exact}},
                          "Mode");
        line.option("tag", config.tags, "Tag");
        line.option("token", config.token, "Token").secret();
        line.option("pair", config.pair, "Pair");
        line.option("pairs", config.pairs, "Pairs");
        line.enable_config_file();
    }

    std::string parse(std::vector<const char*> arguments) {
        arguments.insert(arguments.begin(), "prog");
        const auto outcome = line.parse(arguments, [this](const std::string& name) {
            const auto found = environment.find(name);
            return found == environment.end() ? std::nullopt : std::optional(found->second);
        });
        if (!outcome) return outcome.error().message;
        return outcome->answer.value_or("ok " + outcome->command->name());
    }

    std::string write_file(const std::string& text) {
        const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
        const std::string path = ::testing::TempDir() + "config_" + test->name() + ".yaml";
        std::ofstream(path) << text;
        return path;
    }

    Config config;
    CommandLine line{"prog", "A program for tests"};
    std::map<std::string, std::string> environment;
};

TEST_F(CommandLineTest, KeepsDefaultsWhenNothingIsGiven) {
    EXPECT_EQ(parse({}), "ok prog");
    EXPECT_EQ(config.concurrency, 100);
    EXPECT_EQ(config.drain_timeout, 30s);
}

TEST_F(CommandLineTest, ReadsEveryTypeFromFlags) {
    EXPECT_EQ(parse({"--redis",  "unix:///x", "--concurrency=7", "-p",    "99",     "--ratio",
                     "0.25",     "--verbose", "--drain-timeout", "2m",    "--poll", "20",
                     "--buffer", "1MiB",      "--mode",          "exact", "--tag",  "a",
                     "--tag",    "b,c",       "--token",         "t"}),
              "ok prog");
    EXPECT_EQ(config.redis, "unix:///x");
    EXPECT_EQ(config.concurrency, 7);
    EXPECT_EQ(config.port, 99);
    EXPECT_EQ(config.ratio, 0.25);
    EXPECT_TRUE(config.verbose);
    EXPECT_EQ(config.drain_timeout, 120s);
    EXPECT_EQ(config.poll, 20ms);
    EXPECT_EQ(config.buffer.bytes, 1U << 20);
    EXPECT_EQ(config.mode, Mode::exact);
    EXPECT_THAT(config.tags, ElementsAre("a", "b,c"));
    EXPECT_EQ(config.token, "t");
}

TEST_F(CommandLineTest, ReadsTypesThatHaveAReaderOfTheirOwn) {
    EXPECT_THAT(parse({"--help"}), HasSubstr("a:b"));
    EXPECT_EQ(parse({"--pair", "x:y", "--pairs", "1:2", "--pairs", "3:4"}), "ok prog");
    EXPECT_EQ(config.pair.right, "y");
    ASSERT_EQ(config.pairs.size(), 2U);
    EXPECT_EQ(config.pairs[1].left, "3");
    EXPECT_THAT(parse({"--pair", "x"}), StartsWith("--pair: found 'x', allowed: a pair"));
}

TEST_F(CommandLineTest, FlagWinsOverEnvironmentOverFileOverDefault) {
    const std::string path = write_file("concurrency: 1\nport: 1\nratio: 0.1\ndrain_timeout: 1m\n");
    environment = {{"EVALFLEET_CONCURRENCY", "2"},
                   {"EVALFLEET_PORT", "2"},
                   {"EVALFLEET_TAG", "x,y"},
                   {"EVALFLEET_VERBOSE", "1"},
                   {"EVALFLEET_REDIS", ""}};
    EXPECT_EQ(parse({"--config", path.c_str(), "--port", "3"}), "ok prog");
    EXPECT_EQ(config.port, 3);
    EXPECT_EQ(config.concurrency, 2);
    EXPECT_EQ(config.ratio, 0.1);
    EXPECT_EQ(config.drain_timeout, 60s);
    EXPECT_EQ(config.poll, 250ms);
    EXPECT_EQ(config.redis, "redis://localhost");
    EXPECT_TRUE(config.verbose);
    EXPECT_THAT(config.tags, ElementsAre("x", "y"));
}

TEST_F(CommandLineTest, ErrorsNameTheSourceTheValueAndWhatIsAllowed) {
    EXPECT_THAT(parse({"--concurrency", "0"}),
                StartsWith("--concurrency: found '0', allowed: 1 to 1000\n"));
    EXPECT_THAT(parse({"--port", "70000"}),
                StartsWith("--port: found '70000', allowed: 0 to 65535"));
    EXPECT_THAT(parse({"--ratio", "x"}), StartsWith("--ratio: found 'x', allowed: a number"));
    EXPECT_THAT(parse({"--drain-timeout", "1h"}),
                StartsWith("--drain-timeout: found '1h', allowed: 0s to 10m"));
    EXPECT_THAT(parse({"--buffer", "2GiB"}),
                StartsWith("--buffer: found '2GiB', allowed: 1KiB to 1GiB"));
    EXPECT_THAT(parse({"--mode", "slow"}),
                StartsWith("--mode: found 'slow', allowed: fast, exact"));
    environment["EVALFLEET_PORT"] = "x";
    EXPECT_THAT(parse({}), StartsWith("EVALFLEET_PORT: found 'x', allowed: a whole number"));
}

TEST_F(CommandLineTest, FileErrorsNameFileAndLine) {
    const std::string path =
        write_file("port: 1\nconcurrency: 5000\nconcurency: 1\nredis: {a: 1}\n");
    const std::string message = parse({"--config", path.c_str()});
    EXPECT_THAT(message, HasSubstr(path + ":2: concurrency: found '5000', allowed: 1 to 1000"));
    EXPECT_THAT(message,
                HasSubstr(path + ":3: concurency: unknown option; did you mean \"concurrency\"? "));
    EXPECT_THAT(message, HasSubstr(path + ":4: redis: found a map, allowed: a value"));
    EXPECT_THAT(parse({"--config", "/does/not/exist"}), HasSubstr("/does/not/exist: no such file"));
}

TEST_F(CommandLineTest, UnknownFlagsGetASuggestion) {
    EXPECT_THAT(parse({"--concurency", "3"}),
                StartsWith("--concurency: unknown option. Did you mean '--concurrency'?"));
    EXPECT_THAT(parse({"--zzzzzz"}), StartsWith("--zzzzzz: unknown option."));
}

TEST_F(CommandLineTest, MissingRequiredOptionsAreNamedAndTheEnvironmentServes) {
    std::string providers;
    line.option("providers", providers, "Providers").required();
    EXPECT_THAT(parse({}), StartsWith("--providers (or EVALFLEET_PROVIDERS): is required"));
    environment["EVALFLEET_PROVIDERS"] = "p.yaml";
    EXPECT_EQ(parse({}), "ok prog");
    EXPECT_EQ(providers, "p.yaml");
}

TEST_F(CommandLineTest, SecretValuesStandNeitherInHelpNorInErrors) {
    int pin = 1234;
    line.option("pin", pin, "Pin").secret();
    EXPECT_THAT(parse({"--pin", "hunter2"}), StartsWith("--pin: the value is not valid"));
    EXPECT_THAT(parse({"--help"}), ::testing::Not(HasSubstr("1234")));
}

TEST_F(CommandLineTest, HelpShowsGroupsDefaultsEnvironmentAndExamples) {
    line.example("prog --redis redis://host");
    const std::string help = parse({"--help"});
    for (const std::string_view part :
         {"A program for tests", "Redis:", "--redis URL=redis://localhost", "[EVALFLEET_REDIS]",
          "--drain-timeout VALUE=30s", "(fast, exact)", "Examples:\n  prog --redis redis://host"}) {
        EXPECT_THAT(help, HasSubstr(part));
    }
}

TEST_F(CommandLineTest, VersionNamesTheProgram) {
    EXPECT_THAT(parse({"--version"}), HasSubstr("prog"));
}

TEST_F(CommandLineTest, ValidationRunsAfterAllFieldsAreSet) {
    line.validate([this]() -> Status {
        if (config.port == 9) return Error{ErrorKind::invalid, "port: found 9, allowed: not 9"};
        return {};
    });
    EXPECT_EQ(parse({}), "ok prog");
    EXPECT_THAT(parse({"--port", "9"}), StartsWith("port: found 9"));
}

class SubcommandTest : public CommandLineTest {
  protected:
    SubcommandTest() {
        Command& run = line.subcommand("run", "Run a file");
        run.argument("RUN.yaml", file, "The run file");
        run.option("out", out, "Folder").short_name('o').only_flag();
        line.subcommand("report", "Show a report").argument("ID", ids, "Runs");
    }

    std::string file;
    std::string out = "results";
    std::vector<std::string> ids;
};

TEST_F(SubcommandTest, TheChosenOneGetsItsArguments) {
    EXPECT_EQ(parse({"--port", "1", "run", "a.yaml", "-o", "x", "--concurrency", "5"}), "ok run");
    EXPECT_EQ(file, "a.yaml");
    EXPECT_EQ(out, "x");
    EXPECT_EQ(config.port, 1);
    EXPECT_EQ(config.concurrency, 5);
    EXPECT_EQ(parse({"report", "r1", "r2"}), "ok report");
    EXPECT_THAT(ids, ElementsAre("r1", "r2"));
}

TEST_F(SubcommandTest, ErrorsTellAboutCommands) {
    EXPECT_THAT(parse({"rum", "a.yaml"}), StartsWith("'rum' is no command. Did you mean 'run'?"));
    EXPECT_THAT(parse({}), StartsWith("a command is required."));
    EXPECT_THAT(parse({"run"}), StartsWith("RUN.yaml: is required"));
    EXPECT_THAT(parse({"run", "a", "--ouy", "x"}),
                StartsWith("--ouy: unknown option. Did you mean '--out'?"));
    EXPECT_THAT(parse({"run", "--help"}), HasSubstr("RUN.yaml"));
    EXPECT_THAT(parse({"--help"}), HasSubstr("Show a report"));
}

TEST_F(SubcommandTest, OnlyFlagOptionsIgnoreTheEnvironment) {
    environment["EVALFLEET_OUT"] = "elsewhere";
    EXPECT_EQ(parse({"run", "a.yaml"}), "ok run");
    EXPECT_EQ(out, "results");
}

TEST(LogOptions, AreSharedByAllPrograms) {
    CommandLine line("prog", "x");
    LogOptions options;
    options.add_to(line);
    const std::vector<const char*> arguments = {"prog", "--log-level", "debug", "--log-format",
                                                "json"};
    ASSERT_TRUE(line.parse(arguments, [](const std::string&) { return std::nullopt; }));
    EXPECT_EQ(options.level, log::Level::debug);
    EXPECT_EQ(options.format, log::Format::json);
}

}  // namespace
}  // namespace evalfleet::config
