#include "coordinator/metrics/fleet_figures.hpp"

#include "coordinator/metrics/ended_runs.hpp"
#include "coordinator/metrics/queue_stages.hpp"

#include <array>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace evalfleet::coordinator {

namespace {

using runs::RunStats;
using Runs = std::vector<RunStats>;

constexpr std::size_t kMostActive = 50;
constexpr std::array kPhases{runs::RunPhase::queued,    runs::RunPhase::running,
                             runs::RunPhase::paused,    runs::RunPhase::cancelling,
                             runs::RunPhase::cancelled, runs::RunPhase::finishing,
                             runs::RunPhase::done,      runs::RunPhase::failed};

double number(std::uint64_t value) {
    return static_cast<double>(value);
}

class QueueFigures {
  public:
    QueueFigures(metrics::Registry& registry, const FleetFiguresConfig& config)
        : limits_(config.slots),
          pending_(stage(registry, "pending")),
          in_flight_(stage(registry, "in_flight")),
          delayed_(stage(registry, "delayed")),
          uncollected_(stage(registry, "uncollected")),
          done_(stage(registry, "done")),
          failed_(stage(registry, "failed")),
          oldest_(registry.gauge("evalfleet_coordinator_oldest_job_age_seconds",
                                 "Since when the oldest job is out without a result in the log")),
          window_(registry.gauge("evalfleet_coordinator_window_jobs",
                                 "Jobs that are out without a result in the log")),
          wanted_(registry.gauge("evalfleet_desired_slots",
                                 "How many jobs could be worked on at once now",
                                 {{"pool", config.pool}})) {}

    void update(const Runs& runs, const queue::PoolStats& pool) {
        const QueueStages stages = count_stages(runs, pool);
        pending_.set(number(stages.pending));
        in_flight_.set(number(stages.in_flight));
        delayed_.set(number(stages.delayed));
        uncollected_.set(number(stages.uncollected));
        done_.set(number(stages.done));
        failed_.set(number(stages.failed));
        oldest_.set(std::chrono::duration<double>(oldest_job_age(runs)).count());
        window_.set(number(count_window_jobs(runs)));
        wanted_.set(number(count_desired_slots(runs, pool, limits_)));
    }

  private:
    static metrics::Gauge stage(metrics::Registry& registry, const std::string& name) {
        return registry.gauge("evalfleet_coordinator_jobs",
                              "Trials of runs that are not over, by stage", {{"stage", name}});
    }

    SlotLimits limits_;
    metrics::Gauge pending_;
    metrics::Gauge in_flight_;
    metrics::Gauge delayed_;
    metrics::Gauge uncollected_;
    metrics::Gauge done_;
    metrics::Gauge failed_;
    metrics::Gauge oldest_;
    metrics::Gauge window_;
    metrics::Gauge wanted_;
};

class PoolFigures {
  public:
    explicit PoolFigures(metrics::Registry& registry)
        : workers_(registry.gauge("evalfleet_coordinator_workers",
                                  "Workers that were heard of within a minute")),
          reachable_(registry.gauge("evalfleet_coordinator_redis_reachable",
                                    "1 if Redis answered when it was last asked")),
          used_(registry.gauge("evalfleet_coordinator_redis_used_bytes", "Memory that Redis uses")),
          max_(registry.gauge("evalfleet_coordinator_redis_max_bytes",
                              "Memory limit of Redis; 0: none")) {}

    void update(const runs::PoolWatch::View& view) {
        workers_.set(number(view.stats.workers));
        reachable_.set(view.reachable ? 1 : 0);
        used_.set(number(view.memory.used_bytes));
        max_.set(number(view.memory.max_bytes));
    }

  private:
    metrics::Gauge workers_;
    metrics::Gauge reachable_;
    metrics::Gauge used_;
    metrics::Gauge max_;
};

class PhaseFigures {
  public:
    explicit PhaseFigures(metrics::Registry& registry) {
        for (const runs::RunPhase phase : kPhases) {
            gauges_.push_back(registry.gauge("evalfleet_coordinator_runs",
                                             "Runs that this coordinator keeps, by state",
                                             {{"state", std::string(to_string(phase))}}));
        }
    }

    void update(const Runs& all) {
        std::array<std::uint64_t, kPhases.size()> counts{};
        for (const RunStats& run : all)
            ++counts[static_cast<std::size_t>(run.phase)];
        for (std::size_t i = 0; i < counts.size(); ++i)
            gauges_[i].set(number(counts[i]));
    }

  private:
    std::vector<metrics::Gauge> gauges_;  // by RunPhase
};

// One figure of a run; none where it does not make sense.
using Figure = std::optional<double> (*)(const RunStats& run);

struct RunTable {
    const char* name;
    const char* help;
    Figure figure;
};

// A run that failed before this coordinator began has no counts.
template <std::uint64_t RunStats::*Member>
std::optional<double> counted(const RunStats& run) {
    if (run.total == 0) return std::nullopt;
    return number(run.*Member);
}

// Its log is gone, and the epochs in it, when a run was over before this coordinator began.
std::optional<double> epoch(const RunStats& run) {
    if (run.epoch == 0) return std::nullopt;
    return number(run.epoch);
}

std::optional<double> release_ready(const RunStats& run) {
    const auto verdict = verdict_of(run);
    if (!verdict) return std::nullopt;
    return *verdict ? 1 : 0;
}

std::optional<double> end_time(const RunStats& run) {
    if (!run.ended) return std::nullopt;
    return std::chrono::duration<double>(run.ended->time_since_epoch()).count();
}

constexpr std::array kRunTables{
    RunTable{"evalfleet_coordinator_run_trials", "Trials of the run", counted<&RunStats::total>},
    RunTable{"evalfleet_coordinator_run_trials_done", "Trials of the run that are in the log",
             counted<&RunStats::done>},
    RunTable{"evalfleet_coordinator_run_trials_passed", "Trials of the run that passed",
             counted<&RunStats::passed>},
    RunTable{"evalfleet_coordinator_run_trials_errored", "Trials of the run without scores",
             counted<&RunStats::errors>},
    RunTable{"evalfleet_coordinator_run_epoch", "How many coordinators have had the run", epoch},
    RunTable{"evalfleet_coordinator_run_model_versions",
             "Different model versions, or builds if more, that the provider reported",
             counted<&RunStats::model_versions>},
    RunTable{"evalfleet_coordinator_run_release_ready", "Verdict of a finished run", release_ready},
    RunTable{"evalfleet_coordinator_run_end_timestamp_seconds", "When a finished run ended",
             end_time},
};

std::vector<metrics::Row> rows_of(const Runs& shown, Figure figure) {
    std::vector<metrics::Row> rows;
    for (const RunStats& run : shown) {
        if (const auto value = figure(run))
            rows.push_back({{{"run", run.run_id}, {"name", run.name}}, *value});
    }
    return rows;
}

}  // namespace

void publish_fleet(metrics::Registry& registry, const runs::RunRegistry& runs,
                   const runs::PoolWatch& pool_watch, const FleetFiguresConfig& config) {
    // What the tables show: made once a scrape, before they are asked.
    const auto shown = std::make_shared<Runs>();
    registry.on_collect([&runs, &pool_watch, shown, queue = QueueFigures(registry, config),
                         pool = PoolFigures(registry), phases = PhaseFigures(registry)]() mutable {
        Runs all = runs.stats();
        queue.update(all, pool_watch.view().stats);
        pool.update(pool_watch.view());
        phases.update(all);
        Runs past = runs.past_stats();
        std::move(past.begin(), past.end(), std::back_inserter(all));
        *shown = pick_shown(std::move(all), kMostActive, kMostEnded);
    });
    for (const RunTable& table : kRunTables) {
        registry.table(table.name, table.help,
                       [shown, figure = table.figure] { return rows_of(*shown, figure); });
    }
}

}  // namespace evalfleet::coordinator
