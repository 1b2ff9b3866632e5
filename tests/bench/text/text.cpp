#include "common/json/document.hpp"
#include "common/json/writer.hpp"
#include "common/redaction/redactor.hpp"

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace evalfleet {
namespace {

constexpr std::size_t kBytes = 256 * 1024;

std::string repeated(std::string_view paragraph) {
    std::string text;
    while (text.size() < kBytes)
        text += paragraph;
    return text;
}

std::string prose() {
    return repeated(
        "The retry policy waits longer after each refusal, and gives up once the deadline of the "
        "whole call would be passed. In 2024 the limit was 42 calls; the mean latency of 1234.5 ms "
        "(see section 3.1) is what a user waits for. Why \"mean\"? Because it adds up.\n");
}

std::string code() {
    return repeated(
        "for (std::size_t i = 0; i < values.size(); ++i) { total_sum += values[i] * kFactor_2; }\n"
        "    result[\"mean_latency_ms\"] = total_sum / static_cast<double>(values.size());\n");
}

std::string digits() {
    return repeated("812 96 908 1234.567 2026-11-16T15:55:18.123Z v10.0.0.1 1700000000 0.118226\n");
}

std::string personal() {
    return repeated(
        "Write to jane.doe@example.org or call +44 20 7946 0958; card 4111 1111 1111 1111. ");
}

std::vector<std::string> secrets() {
    std::vector<std::string> all;
    for (int i = 0; i < 16; ++i)
        all.push_back("operator-secret-" + std::to_string(i * 7919) + "-value");
    return all;
}

void redact(benchmark::State& state, const std::string& text, const redaction::Redactor& redactor) {
    for (auto unused : state)
        benchmark::DoNotOptimize(redactor.redact(text));
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void write_string(benchmark::State& state, const std::string& text) {
    std::string out;
    for (auto unused : state) {
        out.clear();
        json::Writer(out).value(text);
        benchmark::DoNotOptimize(out.data());
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

std::string record() {
    std::string out;
    json::Writer writer(out);
    writer.begin_object()
        .member("run_id", "run-1")
        .member("sample_index", 12345)
        .member("repeat", 1);
    writer.member("answer", "Paris is the capital of France.").member("timed_out", false);
    for (const char* name : {"latency_e2e_ms", "latency_model_ms", "cost_usd", "sample_score"}) {
        writer.member(name, 1234.567);
    }
    for (const char* name : {"input_tokens", "output_tokens", "total_tokens"})
        writer.member(name, 812);
    writer.member("error_kind", nullptr)
        .key("tags")
        .begin_object()
        .member("lang", "en")
        .end_object();
    writer.end_object();
    return out;
}

void write_record(benchmark::State& state) {
    for (auto unused : state)
        benchmark::DoNotOptimize(record());
    state.SetItemsProcessed(state.iterations());
}

void read_record(benchmark::State& state) {
    const std::string text = record();
    json::Parser parser;
    for (auto unused : state)
        benchmark::DoNotOptimize(parser.parse(text)->get<double>("cost_usd"));
    state.SetItemsProcessed(state.iterations());
}

const redaction::Redactor kPlain;
const redaction::Redactor kWithSecrets{secrets()};

BENCHMARK_CAPTURE(redact, prose, prose(), kPlain);
BENCHMARK_CAPTURE(redact, prose_16_secrets, prose(), kWithSecrets);
BENCHMARK_CAPTURE(redact, code, code(), kPlain);
BENCHMARK_CAPTURE(redact, digits, digits(), kPlain);
BENCHMARK_CAPTURE(redact, personal, personal(), kPlain);
BENCHMARK_CAPTURE(write_string, prose, prose());
BENCHMARK(write_record);
BENCHMARK(read_record);

}  // namespace
}  // namespace evalfleet
