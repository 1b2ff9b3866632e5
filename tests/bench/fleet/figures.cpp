#include "tests/bench/fleet/figures.hpp"

#include "common/json/writer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace evalfleet::bench {

namespace {

constexpr std::array<FigureInfo, kFigures> kInfos{{
    {"trials_per_s", "trials/s", 0},
    {"share_of_wrk", "of wrk's limit, two calls a trial", 3},
    {"share_of_ideal", "of the ideal", 3},
    {"worker_us", "worker, us a trial", 1},
    {"redis_us", "redis-server, us a trial", 1},
    {"coordinator_us", "coordinator, us a trial", 1},
    {"together_us", "together, us a trial", 1},
    {"simulator_us", "simulated provider, us a trial", 1},
    {"redis_function_us", "Redis functions, us a trial", 1},
    {"redis_functions", "calls of a function a trial", 3},
    {"redis_commands", "commands within them a trial", 2},
    {"worker_syscalls", "system calls of the worker a trial", 1},
    {"redis_syscalls", "of redis-server", 1},
    {"coordinator_syscalls", "of the coordinator", 1},
    {"worker_peak_mib", "worker, peak resident MiB", 1},
    {"redis_peak_mib", "redis-server, peak resident MiB", 1},
    {"coordinator_peak_mib", "coordinator, peak resident MiB", 1},
    {"worker_kib_a_call", "worker, KiB a call in flight", 1},
}};

std::string cell(const std::optional<double>& value, int digits) {
    return value ? fmt::format("{:.{}f}", *value, digits) : "";
}

}  // namespace

const FigureInfo& info_of(Figure figure) {
    return kInfos[static_cast<std::size_t>(figure)];
}

Figures median_of(const std::vector<Figures>& rounds) {
    Figures medians;
    for (std::size_t i = 0; i < kFigures; ++i) {
        const auto figure = static_cast<Figure>(i);
        std::vector<double> values;
        for (const Figures& round : rounds)
            if (round[figure]) values.push_back(*round[figure]);
        if (values.empty()) continue;
        std::sort(values.begin(), values.end());
        const std::size_t middle = values.size() / 2;
        const bool is_odd = values.size() % 2 == 1;
        medians[figure] = is_odd ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    }
    return medians;
}

std::string as_table(const std::vector<Row>& rows) {
    std::string table = fmt::format("| {:<34} ", "");
    std::string rule = "|---";
    for (const Row& row : rows) {
        table += fmt::format("| {:>9} ", row.build + " " + row.load);
        rule += "|---:";
    }
    table += "|\n" + rule + "|\n";
    for (std::size_t i = 0; i < kFigures; ++i) {
        const auto figure = static_cast<Figure>(i);
        const bool is_known = std::any_of(rows.begin(), rows.end(), [figure](const Row& row) {
            return row.medians[figure].has_value();
        });
        if (!is_known) continue;
        table += fmt::format("| {:<34} ", kInfos[i].text);
        for (const Row& row : rows) {
            const std::size_t width =
                std::max<std::size_t>(9, row.build.size() + 1 + row.load.size());
            table += fmt::format("| {:>{}} ", cell(row.medians[figure], kInfos[i].digits), width);
        }
        table += "|\n";
    }
    return table;
}

std::string as_json(const std::vector<Row>& rows) {
    std::string out;
    json::Writer writer(out, json::Layout::pretty);
    writer.begin_object().key("fleet").begin_array();
    for (const Row& row : rows) {
        writer.begin_object().member("build", row.build).member("load", row.load);
        for (std::size_t i = 0; i < kFigures; ++i) {
            if (const auto& value = row.medians[static_cast<Figure>(i)])
                writer.member(kInfos[i].name, *value);
        }
        writer.end_object();
    }
    writer.end_array().end_object();
    return out + "\n";
}

}  // namespace evalfleet::bench
