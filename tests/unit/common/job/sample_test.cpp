#include "common/job/sample.hpp"

#include "common/json/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::job {
namespace {

using testing::HasSubstr;

Result<Sample> parse(std::string_view json, std::size_t line = 1) {
    const auto document = json::Document::parse(json);
    if (!document) return document.error();
    return read_sample(document->root(), line);
}

std::string written(const Sample& sample) {
    std::string out;
    json::Writer writer(out);
    write(writer, sample);
    return out;
}

TEST(Sample, NeedsOnlyATask) {
    const Sample sample = parse(R"({"task": "t"})", 12).value();
    EXPECT_EQ(sample.id, "12");
    EXPECT_EQ(sample.task, "t");
    EXPECT_EQ(sample.task_type, "default");
    EXPECT_FALSE(sample.expected_format);
}

TEST(Sample, ReadsEveryMemberAndSkipsUnknownOnes) {
    const Sample sample = parse(R"({"id": 5, "task": "t", "reference_answer": "r", "context": "c",
        "task_type": "qa", "tags": {"lang": "en"}, "expected_format": "json", "source": [1]})")
                              .value();
    EXPECT_EQ(sample.id, "5");
    EXPECT_EQ(sample.reference_answer, "r");
    EXPECT_EQ(sample.tags.at("lang"), "en");
    EXPECT_EQ(sample.expected_format, (ExpectedFormat{ExpectedFormat::Kind::json, ""}));
}

TEST(Sample, TakesItsTaskFromTheLastUserMessageOfAChat) {
    const Sample sample = parse(R"({"messages": [{"role": "user", "content": "one"},
        {"role": "assistant", "content": "two"}, {"role": "user", "content": "three"},
        {"role": "system", "content": "four"}]})")
                              .value();
    EXPECT_EQ(sample.task, "three");
    EXPECT_EQ(sample.messages.size(), 4U);
}

TEST(Sample, ReadsBackWhatItWrites) {
    for (const char* const json :
         {R"({"task": "t", "tags": {"b": "1", "a": "2"}, "expected_format": {"regex": "a|b"}})",
          R"({"id": "x", "messages": [{"role": "user", "content": "one"}],
              "expected_format": {"json_schema": {"type": "object", "required": ["a"]}}})"}) {
        const Sample sample = parse(json).value();
        EXPECT_EQ(parse(written(sample)).value(), sample);
    }
}

TEST(Sample, SaysWhatIsWrong) {
    const auto refusal = [](std::string_view json) { return parse(json).error().message; };
    EXPECT_THAT(refusal("{}"), HasSubstr("\"task\" or \"messages\" is required"));
    EXPECT_THAT(refusal(R"({"task": ""})"),
                HasSubstr("task: expected something that is not empty"));
    EXPECT_THAT(refusal(R"({"task": 3})"), HasSubstr("task: expected a string, found 3"));
    EXPECT_THAT(refusal(R"({"task": "t", "messages": [{"role": "user", "content": "c"}]})"),
                HasSubstr("give one"));
    EXPECT_THAT(refusal(R"({"messages": [{"role": "critic", "content": "c"}]})"),
                HasSubstr("messages[0].role: expected one of system, user, assistant"));
    EXPECT_THAT(refusal(R"({"messages": [{"role": "system", "content": "c"}]})"),
                HasSubstr("no user message"));
    EXPECT_THAT(refusal(R"({"task": "t", "expected_format": "xml"})"),
                HasSubstr("expected_format: expected \"json\""));
    EXPECT_THAT(refusal(R"({"task": "t", "expected_format": {"regex": "a", "json_schema": {}}})"),
                HasSubstr("expected_format: "));
    EXPECT_THAT(refusal(R"({"task": "t", "expected_format": {"regex": 1}})"),
                HasSubstr("expected_format.regex: "));
}

TEST(Sample, OffersEveryTemplateName) {
    Sample sample = parse(R"({"task": "t", "context": "c", "reference_answer": "r"})").value();
    for (const std::string_view name : kTemplateNames) {
        EXPECT_TRUE(template_value(sample, name)) << name;
    }
    EXPECT_EQ(template_value(sample, "context"), "c");
    EXPECT_FALSE(template_value(sample, "contexts"));
}

}  // namespace
}  // namespace evalfleet::job
