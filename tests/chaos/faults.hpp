#pragma once

#include "tests/chaos/old_worker.hpp"
#include "tests/chaos/test_bed.hpp"

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace evalfleet::chaos {

/// One time that a fault is injected: what is drawn from, which worker is meant, and the runs of
/// the round, to which it may add.
struct Injection {
    std::mt19937& random;
    std::size_t worker = 0;
    std::vector<TestBed::Run>& runs;
    std::future<TestBed::Run> submission{};    ///< one that is under way from `inject` to `heal`
    std::unique_ptr<OldWorker> old_worker{};   ///< likewise
    std::function<Findings()> check_at_end{};  ///< what must hold besides, when all is over
};

/// Which calls may have to be made again, because they were in flight when it was injected.
enum class Exposure {
    none,
    one_worker,   ///< all that one worker had
    all_workers,  ///< all that workers had
    window,       ///< all that was out in Redis: it forgot, or came back from the past
    provider      ///< those on connections to the provider that were hit
};

/// A class of faults. `inject` makes it happen, `heal` ends it `hold` later. A new one is one more
/// entry in `all_faults`; everything else follows from here.
struct Fault {
    std::string name{};
    std::string group{};  ///< which test injects it
    std::function<void(TestBed&, Injection&)> inject{};
    std::function<void(TestBed&, Injection&)> heal{};
    std::chrono::milliseconds hold{0};
    Exposure exposure = Exposure::none;
};

[[nodiscard]] const std::vector<Fault>& all_faults();
[[nodiscard]] std::vector<const Fault*> faults_of(const std::string& group);

}  // namespace evalfleet::chaos
