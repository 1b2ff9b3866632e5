#include "common/config/yaml.hpp"

#include "common/config/fields.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace evalfleet::config {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

YamlNode read(std::string_view text) {
    auto node = read_yaml(text, "run.yaml");
    if (!node) throw std::runtime_error(node.error().message);
    return *std::move(node);
}

std::string refusal(std::string_view text, const YamlLimits& limits = {}) {
    const auto node = read_yaml(text, "run.yaml", limits);
    return node ? "read" : node.error().message;
}

TEST(Yaml, KnowsWhereEveryNodeStands) {
    const YamlNode root = read("a: 1\nmodels:\n  - {name: x}\n  - name: y\n");
    const YamlNode name = *root.find("models")->items()[1].find("name");
    EXPECT_EQ(name.line(), 4);
    EXPECT_EQ(name.column(), 11);
    EXPECT_EQ(name.path(), "models[1].name");
    EXPECT_EQ(name.error("is bad").message, "run.yaml:4: models[1].name: is bad");
}

TEST(Yaml, ReadsJsonToo) {
    const YamlNode root = read(R"({"a": [1, 2.5, true, null, "x\n\u00e9"], "b": {"c": "1"}})");
    EXPECT_EQ(root.to_json(), R"({"a":[1,2.5,true,null,"x\né"],"b":{"c":"1"}})");
}

TEST(Yaml, ReadsTheEscapesOfJson) {
    EXPECT_EQ(read(R"({"a": "\ud83d\ude00 \/ \\ud83d \t"})").to_json(),
              R"({"a":"😀 / \\ud83d \t"})");
    EXPECT_EQ(read("{\n\t\"a\": 1,\n\t\"b\": [\n\t\t2\n\t]\n}\n").to_json(), R"({"a":1,"b":[2]})");
    EXPECT_NE(refusal(R"({"a": "\ud83d"})"), "read");
}

TEST(Yaml, TypesPlainScalarsByTheCoreSchema) {
    EXPECT_EQ(
        read("[1, -2, 1e3, yes, ~, '', 2026-11-01, 1.2.3, 18446744073709551615, '5']").to_json(),
        R"([1,-2,1000.0,"yes",null,"","2026-11-01","1.2.3",18446744073709551615,"5"])");
    EXPECT_EQ(read("a: |\n  12\n").to_json(), R"({"a":"12\n"})");
}

TEST(Yaml, RefusesWhatIsAmbiguous) {
    EXPECT_EQ(refusal("a: 1\nb: 2\na: 3\n"), "run.yaml:3: the key 'a' stands twice");
    EXPECT_EQ(refusal("? [1]\n: 2\n"), "run.yaml:1: a key must be plain text");
    EXPECT_EQ(refusal("a: 1\n---\nb: 2\n"),
              "run.yaml:2: begins a second document, allowed: one in a file");
    EXPECT_EQ(refusal(""), "run.yaml: is empty");
    EXPECT_EQ(refusal("a: [1, 2\nb: 3\n"), "run.yaml:1: found a \"[\" that is not closed");
    EXPECT_THAT(refusal("a: *nobody\n"), StartsWith("run.yaml:1: "));
}

TEST(Yaml, BoundsWhatAliasesStandFor) {
    std::string laughs = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n";
    for (int i = 1; i < 12; ++i) {
        const std::string previous = "*a" + std::to_string(i - 1);
        laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + previous;
        for (int n = 0; n < 8; ++n)
            laughs += ", " + previous;
        laughs += "]\n";
    }
    EXPECT_THAT(refusal(laughs), HasSubstr("more than 200000 nodes"));
    EXPECT_EQ(read("a: &x {k: 1}\nb: *x\n").to_json(), R"({"a":{"k":1},"b":{"k":1}})");
    EXPECT_NE(refusal("a: &x [*x]\n"), "read");
}

TEST(Yaml, BoundsDepthAndSize) {
    EXPECT_EQ(refusal(std::string(64, '[') + std::string(64, ']')), "read");
    EXPECT_THAT(refusal(std::string(65, '[') + std::string(65, ']')), HasSubstr("deeper than 64"));
    EXPECT_NE(refusal(std::string(100000, '[')), "read");
    EXPECT_NE(refusal(std::string(100000, '{')), "read");
    EXPECT_EQ(refusal("abcdef", YamlLimits{.max_bytes = 5}), "run.yaml: 6 bytes, allowed are 5");
    EXPECT_EQ(read_yaml_file("/does/not/exist").error().kind, ErrorKind::not_found);
    EXPECT_EQ(read_yaml_file("/tmp").error().message, "/tmp: cannot be read");
}

TEST(Yaml, NeverCrashesOnRandomText) {
    constexpr std::string_view kPieces[] = {"a", ": ",     "\n",  "  ", "- ",   "[",    "]",   "{",
                                            "}", ",",      "&x ", "*x", "\"",   "'",    "|\n", "? ",
                                            "#", "!!str ", "%",   "\t", "\xff", "---\n"};
    std::mt19937_64 random(8);
    for (int i = 0; i < 20000; ++i) {
        std::string text;
        for (std::size_t n = random() % 14; n > 0; --n)
            text += kPieces[random() % std::size(kPieces)];
        const auto node = read_yaml(text, "f");
        if (node) (void)node->to_json();
    }
}

struct Settings {
    std::string name;
    int repeats = 1;
    std::chrono::milliseconds timeout = 5s;
    std::optional<double> temperature;
    bool pii = true;
    std::vector<std::string> tags;
    std::string type = "openai";
};

std::vector<std::string> read_settings(std::string_view text, Settings& settings) {
    Validator validator;
    Fields fields(read(text), validator);
    fields.require("name", settings.name);
    fields.read("repeats", settings.repeats, between(1, 100));
    fields.read("tags", settings.tags);
    fields.choice<std::string>("type", settings.type, {{"openai", "openai"}, {"gemini", "gemini"}});
    Fields limits = fields.map("limits");
    limits.read("timeout_ms", settings.timeout, between(1ms, 24h));
    limits.read("temperature", settings.temperature);
    limits.read("pii", settings.pii);
    limits.finish();
    fields.finish();
    return validator.errors();
}

TEST(Fields, FillAStruct) {
    Settings settings;
    EXPECT_THAT(read_settings("name: 2024\nrepeats: 3\ntags: [a, b]\ntype: gemini\n"
                              "limits: {timeout_ms: 250, temperature: 0.5, pii: false}\n",
                              settings),
                ElementsAre());
    EXPECT_EQ(settings.name, "2024");
    EXPECT_EQ(settings.repeats, 3);
    EXPECT_EQ(settings.timeout, 250ms);
    EXPECT_EQ(settings.temperature, 0.5);
    EXPECT_FALSE(settings.pii);
    EXPECT_THAT(settings.tags, ElementsAre("a", "b"));
    EXPECT_EQ(settings.type, "gemini");
}

TEST(Fields, LeaveDefaultsAloneAndAcceptEmptyMaps) {
    Settings settings;
    EXPECT_THAT(read_settings("name: x\nrepeats: ~\nlimits:\n", settings), ElementsAre());
    EXPECT_EQ(settings.repeats, 1);
    EXPECT_EQ(settings.timeout, 5s);
}

std::string complaint_about(std::string_view text) {
    const auto read = read_yaml(text, "run.yaml");
    return read ? "" : read.error().message;
}

TEST(Yaml, SaysThatTabsCannotIndent) {
    const std::string said = "run.yaml:3: tabs cannot indent YAML; use spaces";
    EXPECT_EQ(complaint_about("version: 1\nprompt:\n\ttemplate: x\n"), said);
    EXPECT_EQ(complaint_about("version: 1\nprompt:\n  \ttemplate: x\n"), said);
    EXPECT_EQ(complaint_about("version: 1\nmodels:\n\t- {name: x}\n\t- {name: y}\n"), said);
    EXPECT_EQ(complaint_about("version: 1\nprompt: {\n\ttemplate: x}\n"), "") << "flow may";
    EXPECT_EQ(complaint_about("text: |\n  a\n  \tb\n"), "") << "a text may";
}

TEST(Yaml, SaysWhatToChange) {
    EXPECT_THAT(complaint_about("version: 1\nname: a: b\n"),
                StartsWith("run.yaml:2: found a second \": \" in one value"));
    EXPECT_THAT(complaint_about("name: [a\n"), HasSubstr("found a \"[\" that is not closed"));
    EXPECT_THAT(complaint_about("name: {a: 1\n"), HasSubstr("found a \"{\" that is not closed"));
    EXPECT_THAT(complaint_about("name: \"a\nb: 1\n"),
                StartsWith("run.yaml:1: found a \" that is not closed"));
    EXPECT_THAT(complaint_about("x: 1\nname: 'a\nb: 1\n"),
                StartsWith("run.yaml:2: found a ' that is not closed"));
    EXPECT_EQ(complaint_about("name: 'it''s'\nb: \"a \\\" b\"\n"), "");
    EXPECT_EQ(complaint_about("name: \"a\n  b\""), "");
}

TEST(Yaml, PointsAtWhatWasOpenedAndNotAtWhereItStopsMakingSense) {
    EXPECT_THAT(complaint_about("a: 1\nname: \"test\nb: 2\nc: {d: \"1\"}\n"),
                StartsWith("run.yaml:2: found a \" that is not closed"));
    EXPECT_THAT(complaint_about("a: 1\nb: {c: 1\nd: {e: 1}\nf: 1\n"),
                StartsWith("run.yaml:2: found a \"{\" that is not closed"));
    EXPECT_THAT(complaint_about("a: don't\nb: c: d\n"), StartsWith("run.yaml:2: found a second"))
        << "an apostrophe opens nothing";
    EXPECT_THAT(complaint_about("a: x # it's \"so\nb: c: d\n"),
                StartsWith("run.yaml:2: found a second"))
        << "nor does a comment";
}

TEST(Yaml, RefusesWhatIsNoText) {
    using namespace std::string_literals;
    EXPECT_EQ(complaint_about("a: 1\nb: caf\xe9\n"),
              "run.yaml:2: found the byte 0xe9, which is no UTF-8");
    EXPECT_EQ(complaint_about("a: \"x\0y\"\n"s),
              "run.yaml:1: found the control character 0x00, allowed: text");
    EXPECT_EQ(complaint_about("a: x\x1by\n"),
              "run.yaml:1: found the control character 0x1b, allowed: text");
    EXPECT_EQ(complaint_about("\xff\xfe"
                              "a\0"s),
              "run.yaml:1: found UTF-16, allowed: UTF-8");
    EXPECT_EQ(complaint_about("a: \"x\\ey\"\nb: caf\u00e9\n"), "") << "escapes may";
    EXPECT_EQ(complaint_about("\xef\xbb\xbf"
                              "a: 1\r\n"),
              "")
        << "a mark at the beginning may";
}

TEST(Fields, ReportEverythingAtOnceWithFileLineAndWhatIsAllowed) {
    Settings settings;
    EXPECT_THAT(
        read_settings("repeats: 0\ntags: {a: 1}\ntype: gemmini\n"
                      "limits:\n  timeout_ms: -5\n  pii: \"true\"\n  temprature: 1\nx: 1\n",
                      settings),
        ElementsAre(
            "run.yaml:1: name: is required", "run.yaml:1: repeats: found '0', allowed: 1 to 100",
            "run.yaml:2: tags: found a map, allowed: text",
            "run.yaml:3: type: found 'gemmini'; did you mean \"gemini\"? allowed: openai, gemini",
            StartsWith("run.yaml:5: limits.timeout_ms: found '-5', allowed: "),
            "run.yaml:6: limits.pii: found 'true', allowed: a number or true/false without quotes",
            "run.yaml:7: limits.temprature: unknown key; did you mean \"temperature\"? "
            "allowed: pii, temperature, timeout_ms",
            "run.yaml:8: x: unknown key; allowed: limits, name, repeats, tags, type"));
}

TEST(Fields, AMapIsRequiredWhereOneIsRead) {
    Settings settings;
    EXPECT_THAT(read_settings("name: x\nlimits: 5\n", settings),
                ElementsAre("run.yaml:2: limits: found '5', allowed: a map"));
}

}  // namespace
}  // namespace evalfleet::config
