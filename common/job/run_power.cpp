#include "common/job/run_power.hpp"

#include "common/json/writer.hpp"

#include <array>
#include <string>

namespace evalfleet::job {
namespace {

struct NamedPower {
    const char* name;
    statistics::PowerFigures RunPower::*figures;
};
constexpr std::array kPowers{NamedPower{"aggregate_score", &RunPower::aggregate_score},
                             NamedPower{"rubric_pass_rate", &RunPower::rubric_pass_rate},
                             NamedPower{"spec_pass_rate", &RunPower::spec_pass_rate}};

}  // namespace

void write_power(json::Writer& writer, const RunPower& power) {
    for (const NamedPower& one : kPowers)
        writer.member(std::string(one.name) + "_minimum_detectable_difference",
                      (power.*one.figures).detectable);
    writer.key("power").begin_object();
    for (const NamedPower& one : kPowers) {
        const statistics::PowerFigures& figures = power.*one.figures;
        writer.key(one.name).begin_object();
        writer.member("unpaired_detectable_difference", figures.detectable);
        writer.member("with_twice_the_samples", figures.with_twice_the_samples);
        writer.member("with_twice_the_repeats", figures.with_twice_the_repeats);
        writer.member("between_sample_variance", figures.between_variance);
        writer.member("within_sample_variance", figures.within_variance);
        writer.end_object();
    }
    writer.end_object();
}

}  // namespace evalfleet::job
