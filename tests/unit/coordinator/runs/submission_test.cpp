#include "coordinator/runs/submission.hpp"

#include "common/files/atomic_file.hpp"
#include "common/job/manifest.hpp"
#include "common/queue/keys.hpp"
#include "common/runfile/run_file.hpp"
#include "common/scoring/cost.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace evalfleet::runs {
namespace {

constexpr std::string_view kSamples = "{\"task\":\"a\"}\n{\"task\":\"b\"}\n{\"task\":\"c\"}\n";

class PlanRunsTest : public ::testing::Test {
  protected:
    static runfile::Dataset make_dataset(const std::filesystem::path& path) {
        EXPECT_TRUE(files::blocking_write_atomically(path, kSamples));
        auto dataset = runfile::Dataset::blocking_validate(path);
        return std::move(dataset.value());
    }

    static job::RunSpec make_spec() {
        job::RunSpec spec;
        spec.name = "Nightly Check";
        spec.dataset = {"d.jsonl", "capitals", "3", {}};
        spec.models = {{"acme", "small", "2026-01"}};
        spec.repeats = 4;
        spec.providers = R"({"acme": {"type": "openai"}})";
        return spec;
    }

    std::vector<PlannedRun> plan(const job::RunSpec& spec) const {
        return plan_runs(spec, dataset_, facts_);
    }

    ::evalfleet::testing::TemporaryFolder folder_;
    runfile::Dataset dataset_ = make_dataset(folder_ / "d.jsonl");
    SubmissionFacts facts_{"2026-11-16T15:55:01Z",
                           "20261116-155501-3f9a2c",
                           "abc123",
                           {{"runtime", "test 1"}, {"region", "eu"}}};
};

TEST(Slug, KeepsLettersAndDigitsInLowerCase) {
    EXPECT_EQ(slug("Nightly Check"), "nightly-check");
    EXPECT_EQ(slug("v2.1_final"), "v2-1-final");
    EXPECT_EQ(slug("plain"), "plain");
}

TEST(Slug, HasNoDashesAtItsEndsOrInARow) {
    EXPECT_EQ(slug("  a -- b!! "), "a-b");
    EXPECT_EQ(slug("../../etc"), "etc");
}

TEST(Slug, IsAtMostTwentyFourLong) {
    EXPECT_EQ(slug(std::string(100, 'x')), std::string(24, 'x'));
    EXPECT_EQ(slug(std::string(23, 'x') + " y"), std::string(23, 'x'));
}

TEST(Slug, IsRunIfNothingIsLeft) {
    EXPECT_EQ(slug(""), "run");
    EXPECT_EQ(slug("!!!"), "run");
    EXPECT_EQ(slug("\xe6\x97\xa5\xe6\x9c\xac"), "run");
}

TEST_F(PlanRunsTest, OneModelAndOnePromptAreOneRunWithoutAGroup) {
    const auto runs = plan(make_spec());
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_EQ(runs[0].run_id, "20261116-155501-3f9a2c-nightly-check");
    EXPECT_TRUE(queue::is_run_id(runs[0].run_id));
    EXPECT_EQ(runs[0].metadata.run_id, runs[0].run_id);
    EXPECT_EQ(runs[0].metadata.group_id, std::nullopt);
}

TEST_F(PlanRunsTest, FillsInWhatIsNeededToRepeatTheRun) {
    job::RunSpec spec = make_spec();
    spec.generation.temperature = 0.5;
    spec.redaction.pii = false;
    const auto runs = plan(spec);
    const job::RunMetadata& metadata = runs.at(0).metadata;
    EXPECT_EQ(metadata.name, "Nightly Check");
    EXPECT_EQ(metadata.timestamp_utc, "2026-11-16T15:55:01Z");
    EXPECT_EQ(metadata.dataset_id, "capitals");
    EXPECT_EQ(metadata.dataset_version, "3");
    EXPECT_EQ(metadata.dataset_hash, job::sha256_hex(kSamples));
    EXPECT_EQ(metadata.sample_count, 3);
    EXPECT_EQ(metadata.repeats, 4);
    EXPECT_EQ(metadata.model, spec.models[0]);
    EXPECT_TRUE(metadata.pinned);
    EXPECT_EQ(metadata.generation_params, job::SentParams::of(spec.generation));
    EXPECT_EQ(metadata.generation_params_requested, spec.generation);
    EXPECT_EQ(metadata.code_version, "abc123");
    EXPECT_EQ(metadata.environment, facts_.environment);
    EXPECT_EQ(metadata.policy, spec.policy);
    EXPECT_FALSE(metadata.redaction_pii);
}

TEST_F(PlanRunsTest, LeavesNoSecretAndNoPersonInTheMetadata) {
    job::RunSpec spec = make_spec();
    spec.name = "for jane@example.org";
    const std::string system = "Use password=hunter2secret. Ask bob@example.org.";
    spec.prompts = {{"p", "7", system, "{{task}} from 10.1.2.3"}};
    const auto runs = plan(spec);
    const job::RunMetadata& metadata = runs.at(0).metadata;
    EXPECT_EQ(metadata.name, "for [REDACTED:email]");
    EXPECT_EQ(runs[0].run_id, "20261116-155501-3f9a2c-for-redacted-email");
    EXPECT_EQ(metadata.prompt_template.system,
              "Use password=[REDACTED:credential]. Ask [REDACTED:email].");
    EXPECT_EQ(metadata.prompt_template.text, "{{task}} from [REDACTED:ip_address]");
    EXPECT_EQ(metadata.prompt_template.sha256,
              job::sha256_hex(system + '\0' + "{{task}} from 10.1.2.3"));
    EXPECT_EQ(runs[0].spec.prompts, spec.prompts) << "the workers need it as it is";
    spec.redaction.pii = false;
    EXPECT_EQ(plan(spec).at(0).metadata.prompt_template.system,
              "Use password=[REDACTED:credential]. Ask bob@example.org.");
}

TEST_F(PlanRunsTest, HashesSystemAndTextOfThePromptApart) {
    job::RunSpec spec = make_spec();
    spec.prompts = {{"p", "7", "be brief", "{{task}}"}};
    const auto runs = plan(spec);
    const job::PromptTemplateInfo& prompt = runs.at(0).metadata.prompt_template;
    EXPECT_EQ(prompt.id, "p");
    EXPECT_EQ(prompt.version, "7");
    EXPECT_EQ(prompt.system, "be brief");
    EXPECT_EQ(prompt.text, "{{task}}");
    const std::string hashed = std::string("be brief") + '\0' + "{{task}}";
    EXPECT_EQ(hashed.size(), 17u);
    EXPECT_EQ(prompt.sha256, job::sha256_hex(hashed));
}

TEST_F(PlanRunsTest, NamesTheJudgeAsTheEvaluator) {
    job::RunSpec spec = make_spec();
    job::JudgeSpec judge;
    judge.model = {"acme", "judge", "9"};
    spec.judge = judge;
    const auto runs = plan(spec);
    const job::RunMetadata& metadata = runs.at(0).metadata;
    EXPECT_EQ(metadata.evaluator_model, judge.model);
    EXPECT_EQ(metadata.evaluator_version, "acme/judge@9");
    EXPECT_EQ(metadata.evaluator_profile, judge.profile);
    EXPECT_EQ(metadata.rationale_limit, judge.rationale_limit);
    EXPECT_EQ(metadata.evaluator_prompt_template_hash.value_or("").size(), 64u);
}

TEST_F(PlanRunsTest, NamesTheRubricOfPeopleWhoGaveLabels) {
    job::RunSpec spec = make_spec();
    spec.labels = job::LabelsSpec{"labels.jsonl", "rubric-2"};
    const auto runs = plan(spec);
    const job::RunMetadata& metadata = runs.at(0).metadata;
    EXPECT_EQ(metadata.evaluator_version, "rubric-2");
    EXPECT_EQ(metadata.evaluator_model, std::nullopt);
    EXPECT_EQ(metadata.evaluator_prompt_template_hash, std::nullopt);
}

TEST_F(PlanRunsTest, AFloatingModelIsNotPinned) {
    job::RunSpec spec = make_spec();
    spec.allow_floating_model = true;
    spec.models = {{"acme", "small", "latest"}};
    EXPECT_FALSE(plan(spec).at(0).metadata.pinned);
    spec.models = {{"acme", "small", std::nullopt}};
    EXPECT_FALSE(plan(spec).at(0).metadata.pinned);
}

TEST_F(PlanRunsTest, AsksTheTypeOfTheProviderWhetherAModelIsPinned) {
    providers::ProviderConfig claude;
    claude.type = providers::ProviderType::anthropic;
    facts_.providers = {{"claude", claude}, {"acme", {}}};
    job::RunSpec spec = make_spec();
    spec.models = {{"claude", "claude-opus-4-6", std::nullopt}, {"acme", "gpt-4o", "1"}};
    const auto runs = plan(spec);
    EXPECT_TRUE(runs.at(0).metadata.pinned);
    EXPECT_EQ(runs.at(0).metadata.model.version, "4-6");
    EXPECT_FALSE(runs.at(1).metadata.pinned) << "it has no date";
}

TEST_F(PlanRunsTest, TakesTheVersionOfModelAndJudgeFromTheNameThatPinsThem) {
    facts_.providers = {{"acme", {}}};
    job::RunSpec spec = make_spec();
    spec.models = {{"acme", "gpt-4o-2024-08-06", std::nullopt}};
    spec.judge.emplace();
    spec.judge->model = {"acme", "gpt-4.1-2025-04-14", std::nullopt};
    const job::RunMetadata metadata = plan(spec).at(0).metadata;
    EXPECT_EQ(metadata.model.version, "2024-08-06");
    EXPECT_EQ(metadata.evaluator_model->version, "2025-04-14");
    EXPECT_EQ(metadata.evaluator_version, "acme/gpt-4.1-2025-04-14@2025-04-14");
    EXPECT_EQ(plan(spec).at(0).spec.models, spec.models) << "what is sent stays as it is";
}

TEST_F(PlanRunsTest, NamesADataSetWithoutIdByItsFile) {
    job::RunSpec spec = make_spec();
    spec.dataset.id.reset();
    EXPECT_EQ(plan(spec).at(0).metadata.dataset_id, "d.jsonl");
}

TEST_F(PlanRunsTest, SaysOfAKeyWithoutALabelOnlyThatThereIsOne) {
    providers::ProviderConfig acme;
    facts_.providers = {{"acme", acme}};
    EXPECT_EQ(plan(make_spec()).at(0).metadata.api_key_id, "none");
    acme.api_key_env = "ACME_KEY";
    facts_.providers = {{"acme", acme}};
    EXPECT_EQ(plan(make_spec()).at(0).metadata.api_key_id, "unlabelled");
}

TEST_F(PlanRunsTest, NamesTheModelsKeyByTheOperatorsLabelAndHowSavingsAreEstimated) {
    EXPECT_EQ(plan(make_spec()).at(0).metadata.api_key_id, std::nullopt);
    EXPECT_EQ(plan(make_spec()).at(0).metadata.cache_savings_method, std::nullopt);
    providers::ProviderConfig acme;
    acme.api_key_env = "ACME_KEY";
    acme.api_key_id = "acme-prod";
    acme.prices.emplace();
    facts_.providers = {{"acme", acme}};
    const job::RunMetadata metadata = plan(make_spec()).at(0).metadata;
    EXPECT_EQ(metadata.api_key_id, "acme-prod");
    EXPECT_EQ(metadata.cache_savings_method, scoring::kCacheSavingsMethod);
}

TEST_F(PlanRunsTest, TellsWhichTableItsPricesComeFrom) {
    providers::ProviderConfig acme;
    acme.name = "acme";
    facts_.providers = {{"acme", acme}};
    EXPECT_EQ(plan(make_spec()).at(0).metadata.price_table, std::nullopt);
    acme.price_source = providers::PriceSource{"prices.yaml", "2026-11-19", "our contract"};
    acme.prices.emplace();
    facts_.providers = {{"acme", acme}};
    const job::RunMetadata metadata = plan(make_spec()).at(0).metadata;
    EXPECT_EQ(metadata.price_table, "acme: prices.yaml as of 2026-11-19 (our contract)");
    EXPECT_EQ(job::parse_run_metadata(job::to_json(metadata)).value(), metadata);
}

TEST_F(PlanRunsTest, TellsWhatTheOperatorAddsToRequestsSecretsExcepted) {
    facts_.providers =
        providers::read_providers_text(
            R"(providers: {acme: {type: openai, base_url: "https://a", headers: {X-Title: eval,
               X-Api-Key: 9f8e7d6c5b4a, X-Key: {env: TEAM_KEY}}, extra_body: {route: x}}})",
            "p")
            .value();
    job::RunSpec spec = make_spec();
    spec.generation.extra = job::JsonObject{R"({"top_k":5})"};
    const job::RunMetadata metadata = plan(spec).front().metadata;
    EXPECT_EQ(metadata.generation_params.extra, job::JsonObject{R"({"route":"x","top_k":5})"});
    EXPECT_EQ(metadata.generation_params.headers.at("X-Title"), "eval");
    EXPECT_EQ(metadata.generation_params.headers.at("X-Key"), "(secret)");
    EXPECT_EQ(metadata.generation_params.headers.at("X-Api-Key"), "(secret)") << "by its name";
    EXPECT_EQ(metadata.generation_params_requested.extra, job::JsonObject{R"({"top_k":5})"});
    EXPECT_EQ(job::parse_run_metadata(job::to_json(metadata)).value(), metadata);
}

TEST_F(PlanRunsTest, ModelsTimesPromptsMakeAGroup) {
    job::RunSpec spec = make_spec();
    spec.name = std::string(100, 'n');
    spec.models = {{"acme", "small", "1"}, {"acme", "large", "1"}};
    spec.prompts = {{"p1", "1", std::nullopt, "{{task}}"},
                    {"p2", "1", std::nullopt, "Q: {{task}}"},
                    {"p3", "1", std::nullopt, "A: {{task}}"}};
    const auto runs = plan(spec);
    ASSERT_EQ(runs.size(), 6u);
    std::set<std::string> ids;
    std::set<std::string> pairs;
    for (const PlannedRun& run : runs) {
        EXPECT_TRUE(queue::is_run_id(run.run_id)) << run.run_id;
        ids.insert(run.run_id);
        ASSERT_EQ(run.spec.models.size(), 1u);
        ASSERT_EQ(run.spec.prompts.size(), 1u);
        pairs.insert(run.spec.models[0].name + " " + run.spec.prompts[0].id);
        EXPECT_EQ(run.metadata.run_id, run.run_id);
        EXPECT_EQ(run.metadata.group_id, facts_.stamp + "-" + std::string(24, 'n'));
        EXPECT_EQ(run.metadata.model, run.spec.models[0]);
        EXPECT_EQ(run.metadata.prompt_template.id, run.spec.prompts[0].id);
    }
    EXPECT_EQ(ids.size(), 6u);
    EXPECT_EQ(pairs.size(), 6u);
}

TEST_F(PlanRunsTest, KeepsAddressesOfProvidersOutOfTheRun) {
    EXPECT_EQ(plan(make_spec()).at(0).spec.providers, "{}");
}

}  // namespace
}  // namespace evalfleet::runs
