#include "common/job/policy_json.hpp"
#include "common/json/document.hpp"
#include "coordinator/reduce/reducer.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace evalfleet::reduce {
namespace {

namespace fs = std::filesystem;

std::string read_text(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

// The rules of the conformance checker: numbers within 1e-12, every expected key there, no other
// key where keys are data or a closed list.
class Comparer {
  public:
    std::vector<std::string> differences;
    int not_bit_equal = 0;

    void compare(json::Value expected, json::Value actual, const std::string& path) {
        if (expected.is_object() && actual.is_object()) {
            compare_objects(expected, actual, path);
        } else if (expected.is_array() && actual.is_array()) {
            compare_arrays(expected, actual, path);
        } else if (expected.is_number() && actual.is_number()) {
            compare_numbers(expected, actual, path);
        } else if (expected.describe() != actual.describe()) {
            differences.push_back(fmt::format("{}: expected {}, got {}", path, expected.describe(),
                                              actual.describe()));
        }
    }

  private:
    static bool is_closed(const std::string& path) {
        const fs::path parts(path);
        const std::string name = parts.filename().string();
        for (const char* suffix : {"failure_taxonomy", "_histogram", "tags", "task_type"}) {
            if (name.ends_with(suffix)) return true;
        }
        return parts.parent_path().filename() == "tags";
    }

    void compare_objects(json::Value expected, json::Value actual, const std::string& path) {
        for (const auto& [key, value] : *expected.as_object()) {
            const std::string inner = fmt::format("{}/{}", path, key);
            if (const auto found = actual.find(key)) {
                compare(value, *found, inner);
            } else {
                differences.push_back(inner + ": missing");
            }
        }
        if (!is_closed(path)) return;
        for (const auto& [key, value] : *actual.as_object()) {
            if (!expected.find(key)) {
                differences.push_back(fmt::format("{}/{}: not expected", path, key));
            }
        }
    }

    void compare_arrays(json::Value expected, json::Value actual, const std::string& path) {
        const auto wanted = *expected.as<std::vector<json::Value>>();
        const auto got = *actual.as<std::vector<json::Value>>();
        ASSERT_EQ(wanted.size(), got.size()) << path;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            compare(wanted[i], got[i], fmt::format("{}/{}", path, i));
        }
    }

    void compare_numbers(json::Value expected, json::Value actual, const std::string& path) {
        const double wanted = *expected.as_double();
        const double got = *actual.as_double();
        if (wanted == got) return;
        ++not_bit_equal;
        const bool near =
            std::fabs(wanted - got) <= 1e-12 * std::max(std::fabs(wanted), std::fabs(got));
        if (!near || expected.kind() == json::Kind::integer) {
            differences.push_back(fmt::format("{}: expected {}, got {}", path, wanted, got));
        }
    }
};

class ReduceConformance : public testing::TestWithParam<std::string> {};

std::vector<std::string> cases() {
    std::vector<std::string> names;
    for (const auto& entry :
         fs::directory_iterator(fs::path(EVALFLEET_TEST_DATA_DIR) / "conformance/reduce")) {
        names.push_back(entry.path().filename().string());
    }
    std::ranges::sort(names);
    return names;
}

TEST_P(ReduceConformance, GivesTheExpectedSummary) {
    const fs::path folder = fs::path(EVALFLEET_TEST_DATA_DIR) / "conformance/reduce" / GetParam();
    const auto policy = job::parse_policy(read_text(folder / "policy.json"));
    ASSERT_TRUE(policy) << policy.error().message;
    const std::vector<fs::path> records{folder / "expected-records.jsonl"};
    const auto summary = reduce_files(records, *policy, {.threads = 2});
    ASSERT_TRUE(summary) << summary.error().message;
    const auto actual = json::Document::parse(job::to_json(*summary));
    ASSERT_TRUE(actual) << actual.error().message;
    const auto expected = json::Document::parse(read_text(folder / "expected-summary.json"));
    ASSERT_TRUE(expected) << expected.error().message;
    Comparer comparer;
    comparer.compare(expected->root(), actual->root(), "");
    EXPECT_EQ(comparer.differences, std::vector<std::string>());
    EXPECT_EQ(comparer.not_bit_equal, 0);
}

INSTANTIATE_TEST_SUITE_P(Cases, ReduceConformance, testing::ValuesIn(cases()),
                         [](const auto& case_name) {
                             std::string name = case_name.param;
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

}  // namespace
}  // namespace evalfleet::reduce
