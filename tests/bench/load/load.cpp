#include "tests/bench/load/load.hpp"

#include "common/json/document.hpp"
#include "tests/support/fleet.hpp"
#include "tests/support/temporary_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace evalfleet::bench {

namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::Fleet;

constexpr seconds kStep{1};
constexpr seconds kStartsWithin{180};  // with hundreds of processes that start beside it

class Carrier {
  public:
    explicit Carrier(const Load& load) : load_(load), fleet_(options()) {}

    Carried carry() {
        submit();
        const auto begun = steady_clock::now();
        const auto looked_at = begun + load_.warm_up;
        const auto until = looked_at + load_.held.value_or(load_.patience);
        for (auto now = begun; now < until && !is_over(); now = steady_clock::now()) {
            if (now >= looked_at) look();
            std::this_thread::sleep_for(kStep);
        }
        const std::chrono::duration<double> took = steady_clock::now() - begun;
        carried_.seconds = took.count();
        if (!load_.held && !is_over()) throw std::runtime_error("the run does not end");
        carried_.workers_seen = fleet_.figure("workers");
        return std::move(carried_);
    }

  private:
    Fleet::Options options() {
        write_dataset();
        Fleet::Options options{.workers = load_.workers,
                               .latency_ms = std::to_string(load_.service.count()),
                               .lease = "",
                               .concurrency = load_.concurrency};
        options.max_concurrent = load_.workers * load_.concurrency * 2;
        options.coordinator = {"--dataset-root", folder_.path().string()};
        return options;
    }

    void write_dataset() const {
        std::ofstream out(folder_ / "data.jsonl");
        for (std::uint64_t i = 0; i < load_.samples; ++i)
            out << fmt::format(R"({{"id": "q{0}", "task": "Question number {0}?"}})", i) << '\n';
    }

    void submit() {
        const std::string spec =
            fmt::format(R"({{"version":1,"name":"load","dataset":{{"path":"{}"}},)"
                        R"("model":{{"provider":"sim","name":"m","version":"1"}},)"
                        R"("judge":{{"provider":"sim","name":"j","version":"1"}},"repeats":{},)"
                        R"("limits":{{"timeout_ms":300000,"attempt_timeout_ms":300000}}}})",
                        (folder_ / "data.jsonl").string(), load_.repeats);
        const auto answer =
            Fleet::ask_at(fleet_.url(), {"POST", "/api/v1/runs", spec, "", kStartsWithin});
        const auto document = json::Document::parse(answer.body);
        if (answer.status != 201 || !document)
            throw std::runtime_error("not submitted: " + answer.body);
        fleet_.watch(document->root().get<std::string>("run_id").value());
    }

    bool is_over() {
        const auto now = fleet_.progress();
        if (!now) return false;
        carried_.trials = now->done;
        carried_.errors = now->errors;
        carried_.state = now->state;
        in_flight_ = now->in_flight;
        return now->is_over();
    }

    void look() {
        const double coordinator = resident_mib(fleet_.coordinator().pid());
        if (carried_.trials >= load_.samples * load_.repeats) {
            carried_.most_while_finishing_mib =
                std::max(carried_.most_while_finishing_mib, coordinator);
            return;
        }
        carried_.memory["coordinator"].add(coordinator);
        look_at_redis();
        look_at_workers();
        carried_.in_flight.add(static_cast<double>(in_flight_));
        carried_.least_in_flight = std::min(carried_.least_in_flight, in_flight_);
    }

    // On a busy machine it may not answer in time: then this look says nothing of it.
    void look_at_redis() {
        try {
            const auto used = static_cast<double>(fleet_.used_redis_memory());
            carried_.memory["redis"].add(used / (1 << 20));
        } catch (const std::exception&) {
            ++carried_.missed_looks;
        }
    }

    void look_at_workers() {
        double largest = 0;
        double all = 0;
        for (std::size_t i = 0; i < load_.workers; ++i) {
            const double mib = resident_mib(fleet_.worker(i).pid());
            largest = std::max(largest, mib);
            all += mib;
        }
        carried_.memory["worker"].add(largest);
        if (load_.workers > 1) carried_.memory["workers"].add(all);
    }

    const Load& load_;
    testing::TemporaryFolder folder_;
    Fleet fleet_;
    std::uint64_t in_flight_ = 0;
    Carried carried_;
};

}  // namespace

Carried blocking_carry(const Load& load) {
    return Carrier(load).carry();
}

}  // namespace evalfleet::bench
