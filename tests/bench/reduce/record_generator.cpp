#include "tests/bench/reduce/record_generator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>

namespace evalfleet::bench {
namespace {

class RecordGenerator {
  public:
    explicit RecordGenerator(const GeneratedRun& run) : run_(run), random_(run.seed) {}

    void append(std::string& out, std::uint64_t number) {
        const std::uint64_t sample = number / run_.repeats;
        const std::uint64_t repeat = number % run_.repeats + 1;
        const double latency = std::round(latency_(random_) * 1000) / 1000;
        const double fate = uniform();
        if (repeat == 1) choose_slices();
        append_identity(out, sample, repeat);
        if (fate < 0.02) {
            append_failed(out, fate < 0.01, latency);
        } else {
            append_answered(out, latency, fate < 0.03);
        }
        out += "}\n";
    }

  private:
    double uniform() { return std::uniform_real_distribution<double>(0, 1)(random_); }
    std::uint64_t pick(std::uint64_t below) { return random_() % below; }

    void choose_slices() {
        constexpr std::array kTypes{"qa", "summarise", "code", "default"};
        constexpr std::array kLanguages{"en", "de", "ja"};
        constexpr std::array kSources{"web", "book", "forum", "paper", "chat"};
        type_ = kTypes[pick(kTypes.size())];
        language_ = kLanguages[pick(kLanguages.size())];
        difficulty_ = pick(3) == 0 ? "hard" : "easy";
        source_ = kSources[pick(kSources.size())];
    }

    void append_identity(std::string& out, std::uint64_t sample, std::uint64_t repeat) {
        fmt::format_to(
            std::back_inserter(out),
            R"({{"evaluation_schema_version":"1.0","run_id":"01HV3Z8J9QK7","sample_id":"s{:07}",)"
            R"("sample_index":{},"repeat":{},"task_type":"{}","tags":{{"difficulty":"{}",)"
            R"("lang":"{}","source":"{}"}},)",
            sample, sample, repeat, type_, difficulty_, language_, source_);
    }

    void append_failed(std::string& out, bool timed_out, double latency) {
        fmt::format_to(
            std::back_inserter(out),
            R"("answer":null,"finish_reason":null,"model_reported":null,"provider_request_id":null,)"
            R"("attempts":3,"http_status":{},"error_kind":"{}","error_message":"gave up","timed_out":{},)"
            R"("latency_e2e_ms":{},"latency_model_ms":null,"input_tokens":null,"output_tokens":null,)"
            R"("total_tokens":null,"token_efficiency_ratio":null,"output_input_ratio":null,)"
            R"("accuracy_score":0,"correctness_score":0,"faithfulness_score":null,"hallucination_score":null,)"
            R"("evaluator_error":null,"sample_score":0.0,"rubric_passed":false,"spec_passed":false,)"
            R"("failure_label":"{}","failure_labels_secondary":[])",
            timed_out ? "null" : "503", timed_out ? "timeout" : "http_5xx", timed_out, latency * 8,
            timed_out ? "timeout_or_latency_exceeded" : "other");
    }

    void append_answered(std::string& out, double latency, bool evaluator_failed) {
        const std::uint64_t input = 80 + pick(1200);
        const std::uint64_t output = 20 + pick(400);
        const double ratio = static_cast<double>(output) / static_cast<double>(input);
        fmt::format_to(
            std::back_inserter(out),
            R"("answer":"{}","finish_reason":"stop","provider_request_id":"req-{:08x}",)"
            R"("attempts":1,"http_status":200,"error_kind":null,)"
            R"("error_message":null,"timed_out":false,"latency_e2e_ms":{},"latency_model_ms":{},)"
            R"("latency_model_source":"provider_reported",)"
            R"("started_at_utc":"2026-01-02T03:04:05.678Z",)"
            R"("input_tokens":{},"output_tokens":{},"total_tokens":{},"token_efficiency_ratio":{},)"
            R"("output_input_ratio":{},"tokens_source":"provider","cache_read_input_tokens":{},)"
            R"("cache_write_input_tokens":0,"estimated_cache_savings_tokens":{},)"
            R"("estimated_cache_savings_usd":{},"cost_usd":0.00299,)",
            kAnswer.substr(0, 20 + pick(kAnswer.size() - 20)), pick(1ULL << 32), latency,
            std::round(latency * 900) / 1000, input, output, input + output, ratio, ratio,
            input / 2, input / 2, static_cast<double>(input / 2) * 1.25e-6);
        append_scores(out, latency, static_cast<double>(input + output), evaluator_failed);
    }

    void append_scores(std::string& out, double latency, double tokens, bool evaluator_failed) {
        const double latency_norm = std::min(1.0, 3000 / std::max(latency, 1.0));
        const double token_norm = std::min(1.0, 2000 / tokens);
        if (evaluator_failed) {
            fmt::format_to(
                std::back_inserter(out),
                R"("accuracy_score":null,"correctness_score":null,"faithfulness_score":null,)"
                R"("hallucination_score":null,"evaluator_error":"parse_error","accuracy_norm":null,)"
                R"("latency_norm":{},"token_efficiency_norm":{},"sample_score":null,"rubric_passed":false,)"
                R"("spec_passed":false,"failure_label":"other","failure_labels_secondary":[])",
                latency_norm, token_norm);
            return;
        }
        const auto score = [&](double full, double half) {
            const double u = uniform();
            return u < full ? 2 : u < full + half ? 1 : 0;
        };
        const int accuracy = score(0.78, 0.15);
        const int faithfulness = score(0.88, 0.08);
        const bool rubric = accuracy >= 1 && faithfulness >= 1 && latency <= 8000 && tokens <= 6000;
        const bool spec = accuracy == 2 && faithfulness == 2;
        const double sample_score = 0.45 * (accuracy / 2.0) + 0.30 * (faithfulness / 2.0) +
                                    0.15 * latency_norm + 0.10 * token_norm;
        fmt::format_to(
            std::back_inserter(out),
            R"("accuracy_score":{},"correctness_score":{},"faithfulness_score":{},"hallucination_score":{},)"
            R"("hallucination_source":"derived","rationale":"One detail is missing.",)"
            R"("evaluator_notes":"One detail is missing.","evaluator_error":null,)"
            R"("evaluator_attempts":1,"evaluator_raw_output":null,"evaluator_latency_ms":900.125,)"
            R"("judge_failure_label":null,"format_check_passed":null,"accuracy_norm":{},"faithfulness_norm":{},"latency_norm":{},)"
            R"("token_efficiency_norm":{},"sample_score":{},"rubric_passed":{},"spec_passed":{},)"
            R"("failure_label":{},"failure_labels_secondary":[])",
            accuracy, accuracy, faithfulness, 2 - faithfulness, accuracy / 2.0, faithfulness / 2.0,
            latency_norm, token_norm, sample_score, rubric, spec,
            rubric && spec ? "null" : "\"incorrect_answer\"");
    }

    static constexpr std::string_view kAnswer =
        "The capital of France is Paris; it has been the seat of government, with short "
        "interruptions, since the tenth century.";

    GeneratedRun run_;
    std::mt19937_64 random_;
    std::lognormal_distribution<double> latency_{7.3, 0.7};
    const char* type_ = "";
    const char* language_ = "";
    const char* difficulty_ = "";
    const char* source_ = "";
};

}  // namespace

std::uint64_t generate_records(const std::filesystem::path& file, const GeneratedRun& run) {
    std::ofstream out(file, std::ios::binary);
    RecordGenerator generator(run);
    std::string text;
    for (std::uint64_t i = 0; i < run.records; ++i) {
        generator.append(text, i);
        if (text.size() < (1 << 20) && i + 1 < run.records) continue;
        out << text;
        text.clear();
    }
    out.close();
    if (!out) throw std::runtime_error("cannot write " + file.string());
    return std::filesystem::file_size(file);
}

}  // namespace evalfleet::bench
