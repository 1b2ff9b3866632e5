#include "common/files/atomic_file.hpp"
#include "common/job/image.hpp"
#include "common/runfile/dataset.hpp"
#include "common/runfile/prompt_check.hpp"
#include "common/runfile/run_file.hpp"
#include "common/runfile/settled_dataset.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace evalfleet::runfile {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kPng = "\x89PNG\r\n\x1A\n and the rest of it";

std::string picture(const std::string& url) {
    return R"({"messages":[{"role":"user","content":[{"type":"text","text":"What?"},)"
           R"({"type":"image_url","image_url":")" +
           url + "\"}]}]}\n";
}

class Chats : public ::testing::Test {
  protected:
    void write(const std::string& name, std::string_view content) {
        std::filesystem::create_directories((folder_ / name).parent_path());
        EXPECT_TRUE(files::blocking_write_atomically(folder_ / name, content));
    }
    std::string faults(const std::string& lines,
                       Dataset::ImageFiles images = Dataset::ImageFiles::beside) {
        write("d/d.jsonl", lines);
        const auto dataset = Dataset::blocking_validate(folder_ / "d/d.jsonl", images);
        return dataset ? "" : dataset.error().text();
    }
    /// What `validate` says of a run with these lines of YAML in it.
    std::string run_faults(const std::string& lines, const std::string& more,
                           const std::string& type = "openai", const std::string& judge = "") {
        write("d/d.jsonl", lines);
        write("d/run.yaml",
              "version: 1\nname: n\nrepeats: 1\nallow_floating_model: true\n"
              "model: {provider: p, name: m}\njudge: {provider: p, name: j" +
                  judge +
                  "}\n"
                  "dataset: {path: d.jsonl" +
                  more + "}\nproviders: {p: {type: " + type +
                  ", base_url: 'http://127.0.0.1:1'}}\n");
        auto file = blocking_read_run_file(folder_ / "d/run.yaml");
        if (!file) return file.error().text();
        const auto dataset = Dataset::blocking_validate(file->spec.dataset.path);
        if (!dataset) return dataset.error().text();
        settle_profile(*file, *dataset);
        profile_ = std::string(job::to_string(file->spec.judge->profile));
        warnings_ = chat_warnings(*file, *dataset);
        reference_warning_ = reference_warning(*file, *dataset).value_or("");
        return check_prompts(*file, *dataset).text();
    }

    testing::TemporaryFolder folder_;
    std::vector<std::string> warnings_;
    std::string profile_;
    std::string reference_warning_;
};

TEST_F(Chats, NamePicturesInTheirFolder) {
    write("d/pics/a.png", kPng);
    EXPECT_EQ(faults(picture("pics/a.png")), "");
    EXPECT_EQ(faults(picture("./pics/a.png")), "");
    EXPECT_THAT(faults(picture("pics/b.png")),
                HasSubstr("d.jsonl:1: messages[0].content[1].image_url: pics/b.png: there is no"));
}

TEST_F(Chats, NeverLeaveTheirFolder) {
    write("outside.png", kPng);
    write("d/pics/a.png", kPng);
    std::filesystem::create_symlink(folder_ / "outside.png", folder_ / "d/link.png");
    std::filesystem::create_symlink(folder_ / "d/pics/a.png", folder_ / "d/inner.png");
    std::filesystem::create_directory_symlink(folder_.path(), folder_ / "d/up");
    EXPECT_THAT(faults(picture("../outside.png")), HasSubstr("leaves the dataset's folder"));
    EXPECT_THAT(faults(picture("pics/../../outside.png")), HasSubstr("leaves"));
    EXPECT_THAT(faults(picture((folder_ / "outside.png").string())), HasSubstr("absolute path"));
    EXPECT_THAT(faults(picture("link.png")), HasSubstr("symbolic link"));
    EXPECT_THAT(faults(picture("inner.png")), HasSubstr("symbolic link"));
    EXPECT_THAT(faults(picture("up/outside.png")), HasSubstr("symbolic links are not followed"));
    EXPECT_THAT(faults(picture("pics")), HasSubstr("is not a file"));
}

TEST_F(Chats, TakeNoOtherFilesThanPicturesOfSomeSize) {
    write("d/a.txt", "-----BEGIN PRIVATE KEY-----");
    write("d/large.png", kPng + std::string(job::kMaxImageBytes, 'x'));
    EXPECT_THAT(faults(picture("a.txt")), HasSubstr("no picture by its first bytes"));
    EXPECT_THAT(faults(picture("large.png")), HasSubstr("at most 5242880"));
    write("d/half.png", kPng + std::string(4 << 20, 'x'));
    std::string two = picture("half.png");
    two.insert(two.find(R"({"type":"image_url")"),
               R"({"type":"image_url","image_url":"half.png"},)");
    EXPECT_THAT(faults(two), HasSubstr("with all pictures, allowed: at most 8388608"));
}

TEST_F(Chats, ThatCameAloneMustHaveTheirPictures) {
    write("d/a.png", kPng);
    EXPECT_THAT(faults(picture("a.png"), Dataset::ImageFiles::nowhere),
                HasSubstr("found pictures named by a path"));
    EXPECT_EQ(faults(picture("data:image/png;base64," + job::to_base64(kPng)),
                     Dataset::ImageFiles::nowhere),
              "");
}

TEST_F(Chats, GetTheirPicturesEmbeddedOnce) {
    write("d/a.png", kPng);
    const std::string plain = R"({"task":  "as it is"})";
    EXPECT_EQ(faults(plain + "\n" + picture("a.png")), "");
    const Dataset dataset = Dataset::blocking_open(folder_ / "d/d.jsonl").value();
    ASSERT_TRUE(needs_settling(dataset, std::nullopt));
    EXPECT_TRUE(blocking_settle(dataset, std::nullopt, folder_ / "settled").value());
    const Dataset settled = Dataset::blocking_open(folder_ / "settled").value();
    EXPECT_EQ(settled.blocking_read_line(0).value(), plain);
    EXPECT_THAT(settled.blocking_read_line(1).value(),
                HasSubstr("data:image/png;base64," + job::to_base64(kPng)));
    EXPECT_FALSE(blocking_settle(settled, std::nullopt, folder_ / "again").value());
    EXPECT_EQ(Dataset::blocking_open(folder_ / "again").value().sha256(), settled.sha256());
}

const std::string kAnswered =
    R"({"messages":[{"role":"user","content":"2+2?"},{"role":"assistant","content":"4"}]})"
    "\n";

TEST_F(Chats, ThatEndInAnAssistantsTurnNeedToSayWhatItIs) {
    EXPECT_THAT(run_faults(kAnswered, ""),
                HasSubstr("d.jsonl:1: messages: the last turn is the assistant's (in 1 samples)"));
    EXPECT_EQ(run_faults(kAnswered, ", last_assistant: reference"), "");
    EXPECT_EQ(reference_warning_, "") << "the turn is the reference";
    EXPECT_EQ(run_faults(R"({"task":"2+2?"})", ""), "");
    EXPECT_THAT(reference_warning_, HasSubstr("no sample has a reference_answer"));
    EXPECT_THAT(run_faults(kAnswered, ", last_assistant: other"), HasSubstr("reference, prefill"));
    std::string both = kAnswered;
    both.insert(1, R"("reference_answer":"four",)");
    EXPECT_THAT(run_faults(both, ", last_assistant: reference"),
                HasSubstr("d.jsonl:1: messages: the last turn cannot become the reference"));
}

TEST_F(Chats, AreBegunForProvidersThatCanGoOn) {
    const std::string prefill = ", last_assistant: prefill";
    for (const char* type : {"anthropic", "ollama", "openai-completions"})
        EXPECT_EQ(run_faults(kAnswered, prefill, type), "") << type;
    for (const char* type : {"openai", "gemini", "openai-responses"})
        EXPECT_THAT(run_faults(kAnswered, prefill, type),
                    HasSubstr("run.yaml:7:42: dataset.last_assistant: found prefill, which "
                              "providers of type " +
                              std::string(type) + " cannot do"));
    EXPECT_EQ(run_faults(kAnswered, prefill, "openai, extra_body: {continue_final_message: true}"),
              "");
}

TEST_F(Chats, WithPicturesNeedAProtocolThatHasThem) {
    write("d/a.png", kPng);
    EXPECT_EQ(run_faults(picture("a.png"), ""), "");
    EXPECT_THAT(run_faults(picture("a.png"), "", "openai-completions"),
                HasSubstr("found pictures (in 1 samples)"));
}

constexpr const char* kTwoTurns =
    R"({"messages":[{"role":"user","content":"?"},{"role":"assistant","content":"!"},)"
    R"({"role":"user","content":"?"}]})";

TEST_F(Chats, OfSeveralTurnsAreShownToTheJudgeAsAWhole) {
    EXPECT_EQ(run_faults(kTwoTurns, ""), "");
    EXPECT_EQ(profile_, "rubric-v1-chat");
    EXPECT_TRUE(warnings_.empty());
    EXPECT_EQ(run_faults(R"({"task":"?"})", ""), "");
    EXPECT_EQ(profile_, "rubric-v1");
    EXPECT_EQ(run_faults(R"({"messages":[{"role":"user","content":"?"}]})", ""), "");
    EXPECT_EQ(profile_, "rubric-v1") << "the one turn is the task";
    EXPECT_EQ(run_faults(kAnswered, ", last_assistant: reference"), "");
    EXPECT_EQ(profile_, "rubric-v1") << "one turn is left to ask with";
}

TEST_F(Chats, OfSeveralTurnsAreWarnedAboutWhereTheRunWantsTheJudgeToSeeOne) {
    EXPECT_EQ(run_faults(kTwoTurns, "", "openai", ", profile: rubric-v1"), "");
    EXPECT_EQ(profile_, "rubric-v1");
    ASSERT_EQ(warnings_.size(), 1U);
    EXPECT_THAT(warnings_[0], HasSubstr("judge.profile: rubric-v1-chat"));
    EXPECT_EQ(run_faults(kTwoTurns, "", "openai", ", profile: spec-v1-chat"), "");
    EXPECT_EQ(profile_, "spec-v1-chat");
    EXPECT_TRUE(warnings_.empty());
}

TEST_F(Chats, BecomeQuestionsWithReferences) {
    write("d/d.jsonl", kAnswered);
    const Dataset dataset = Dataset::blocking_open(folder_ / "d/d.jsonl").value();
    EXPECT_FALSE(needs_settling(dataset, job::LastAssistant::prefill));
    EXPECT_TRUE(blocking_settle(dataset, job::LastAssistant::reference, folder_ / "s").value());
    const std::string line =
        Dataset::blocking_open(folder_ / "s").value().blocking_read_line(0).value();
    EXPECT_THAT(line, HasSubstr(R"("reference_answer":"4")"));
    EXPECT_THAT(line, Not(HasSubstr("assistant")));
}

}  // namespace
}  // namespace evalfleet::runfile
