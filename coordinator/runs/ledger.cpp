#include "coordinator/runs/ledger.hpp"

#include <stdexcept>

namespace evalfleet::runs {

bool Ledger::mark(std::uint64_t index, std::uint64_t offset) {
    if (!is_offset(offset))
        throw std::logic_error("a record cannot stand at the beginning of the log");
    if (!is_open(index)) return false;
    places_.set(index, offset);
    ++done_;
    return true;
}

bool Ledger::reopen(std::uint64_t index) {
    if (!is_done(index)) return false;
    places_.set(index, kOpen);
    --done_;
    return true;
}

bool Ledger::exclude(std::uint64_t index) {
    if (!is_open(index)) return false;
    places_.set(index, kExcluded);
    ++excluded_;
    return true;
}

void Ledger::exclude_open() {
    // Those that were opened again would be open in spite of it.
    const auto is_opened_again = [](std::uint64_t place) { return place == kOpen; };
    for (auto index = places_.next(0, is_opened_again, false); index;
         index = places_.next(*index + 1, is_opened_again, false))
        places_.set(*index, kExcluded);
    is_rest_excluded_ = true;
    excluded_ = total() - done_;
}

bool Ledger::admit(std::uint64_t index) {
    if (index >= total() || is_open(index) || is_done(index)) return false;
    places_.set(index, kOpen);
    --excluded_;
    return true;
}

bool Ledger::is_done(std::uint64_t index) const noexcept {
    return is_offset(places_.get(index));
}

std::optional<std::uint64_t> Ledger::offset(std::uint64_t index) const noexcept {
    const std::uint64_t place = places_.get(index);
    if (!is_offset(place)) return std::nullopt;
    return place;
}

std::optional<std::uint64_t> Ledger::next_open(std::uint64_t from) const noexcept {
    return places_.next(
        from, [this](std::uint64_t place) { return is_open_place(place); }, !is_rest_excluded_);
}

std::optional<std::uint64_t> Ledger::next_done(std::uint64_t from) const noexcept {
    return places_.next(from, is_offset, false);
}

}  // namespace evalfleet::runs
