#include "common/runfile/fault.hpp"

#include <fmt/format.h>

#include <utility>

namespace evalfleet::runfile {

std::string Fault::text() const {
    std::string out = file;
    if (line != 0) out += fmt::format(":{}", line);
    if (line != 0 && column != 0) out += fmt::format(":{}", column);
    if (!field.empty()) out += ": " + field;
    return out + ": " + message;
}

void FaultList::add(Fault fault) {
    ++total_;
    if (kept_.size() < max_kept_) kept_.push_back(std::move(fault));
}

void FaultList::add(const FaultList& others) {
    for (const Fault& fault : others.kept_)
        add(fault);
    total_ += others.total_ - others.kept_.size();
}

std::string FaultList::text() const {
    std::string out;
    for (const Fault& fault : kept_)
        out += (out.empty() ? "" : "\n") + fault.text();
    if (total_ > kept_.size()) out += fmt::format("\nand {} more", total_ - kept_.size());
    return out;
}

Status FaultList::status() const {
    if (empty()) return {};
    return Error{ErrorKind::invalid, text()};
}

}  // namespace evalfleet::runfile
