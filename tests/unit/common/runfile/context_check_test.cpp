#include "common/runfile/context_check.hpp"

#include "common/files/atomic_file.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::runfile {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ContextCheck : public ::testing::Test {
  protected:
    /// Of a run whose second sample has a task of `bytes`, with these lines of YAML.
    std::vector<std::string> warnings(std::size_t bytes, const std::string& more,
                                      const std::string& provider = "type: ollama") {
        const auto write = [this](const std::string& name, const std::string& text) {
            files::blocking_write_atomically(folder_ / name, text).value();
        };
        write("d.jsonl", "{\"task\": \"?\"}\n{\"task\": \"" + std::string(bytes, 'x') + "\"}\n");
        write("run.yaml",
              "version: 1\nname: n\nrepeats: 1\nallow_floating_model: true\n"
              "model: {provider: p, name: m}\njudge: {provider: p, name: j" +
                  judge_ + "}\ndataset: {path: d.jsonl}\n" + more + "\nproviders: {p: {" +
                  provider + ", base_url: 'http://127.0.0.1:1'}}\n");
        const auto file = blocking_read_run_file(folder_ / "run.yaml");
        if (!file) return {file.error().text()};
        const auto dataset = Dataset::blocking_validate(file->spec.dataset.path);
        return blocking_context_warnings(*file, *dataset, file->providers);
    }
    testing::TemporaryFolder folder_;
    std::string judge_;
};

constexpr const char* kSmall = "generation: {extra: {options: {num_ctx: 1000}}}";

TEST_F(ContextCheck, FindsPromptsThatOllamaWouldCut) {
    EXPECT_THAT(warnings(8'000, kSmall),
                ElementsAre(AllOf(HasSubstr("d.jsonl:2: the prompt has about 2000 tokens"),
                                  HasSubstr("provider p takes 1000"), HasSubstr("in 1 samples"))));
    EXPECT_THAT(warnings(4'800, kSmall), IsEmpty()) << "it may fit";
    EXPECT_THAT(warnings(8'000, ""), IsEmpty()) << "nobody says how much it takes";
    EXPECT_THAT(warnings(8'000, "", "type: ollama, extra_body: {options: {num_ctx: 1000}}"),
                ElementsAre(HasSubstr("the prompt has"), HasSubstr("the judge's prompt")));
}

TEST_F(ContextCheck, FindsQuestionsToTheJudgeThatOllamaWouldCut) {
    judge_ = ", generation: {extra: {options: {num_ctx: 2000}}}";
    EXPECT_THAT(
        warnings(11'000, ""),
        ElementsAre(AllOf(HasSubstr("d.jsonl:2: the judge's prompt, even without an answer"),
                          HasSubstr("judge.generation.extra"))));
    EXPECT_THAT(warnings(5'000, ""), IsEmpty());
}

}  // namespace
}  // namespace evalfleet::runfile
