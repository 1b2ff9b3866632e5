#include "tests/bench/flow/evidence.hpp"

#include "common/job/trial_record_json.hpp"
#include "common/json/document.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <set>
#include <stdexcept>
#include <unordered_map>

namespace evalfleet::bench {

namespace {

constexpr double kTail = 0.05;  // of the calls: when the work runs out nobody can use a limit

struct Stretch {
    double from = 0;
    double until = 0;
    [[nodiscard]] double length() const { return until - from; }
    [[nodiscard]] double overlap(double begin, double end) const {
        return std::max(0.0, std::min(end, until) - std::max(begin, from));
    }
    [[nodiscard]] bool holds(double moment) const { return from <= moment && moment < until; }
};

void for_each_line(const std::filesystem::path& path,
                   const std::function<void(json::Value)>& take) {
    std::ifstream in(path);
    json::Parser parser;
    for (std::string line; std::getline(in, line);) {
        const auto root = parser.parse(line);
        if (!root) throw std::runtime_error(path.string() + ": " + root.error().message);
        take(*root);
    }
}

bool is_good(const Call& call) {
    return call.status == 200 && call.end > 0;
}

bool is_refused(const Call& call) {
    return call.status == 429 || call.status == 503 || call.status == 529;
}

double quantile(std::vector<double> values, double share) {
    if (values.empty()) return 0;
    const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + at, values.end());
    return values[static_cast<std::size_t>(at)];
}

/// Lets the time of all calls begin with the first arrival.
void begin_at_zero(std::vector<Call>& calls) {
    double first = std::numeric_limits<double>::max();
    for (const Call& call : calls)
        first = std::min(first, call.arrival);
    for (Call& call : calls) {
        call.arrival -= first;
        if (call.service > 0) call.service -= first;
        if (call.end > 0) call.end -= first;
    }
}

std::vector<double> ends_of(const std::vector<Call>& calls) {
    std::vector<double> ends;
    for (const Call& call : calls) {
        if (is_good(call)) ends.push_back(call.end);
    }
    std::sort(ends.begin(), ends.end());
    return ends;
}

/// The model's calls that got no reply however often they were made.
std::size_t count_hung(const std::vector<Call>& calls) {
    std::set<std::string> silent;
    for (const Call& call : calls) {
        if (call.status == 0 && !call.is_judges) silent.insert(call.key);
    }
    for (const Call& call : calls) {
        if (is_good(call)) silent.erase(call.key);
    }
    return silent.size();
}

/// Trials that the server gave a verdict of: also known of a run that was ended.
std::size_t count_verdicts(const std::vector<Call>& calls) {
    std::set<std::string> verdicts;
    for (const Call& call : calls) {
        if (call.is_judges && is_good(call)) verdicts.insert(call.key);
    }
    return verdicts.size();
}

/// The times that count for `capacity`, of each call that was answered.
double used_share(const Capacity& capacity, const std::vector<Call>& calls, const Stretch& seen) {
    double sum = 0;
    std::unordered_map<std::string, double> by_key;
    for (const Call& call : calls) {
        if (!is_good(call) || (capacity.is_judges && !call.is_judges)) continue;
        switch (capacity.kind) {
            case Capacity::Kind::at_once:
                sum += seen.overlap(call.arrival, call.end);
                break;
            case Capacity::Kind::slots:
                by_key[call.key] = seen.overlap(call.service, call.end);
                break;
            case Capacity::Kind::per_minute:
                sum += seen.holds(call.arrival) ? 60 : 0;
                break;
        }
    }
    for (const auto& [key, time] : by_key)
        sum += time;
    return sum / (capacity.amount * seen.length());
}

double refused_share(bool judges_only, const std::vector<Call>& calls, const Stretch& seen) {
    double all = 0, refused = 0;
    for (const Call& call : calls) {
        if (!seen.holds(call.arrival) || (judges_only && !call.is_judges)) continue;
        ++all;
        refused += is_refused(call) ? 1 : 0;
    }
    return all == 0 ? 0 : refused / all;
}

/// From the end of the warm-up until most calls are done; of limits by the minute whole minutes.
Stretch stretch_of(const Scenario& scenario, const std::vector<double>& ends) {
    const auto last = static_cast<std::size_t>((1 - kTail) * static_cast<double>(ends.size() - 1));
    Stretch seen{static_cast<double>(scenario.warm_up.count()), ends[last]};
    const bool by_minute =
        scenario.capacity && scenario.capacity->kind == Capacity::Kind::per_minute;
    if (by_minute && seen.length() > 60) seen.until -= std::fmod(seen.length(), 60);
    return seen;
}

std::optional<double> recovery_of(const Scenario::Outage& outage, const std::vector<double>& ends) {
    constexpr double kBefore = 10, kWindow = 3, kStep = 0.25, kShare = 0.9;
    const auto count = [&ends](double from, double until) {
        return static_cast<double>(std::lower_bound(ends.begin(), ends.end(), until) -
                                   std::lower_bound(ends.begin(), ends.end(), from));
    };
    const double rate = count(outage.start_s - kBefore, outage.start_s) / kBefore;
    const double end = outage.start_s + outage.duration_s;
    for (double from = end; from + kWindow <= ends.back(); from += kStep) {
        if (count(from, from + kWindow) >= kShare * rate * kWindow) return from - end;
    }
    return std::nullopt;
}

double pace_of(const std::vector<Call>& calls, double half_time) {
    double judges = 0, models = 0;
    for (const Call& call : calls) {
        if (is_good(call) && call.end < half_time) ++(call.is_judges ? judges : models);
    }
    return models == 0 ? 0 : judges / models;
}

double latency_share(const Evidence& evidence) {
    std::vector<double> measured, truth;
    for (const Trial& trial : evidence.trials) {
        if (trial.is_answered) measured.push_back(trial.latency_ms);
    }
    for (const Call& call : evidence.calls) {
        if (is_good(call) && !call.is_judges) truth.push_back((call.end - call.service) * 1000);
    }
    const double middle = quantile(truth, 0.5);
    return middle == 0 ? 0 : quantile(measured, 0.5) / middle;
}

void count_trials(const Scenario& scenario, const Evidence& evidence, Measured& measured) {
    const std::size_t hung = scenario.has_hangs ? count_hung(evidence.calls) : 0;
    const auto count = [&](auto holds) {
        return static_cast<double>(
            std::count_if(evidence.trials.begin(), evidence.trials.end(), holds));
    };
    const double good = count([](const Trial& t) { return t.is_answered && t.is_judged; });
    const double timeouts = count([](const Trial& t) { return t.is_timeout; });
    const double expected = static_cast<double>(scenario.samples - hung);
    measured[Metric::failed] = std::max(0.0, expected - good);
    if (evidence.trials.empty()) return;  // the run was ended
    measured[Metric::false_timeouts] = std::max(0.0, timeouts - static_cast<double>(hung));
    measured[Metric::lost] = count([](const Trial& t) { return t.is_lost; });
}

}  // namespace

void read_calls(const std::filesystem::path& log, std::vector<Call>& calls) {
    for_each_line(log, [&](json::Value line) {
        const auto seconds = [&](const char* name) {
            return static_cast<double>(line.get<std::int64_t>(name).value()) * 1e-9;
        };
        calls.push_back({line.get<std::string>("key").value(),
                         line.get<std::string>("kind").value() == "judge",
                         static_cast<int>(line.get<std::int64_t>("status").value()),
                         seconds("arrival_ns"), seconds("service_ns"), seconds("last_byte_ns")});
    });
}

std::vector<Trial> read_trials(const std::filesystem::path& records) {
    std::vector<Trial> trials;
    for_each_line(records, [&](json::Value line) {
        const job::TrialRecord record = job::read_trial_record(line).value();
        Trial trial;
        trial.is_answered = job::is_answered(record);
        trial.is_judged = record.correctness_score.has_value();
        trial.is_timeout = record.timed_out || record.error_kind == job::CallError::timeout;
        trial.is_lost = record.error_kind == job::CallError::worker_lost;
        trial.latency_ms = record.latency_e2e_ms.value_or(0);
        trials.push_back(trial);
    });
    return trials;
}

Measured measure(const Scenario& scenario, Evidence evidence) {
    Measured measured;
    measured[Metric::wall] = evidence.wall_s;
    if (scenario.bad_worker != BadWorker::none) {
        measured[Metric::named] = evidence.names_bad_worker ? 1 : 0;
    }
    count_trials(scenario, evidence, measured);
    begin_at_zero(evidence.calls);
    const std::vector<double> ends = ends_of(evidence.calls);
    if (ends.empty() || ends.back() <= 0) return measured;

    const Stretch seen = stretch_of(scenario, ends);
    measured[Metric::rate] = static_cast<double>(count_verdicts(evidence.calls)) / ends.back();
    if (!evidence.trials.empty()) measured[Metric::latency] = latency_share(evidence);
    measured[Metric::pace] = pace_of(evidence.calls, ends.back() / 2);
    const bool judges_only = scenario.capacity && scenario.capacity->is_judges;
    if (seen.length() > 0) {
        measured[Metric::refused] = refused_share(judges_only, evidence.calls, seen);
        if (scenario.capacity) {
            measured[Metric::used] = used_share(*scenario.capacity, evidence.calls, seen);
        }
    }
    if (scenario.outage) measured[Metric::recovery] = recovery_of(*scenario.outage, ends);
    return measured;
}

}  // namespace evalfleet::bench
