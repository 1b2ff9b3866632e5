#include "common/json/token_finder.hpp"

#include <simdjson.h>

#include <algorithm>
#include <new>

namespace evalfleet::json {
namespace {

constexpr std::size_t kLeastCapacity = 4096;
constexpr std::size_t kDepth = 1;  // only the second stage nests

}  // namespace

TokenFinder::TokenFinder() {
    grow(kLeastCapacity);
}

TokenFinder::~TokenFinder() = default;

std::span<const std::uint32_t> TokenFinder::find(std::string_view line) {
    if (line.size() > capacity_) grow(std::max(line.size(), 2 * capacity_));
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(line.data());
    const auto fault = stages_->stage1(bytes, line.size(), simdjson::stage1_mode::regular);
    if (fault != simdjson::SUCCESS) return {};
    return {stages_->structural_indexes.get(), stages_->n_structural_indexes};
}

void TokenFinder::grow(std::size_t wanted) {
    const auto fault = simdjson::get_active_implementation()->create_dom_parser_implementation(
        wanted, kDepth, stages_);
    if (fault != simdjson::SUCCESS) throw std::bad_alloc();
    capacity_ = wanted;
}

}  // namespace evalfleet::json
