#include "coordinator/runs/ledger.hpp"

#include <stdexcept>

namespace evalfleet::runs {

Ledger::Ledger(std::uint64_t total) : offsets_(total) {}

bool Ledger::mark(std::uint64_t index, std::uint64_t offset) {
    if (offset == 0) throw std::logic_error("a record cannot stand at the beginning of the log");
    if (index >= total() || offsets_[index] != 0) return false;
    offsets_[index] = offset;
    ++done_;
    return true;
}

bool Ledger::reopen(std::uint64_t index) {
    if (!is_done(index)) return false;
    offsets_[index] = 0;
    --done_;
    return true;
}

bool Ledger::exclude(std::uint64_t index) {
    if (index >= total() || offsets_[index] != 0) return false;
    offsets_[index] = kExcluded;
    ++excluded_;
    return true;
}

void Ledger::exclude_open() {
    for (auto index = next_open(0); index; index = next_open(*index + 1))
        exclude(*index);
}

bool Ledger::is_done(std::uint64_t index) const noexcept {
    return index < total() && offsets_[index] != 0 && offsets_[index] != kExcluded;
}

std::optional<std::uint64_t> Ledger::offset(std::uint64_t index) const noexcept {
    if (!is_done(index)) return std::nullopt;
    return offsets_[index];
}

std::optional<std::uint64_t> Ledger::next_open(std::uint64_t from) const noexcept {
    for (std::uint64_t index = from; index < total(); ++index)
        if (offsets_[index] == 0) return index;
    return std::nullopt;
}

}  // namespace evalfleet::runs
