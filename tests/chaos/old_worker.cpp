#include "tests/chaos/old_worker.hpp"

#include "common/job/trial_record_json.hpp"
#include "common/queue/decode.hpp"
#include "common/scoring/derive.hpp"
#include "tests/chaos/test_bed.hpp"
#include "tests/support/redis_commander.hpp"

#include <chrono>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace evalfleet::chaos {

namespace {

constexpr const char* kPool = "ef:{main}";
constexpr const char* kName = "old";
constexpr const char* kLeaseMs = "2000";
constexpr std::size_t kAtOnce = 2;

std::string record_of(const queue::JobRef& job) {
    job::TrialRecord record;
    record.run_id = job.run;
    record.sample_index = static_cast<std::int64_t>(job.index / TestBed::kRepeats);
    record.repeat = static_cast<std::int64_t>(job.index % TestBed::kRepeats) + 1;
    record.answer = "an answer";
    record.latency_e2e_ms = 100;
    record.input_tokens = 10;
    record.output_tokens = 10;
    record.correctness_score = 2;
    record.faithfulness_score = 2;
    record.hallucination_score = 0;
    scoring::derive(record, {});
    return job::to_json(record);
}

}  // namespace

std::string OldWorker::library() {
    std::ifstream file(EVALFLEET_TEST_DATA_DIR "/integration/queue/functions_4.lua");
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

OldWorker::OldWorker(std::string redis_url)
    : redis_url_(std::move(redis_url)), thread_([this] { work(); }) {}

OldWorker::~OldWorker() {
    goes_ = true;
    thread_.join();
}

void OldWorker::work() {
    while (!goes_) {
        try {
            const queue::Taken taken = take();
            for (const queue::TakenJob& job : taken.jobs)
                if (!goes_) deliver(job);
        } catch (const std::exception&) {
            // The functions are being replaced, or somebody else has the job by now.
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    try {
        (void)take();
    } catch (const std::exception&) {
        // Then it goes with empty hands.
    }
}

queue::Taken OldWorker::take() {
    const redis::Command take("FCALL", "ef1_take", 1, kPool, kName, kAtOnce, kLeaseMs, "sim");
    return queue::decode_taken(testing::blocking_command(redis_url_, take)).value();
}

void OldWorker::deliver(const queue::TakenJob& job) {
    const queue::JobRef& ref = job.ref;
    const redis::Command beat("FCALL", "ef1_beat", 1, kPool, kName, kLeaseMs, ref.run, ref.index,
                              ref.attempt);
    const auto beats = queue::decode_beats(testing::blocking_command(redis_url_, beat), 1).value();
    if (beats.front() != queue::Beat::held) return;
    const redis::Command done("FCALL", "ef1_done", 1, kPool, ref.run, ref.index, ref.attempt,
                              record_of(ref), 0, 0);
    if (testing::blocking_command(redis_url_, done).text() == "OK") ++delivered_;
}

}  // namespace evalfleet::chaos
