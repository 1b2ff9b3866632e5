#include "common/runfile/prompt_check.hpp"

namespace evalfleet::runfile {

FaultList check_prompts(const RunFile& file, const Dataset& dataset) {
    FaultList faults;
    if (dataset.content().chats == dataset.size()) return faults;
    for (const Fault& fault : file.prompts_without_task)
        faults.add(fault);
    return faults;
}

}  // namespace evalfleet::runfile
