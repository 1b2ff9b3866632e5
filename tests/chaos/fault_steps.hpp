#pragma once

#include "tests/chaos/faults.hpp"

#include <functional>
#include <string>
#include <vector>

/// What several faults are made of, and those that have files of their own.
namespace evalfleet::chaos {

/// Waits until it is true. Throws with `what` if it takes longer than a minute.
void await_step(const std::string& what, const std::function<bool()>& condition);
void await_over(TestBed& test_bed, const TestBed::Run& run);
/// Sends the signal and waits for the end.
void end_with(testing::Process& process, int signal);

/// Programs of two versions side by side.
void add_upgrades(std::vector<Fault>& faults);
/// Redis comes back with a run that has ended meanwhile.
void add_revivals(std::vector<Fault>& faults);

}  // namespace evalfleet::chaos
