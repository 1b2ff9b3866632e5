#include "tests/bench/timing/ledger.hpp"

#include "common/job/trial_record_json.hpp"
#include "common/json/document.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <unordered_map>

namespace evalfleet::bench {

namespace {

void for_each_line(const std::filesystem::path& path,
                   const std::function<void(json::Value)>& take) {
    std::ifstream in(path);
    if (!in) throw std::runtime_error("cannot read " + path.string());
    json::Parser parser;
    for (std::string line; std::getline(in, line);) {
        if (line.empty()) continue;
        const auto root = parser.parse(line);
        if (!root) throw std::runtime_error(path.string() + ": " + root.error().message);
        take(*root);
    }
}

using Truth = std::unordered_map<std::string, double>;

Truth read_log(const std::filesystem::path& path) {
    Truth truth;
    for_each_line(path, [&](json::Value entry) {
        const double arrival = entry.get<double>("arrival_ns").value();
        const double last = entry.get<double>("last_byte_ns").value();
        if (last == 0) return;
        truth.emplace(entry.get<std::string>("request_id").value(), (last - arrival) / 1e6);
    });
    return truth;
}

}  // namespace

TimingErrors compare(const std::filesystem::path& records, const std::filesystem::path& log) {
    const Truth truth = read_log(log);
    TimingErrors result;
    for_each_line(records, [&](json::Value line) {
        const job::TrialRecord record = job::read_trial_record(line).value();
        if (record.attempts != 1 || !record.provider_request_id || !record.latency_e2e_ms) return;
        const auto found = truth.find(*record.provider_request_id);
        if (found == truth.end()) {
            ++result.unmatched;
            return;
        }
        const double connect = record.timing.connect_ms.value_or(0);
        result.errors_ms.push_back(std::abs(*record.latency_e2e_ms - connect - found->second));
        result.bounds_ms.push_back(record.timing_error_bound_ms.value_or(0));
    });
    std::sort(result.errors_ms.begin(), result.errors_ms.end());
    std::sort(result.bounds_ms.begin(), result.bounds_ms.end());
    return result;
}

double percentile(const std::vector<double>& sorted, double share) {
    if (sorted.empty()) return 0;
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

}  // namespace evalfleet::bench
