// Prints the table of what the chaos test's programs wrote into these files.
//
//     chaos_table FILE...
#include "tests/chaos/table.hpp"

#include <cstdio>
#include <exception>
#include <fstream>

int main(int argc, char** argv) {
    try {
        evalfleet::chaos::Tally tally;
        for (int i = 1; i < argc; ++i) {
            std::ifstream file(argv[i]);
            for (std::string line; std::getline(file, line);)
                add_line(tally, line);
        }
        std::printf("%s", to_markdown(tally).c_str());
        return 0;
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "chaos_table: %s\n", failure.what());
        return 3;
    }
}
