#include "tests/conformance/vectors.hpp"

#include "tests/conformance/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace evalfleet::conformance {

namespace {

void append(std::vector<std::string>& all, const std::vector<std::string>& more) {
    all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

std::filesystem::path vectors() {
    return std::filesystem::path(EVALFLEET_TEST_DATA_DIR) / "conformance";
}

std::vector<std::string> reduce_cases() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(vectors() / "reduce")) {
        names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::string read_file(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw std::runtime_error("cannot read " + file.string());
    std::ostringstream text;
    text << in.rdbuf();
    return std::move(text).str();
}

std::vector<std::string> split_lines(const std::string& text) {
    std::vector<std::string> lines;
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        if (end > begin) lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

json::Document parse(const std::string& text) {
    auto document = json::Document::parse(text);
    if (!document) throw std::runtime_error(document.error().message);
    return *std::move(document);
}

Identity identity(json::Value record) {
    return {record.get<std::int64_t>("sample_index").value(),
            record.get<std::int64_t>("repeat").value()};
}

std::vector<std::string> record_differences(const std::string& expected,
                                            const std::string& actual) {
    std::map<Identity, json::Document> got;
    for (const std::string& line : split_lines(actual)) {
        json::Document document = parse(line);
        const Identity key = identity(document.root());
        got.emplace(key, std::move(document));
    }
    const std::vector<std::string> wanted = split_lines(expected);
    std::vector<std::string> out;
    if (wanted.size() != got.size()) {
        out.push_back(fmt::format("expected {} records, got {}", wanted.size(), got.size()));
    }
    for (const std::string& line : wanted) {
        const json::Document document = parse(line);
        const auto [sample, repeat] = identity(document.root());
        const auto found = got.find({sample, repeat});
        const std::string path = fmt::format("{}.{}", sample, repeat);
        if (found == got.end()) {
            out.push_back(path + ": missing");
        } else {
            append(out, differences(document.root(), found->second.root(), path));
        }
    }
    return out;
}

std::vector<std::string> case_differences(const std::string& cases, const std::string& actual) {
    const std::vector<std::string> wanted = split_lines(cases);
    const std::vector<std::string> got = split_lines(actual);
    if (wanted.size() != got.size()) {
        return {fmt::format("{} cases, but {} lines", wanted.size(), got.size())};
    }
    std::vector<std::string> out;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const json::Document one = parse(wanted[i]);
        const json::Document line = parse(got[i]);
        append(out, differences(one.root().required("expected").value(), line.root(),
                                one.root().get<std::string>("name").value()));
    }
    return out;
}

}  // namespace evalfleet::conformance
