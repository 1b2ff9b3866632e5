#pragma once

#include "tests/integration/worker/model_server.hpp"
#include "tests/support/coordinator_process.hpp"
#include "tests/support/process.hpp"
#include "tests/support/redaction/planted.hpp"
#include "tests/support/temporary_folder.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace evalfleet::testing {

/// A run of real processes in which every text that can come from outside holds something planted:
/// the data set (ids, tasks, contexts, references, types, tags), the prompt, the run's name, and
/// all that a provider says as model and as judge, errors included.
class PlantedRun {
  public:
    PlantedRun();

    /// Hands the run in and returns once the provider has been called; its calls are held.
    void begin();
    /// From now on the provider answers, while the coordinator collects nothing until `finish`.
    /// Returns once every trial has its result in Redis.
    void fill_redis();
    /// Lets the coordinator collect, and waits for the run's end.
    void finish();

    /// What stands in Redis now, all keys and values.
    [[nodiscard]] std::string dump_redis() const;

    [[nodiscard]] std::size_t sample_count() const noexcept { return planted_.size(); }
    /// Planted in the data set and in what the provider says.
    [[nodiscard]] const std::vector<Planted>& planted() const noexcept { return planted_; }
    /// Planted in the run file.
    [[nodiscard]] const std::vector<Planted>& in_prompt() const noexcept { return in_prompt_; }

    [[nodiscard]] const CoordinatorProcess& coordinator() const noexcept { return coordinator_; }
    [[nodiscard]] std::string worker_log() const { return worker_->output(); }
    [[nodiscard]] std::string worker_metrics() const;
    /// What `evalfleet submit --wait --report` printed.
    [[nodiscard]] std::string submit_output() const { return submit_->output(); }
    [[nodiscard]] const std::string& run_id() const noexcept { return run_id_; }
    [[nodiscard]] std::filesystem::path run_folder() const {
        return coordinator_.store() / "runs" / run_id_;
    }

  private:
    [[nodiscard]] worker::Action answer(const worker::SeenCall& call) const;
    [[nodiscard]] worker::Action answer_as_model(const std::string& text, std::size_t number,
                                                 std::size_t call) const;
    [[nodiscard]] worker::Action answer_as_judge(const std::string& text, std::size_t number) const;
    void write_dataset() const;
    void write_run_file() const;
    void start_worker();

    std::vector<Planted> planted_ = planted_corpus();
    std::vector<Planted> in_prompt_;
    TemporaryFolder folder_;
    CoordinatorProcess coordinator_{{"--log-level", "debug"}};
    worker::ModelServer server_{[this](const worker::SeenCall& call) { return answer(call); }};
    std::optional<Process> worker_;
    std::optional<Process> submit_;
    std::string run_id_;
};

}  // namespace evalfleet::testing
