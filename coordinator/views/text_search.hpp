#pragma once

#include "coordinator/records/folded_search.hpp"

#include <string_view>

namespace evalfleet::views {

/// What somebody searches the texts of records and samples for. Most lines of a run are told to
/// have nothing of it by their bytes alone, without being read as JSON. Immutable. Pure.
class TextSearch {
  public:
    explicit TextSearch(std::string_view needle);

    [[nodiscard]] bool empty() const noexcept { return search_.empty(); }

    [[nodiscard]] bool is_in(std::string_view text) const noexcept { return search_.is_in(text); }

    /// False only if no text of this JSON has it, as it stands there or redacted.
    [[nodiscard]] bool may_be_in_json(std::string_view json) const noexcept;

  private:
    records::FoldedSearch search_;
    bool stands_as_it_is_;  // in JSON that escapes nothing but what it must
};

}  // namespace evalfleet::views
