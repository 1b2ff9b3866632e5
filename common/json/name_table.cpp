#include "common/json/name_table.hpp"

#include <cstring>
#include <stdexcept>
#include <string>

namespace evalfleet::json {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);

std::uint64_t load(const char* from) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, from, kWord);
    return word;
}

}  // namespace

NameTable::Ends NameTable::Ends::of(std::string_view name) noexcept {
    Ends ends{load(name.data()), 0, name.size()};
    if (name.size() >= kWord) {
        ends.tail = load(name.data() + name.size() - kWord);
    } else {
        ends.head &= (std::uint64_t{1} << (8 * name.size())) - 1;
    }
    return ends;
}

std::size_t NameTable::Ends::slot() const noexcept {
    const std::uint64_t mixed = (head * 0x9E3779B97F4A7C15) ^ (tail * 0xC2B2AE3D27D4EB4F) ^ size;
    return (mixed * 0xFF51AFD7ED558CCD) >> (64 - kBits);
}

NameTable::NameTable(std::span<const std::string_view> names) : names_(names.begin(), names.end()) {
    if (names.size() > kMostNames) throw std::logic_error("NameTable: too many names");
    for (const std::string_view name : names_) {
        std::string padded(name);
        padded.resize(name.size() + kWord);
        ends_.push_back(Ends::of(std::string_view(padded).substr(0, name.size())));
    }
    for (std::size_t i = 0; i < names_.size(); ++i) {
        std::size_t slot = ends_[i].slot();
        while (slots_[slot] != 0) {
            slot = (slot + 1) % slots_.size();
        }
        slots_[slot] = static_cast<std::uint8_t>(i + 1);
    }
}

std::size_t NameTable::find(std::string_view name) const noexcept {
    const Ends ends = Ends::of(name);
    for (std::size_t slot = ends.slot(); slots_[slot] != 0; slot = (slot + 1) % slots_.size()) {
        const std::size_t i = slots_[slot] - std::size_t{1};
        if (ends_[i] == ends && names_[i] == name) return i;
    }
    return names_.size();
}

}  // namespace evalfleet::json
