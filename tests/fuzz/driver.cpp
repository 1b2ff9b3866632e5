// Runs a fuzz target without libFuzzer, so that it works with every compiler:
//
//     fuzz_NAME [--runs N] [--seconds S] [--seed X] [FILE...]
//
// With files: runs each once, to repeat a finding. Otherwise mutates the corpus until N inputs were
// run or S seconds are over. A target aborts on a finding; the input is then in crash-input.

#include "tests/fuzz/mutator.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Clock = std::chrono::steady_clock;

struct Settings {
    std::uint64_t runs = std::numeric_limits<std::uint64_t>::max();
    std::chrono::seconds seconds{std::chrono::hours(24)};
    std::uint64_t seed = 42;
    std::vector<std::string> files;
};

const std::string* current_input = nullptr;

/// Keeps the input that the target died on. Only calls that are safe in a signal handler.
void keep_input(int signal) {
    const int file = ::open("crash-input", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file >= 0 && current_input != nullptr) {
        const ssize_t written = ::write(file, current_input->data(), current_input->size());
        if (written < 0) ::_exit(1);
        ::close(file);
    }
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

void run_one(const std::string& input) {
    current_input = &input;
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
    current_input = nullptr;
}

std::string read_file(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<std::string> read_corpus() {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(EVALFLEET_FUZZ_CORPUS)) {
        paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    std::vector<std::string> corpus;
    for (const auto& path : paths)
        corpus.push_back(read_file(path));
    return corpus;
}

Settings read_settings(int argc, char** argv) {
    Settings settings;
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        const bool has_value = i + 1 < argc;
        if (name == "--runs" && has_value) {
            settings.runs = std::strtoull(argv[++i], nullptr, 10);
        } else if (name == "--seconds" && has_value) {
            settings.seconds = std::chrono::seconds(std::strtoll(argv[++i], nullptr, 10));
        } else if (name == "--seed" && has_value) {
            settings.seed = std::strtoull(argv[++i], nullptr, 10);
        } else {
            settings.files.push_back(name);
        }
    }
    return settings;
}

}  // namespace

int main(int argc, char** argv) {
    const Settings settings = read_settings(argc, argv);
    for (const std::string& file : settings.files)
        run_one(read_file(file));
    if (!settings.files.empty()) return 0;

    std::signal(SIGABRT, keep_input);
    const std::vector<std::string> corpus = read_corpus();
    for (const std::string& input : corpus)
        run_one(input);
    evalfleet::fuzz::Mutator mutator(corpus, settings.seed);
    const Clock::time_point end = Clock::now() + settings.seconds;
    std::uint64_t runs = 0;
    while (runs < settings.runs && Clock::now() < end) {
        run_one(mutator.next());
        ++runs;
    }
    std::printf("%llu inputs, no finding\n", static_cast<unsigned long long>(runs));
    return 0;
}
