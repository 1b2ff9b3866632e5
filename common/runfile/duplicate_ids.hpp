#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace evalfleet::runfile {

/// Finds samples that share an id without keeping the ids: eight bytes a sample while adding, as
/// many again while looking. Equal hashes are only a suspicion; whoever asks compares the ids.
class DuplicateIds {
  public:
    void reserve(std::size_t samples) { hashes_.reserve(samples); }

    /// The id of the next sample.
    void add(std::string_view id);
    /// The next line has no sample, and so no id; it still counts.
    void add_none();

    /// The indices, ascending, of samples whose id may occur more than once; at most `max`.
    [[nodiscard]] std::vector<std::size_t> suspects(std::size_t max) const;

  private:
    std::vector<std::uint64_t> hashes_;
};

}  // namespace evalfleet::runfile
