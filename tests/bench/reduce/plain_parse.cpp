#include "tests/bench/reduce/plain_parse.hpp"

#include "common/statistics/parallel_for.hpp"
#include "coordinator/reduce/record_file.hpp"
#include "coordinator/reduce/record_table.hpp"

#include <simdjson.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace evalfleet::bench {

void parse_plainly(const std::filesystem::path& path, unsigned threads) {
    const auto file = reduce::RecordFile::open(path);
    if (!file) throw std::runtime_error(file.error().message);
    const reduce::LoadOptions options;
    const unsigned all = statistics::resolve_threads(threads);
    struct Worker {
        simdjson::dom::parser parser;
        reduce::LineBuffer buffer;
    };
    std::vector<Worker> workers(all);
    std::atomic<bool> is_broken = false;
    const std::size_t blocks = (file->size() + options.block_bytes - 1) / options.block_bytes;
    statistics::parallel_for(all, blocks, [&](unsigned worker, std::size_t i) {
        auto& [parser, buffer] = workers[worker];
        const Status filled = buffer.fill(*file, i * options.block_bytes, options.block_bytes,
                                          options.max_line_bytes);
        if (!filled) is_broken = true;
        while (const auto line = buffer.next_line()) {
            const auto tree = parser.parse(line->text.data(), line->text.size(), false);
            if (tree.error() != simdjson::SUCCESS) is_broken = true;
        }
    });
    if (is_broken) throw std::runtime_error(path.string() + ": cannot be parsed");
}

}  // namespace evalfleet::bench
