// Pages over a million records: what the index costs to make, and what a page costs by each kind of
// filter. Prints one JSON object; ends with 1 if a limit is broken. Usage: bench_records [RECORDS]
#include "common/files/atomic_file.hpp"
#include "coordinator/records/record_search.hpp"
#include "tests/support/temporary_folder.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <string>

namespace {

using namespace evalfleet;

constexpr double kMaxPageMs = 250;
constexpr double kMaxResidentMib = 128;

void write_records(const std::filesystem::path& path, std::uint64_t count) {
    auto file = files::AtomicFile::blocking_create(path).value();
    const std::string answer(600, 'a');
    for (std::uint64_t i = 0; i < count; ++i) {
        const bool passed = i % 7 != 0;
        file
            .blocking_append(fmt::format(
                R"({{"sample_id":"s{}","sample_index":{},"repeat":1,"task_type":"type-{}",)"
                R"("tags":{{"lang":"{}"}},"answer":"{} {}","rubric_passed":{},"failure_label":{}}})"
                "\n",
                i, i, i % 5, i % 100 == 0 ? "de" : "en", answer, i, passed,
                passed ? "null" : "\"incorrect_answer\""))
            .value();
    }
    file.blocking_commit().value();
}

template <class Work>
double milliseconds(Work work) {
    const auto begun = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun)
        .count();
}

double resident_mib() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace

int main(int argc, char** argv) {
    const std::uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
    const testing::TemporaryFolder folder;
    const auto records = folder / "records.jsonl";
    write_records(records, count);
    const double make_ms = milliseconds(
        [&] { (void)records::RecordIndex::blocking_open(records, folder / "index").value(); });
    const auto index = records::RecordIndex::blocking_open(records, folder / "index").value();
    const auto page_ms = [&](const records::PageRequest& request) {
        return milliseconds(
            [&] { (void)records::blocking_search(records, index, request).value(); });
    };
    const double first_ms = page_ms({});
    const double deep_ms = page_ms({.offset = count - 100});
    const double label_ms = page_ms({.filter = {.label = std::uint8_t{0}}, .offset = count / 10});
    const double text_ms = page_ms({.filter = {.text = "no such text"}});
    const double tag_ms = page_ms({.filter = {.tags = {{"lang", "fr"}}}});
    const double resident = resident_mib();
    fmt::print(
        "{{\"records\": {}, \"records_mib\": {}, \"index_make_ms\": {:.0f}, \"first_page_ms\": "
        "{:.1f}, \"deep_page_ms\": {:.1f}, \"label_page_ms\": {:.1f}, \"text_64mib_ms\": {:.1f}, "
        "\"tag_64mib_ms\": {:.1f}, \"page_limit_ms\": {}, \"resident_mib\": {:.0f}, "
        "\"resident_limit_mib\": {}}}\n",
        count, std::filesystem::file_size(records) >> 20, make_ms, first_ms, deep_ms, label_ms,
        text_ms, tag_ms, kMaxPageMs, resident, kMaxResidentMib);
    const bool is_quick = first_ms < kMaxPageMs && deep_ms < kMaxPageMs && label_ms < kMaxPageMs;
    return is_quick && resident < kMaxResidentMib ? 0 : 1;
}
