#include "common/job/image.hpp"

#include "common/job/sample.hpp"
#include "common/json/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::job {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

constexpr const char* kPng =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg==";

std::string fault_of(const std::string& url) {
    const auto image = read_image_url(url);
    return image ? "" : image.error().message;
}

Result<Sample> sample_of(const std::string& messages) {
    const auto document = json::Document::parse(R"({"messages":)" + messages + "}");
    return read_sample(document.value().root(), 1);
}

std::string fault_of_messages(const std::string& messages) {
    const auto sample = sample_of(messages);
    return sample ? "" : sample.error().message;
}

const std::string kPicture =
    R"([{"role":"user","content":[{"type":"text","text":"What?"},{"type":"image_url",)"
    R"("image_url":{"url":"data:image/png;base64,)" +
    std::string(kPng) + R"(","detail":"low"}}]}])";

TEST(Image, IsKnownByItsFirstBytes) {
    EXPECT_EQ(sniff_image("\x89PNG\r\n\x1A\n..."), "image/png");
    EXPECT_EQ(sniff_image("\xFF\xD8\xFF\xE0"), "image/jpeg");
    EXPECT_EQ(sniff_image("GIF89a"), "image/gif");
    EXPECT_EQ(sniff_image("RIFF....WEBPVP8 "), "image/webp");
    for (const char* other : {"", "RIFF....WAVE", "<svg>", "%PDF-1.7", "BM"})
        EXPECT_EQ(sniff_image(other), "") << other;
}

TEST(Image, OfADataUrlIsWhatItIsAndNotWhatItSays) {
    const auto image = read_image_url("data:image/jpeg;base64," + std::string(kPng));
    ASSERT_TRUE(image) << image.error().message;
    EXPECT_EQ(image->media_type, "image/png");
    EXPECT_EQ(image_url(*image), "data:image/png;base64," + std::string(kPng));
    EXPECT_THAT(describe(*image), MatchesRegex("\\[image/png, 70 bytes, sha256 [0-9a-f]{16}\\]"));
}

TEST(Image, ThatIsNoneIsRefused) {
    EXPECT_THAT(fault_of("data:image/png;base64,aGVsbG8="), HasSubstr("no picture"));
    EXPECT_THAT(fault_of("data:image/png;base64,iVBOR"), HasSubstr("no base64"));
    EXPECT_THAT(fault_of("data:image/png;base64,iVBO Rw0="), HasSubstr("no base64"));
    EXPECT_THAT(fault_of("data:image/svg+xml,<svg/>"), HasSubstr("without base64"));
    EXPECT_THAT(fault_of("https://example.org/x.png"), HasSubstr("found an address"));
    EXPECT_THAT(fault_of("file:///etc/passwd"), HasSubstr("found an address"));
    EXPECT_THAT(fault_of(""), HasSubstr("no path"));
    const std::string large = "\x89PNG\r\n\x1A\n" + std::string(kMaxImageBytes, 'x');
    EXPECT_THAT(fault_of("data:image/png;base64," + to_base64(large)),
                HasSubstr("at most 5242880"));
    EXPECT_EQ(fault_of("pictures/x.png"), "");
}

TEST(Image, StandsInTextsByItsHash) {
    const auto sample = sample_of(kPicture);
    ASSERT_TRUE(sample) << sample.error().message;
    EXPECT_THAT(sample->task, MatchesRegex("What\\?\n\\[image/png, 70 bytes, sha256 [0-9a-f]+\\]"));
    EXPECT_TRUE(has_images(*sample));
    EXPECT_FALSE(has_image_files(*sample));
    std::string text;
    json::Writer writer(text);
    write(writer, *sample);
    EXPECT_EQ(read_sample(json::Document::parse(text).value().root(), 1).value(), *sample);
}

TEST(Message, MayBeADevelopersOrATools) {
    const auto sample = sample_of(
        R"([{"role":"developer","content":"Be brief."},{"role":"user","content":"Oslo?"},)"
        R"({"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function",)"
        R"("function":{"name":"weather","arguments":"{\"city\":\"Oslo\"}"}}]},)"
        R"({"role":"tool","tool_call_id":"c1","content":"cold"}])");
    ASSERT_TRUE(sample) << sample.error().message;
    EXPECT_EQ(sample->task, "Oslo?");
    EXPECT_EQ(sample->messages[2].tool_calls.at(0).name, "weather");
    EXPECT_EQ(find_answered_call(sample->messages, 3)->id, "c1");
    EXPECT_EQ(conversation_of(*sample),
              "[developer]\nBe brief.\n\n[user]\nOslo?\n\n[assistant]\n[calls weather with "
              "{\"city\":\"Oslo\"}]\n\n[tool]\ncold");
}

TEST(Message, ThatIsListedAsTextsIsAText) {
    const auto sample = sample_of(
        R"([{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}])");
    ASSERT_TRUE(sample) << sample.error().message;
    EXPECT_EQ(sample->messages[0], (Message{MessageRole::user, "a\nb"}));
}

TEST(Message, IsRefusedWithItsPath) {
    const std::string user = R"([{"role":"user","content":"?"},)";
    EXPECT_THAT(fault_of_messages(user + R"({"role":"tool","tool_call_id":"x","content":"y"}])"),
                HasSubstr("messages[1].tool_call_id"));
    EXPECT_THAT(fault_of_messages(R"([{"role":"user","content":"?","tool_calls":[{"id":"a",)"
                                  R"("function":{"name":"f","arguments":"{}"}}]}])"),
                HasSubstr("only an assistant's"));
    EXPECT_THAT(fault_of_messages(R"([{"role":"user"}])"), HasSubstr("\"content\" is required"));
    EXPECT_THAT(fault_of_messages(R"([{"role":"user","content":[]}])"), HasSubstr("not empty"));
    EXPECT_THAT(fault_of_messages(R"([{"role":"user","content":[{"type":"audio"}]}])"),
                HasSubstr("messages[0].content[0].type"));
    EXPECT_THAT(fault_of_messages(R"([{"role":"critic","content":"x"}])"),
                HasSubstr("system, user, assistant, developer, tool"));
    EXPECT_THAT(fault_of_messages(user + R"({"role":"assistant","tool_calls":[{"id":"a",)"
                                         R"("function":{"name":"f","arguments":"[1]"}}]}])"),
                HasSubstr("arguments"));
}

TEST(LastTurn, OfAnAssistantBecomesTheReference) {
    auto sample =
        sample_of(R"([{"role":"user","content":"2+2?"},{"role":"assistant","content":"4"}])");
    ASSERT_TRUE(sample) << sample.error().message;
    EXPECT_TRUE(ends_in_assistant(*sample));
    EXPECT_EQ(prefill_of(*sample), "4");
    EXPECT_EQ(conversation_of(*sample), "[user]\n2+2?") << "the judge sees the turn as the answer";
    ASSERT_TRUE(take_reference(*sample));
    EXPECT_EQ(sample->reference_answer, "4");
    EXPECT_EQ(sample->messages.size(), 1U);
    EXPECT_FALSE(take_reference(*sample)) << "it ends in a question now";
}

}  // namespace
}  // namespace evalfleet::job
