#pragma once

#include "common/job/vocabulary.hpp"

#include <cstdint>

/// The files of this folder hold a failure label and a kind of error as its position among its
/// names. They are made from the records, and made anew where they are not understood.
namespace evalfleet::records {

namespace detail {

template <class Enum>
constexpr std::uint64_t hash_names(std::uint64_t hash) {
    for (const std::string_view name : job::Names<Enum>::values) {
        for (const char c : name)
            hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
        hash = (hash ^ '\n') * 0x100000001b3;
    }
    return hash;
}

}  // namespace detail

static_assert(detail::hash_names<job::CallError>(
                  detail::hash_names<job::FailureLabel>(0xcbf29ce484222325)) == 0x1b2ebb7b6ff2766e,
              "positions are stored: give the files of RecordIndex and TrialTableFile a new magic, "
              "so that none of before is read, and write the new hash here");

}  // namespace evalfleet::records
