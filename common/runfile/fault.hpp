#pragma once

#include "common/result/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::runfile {

/// One thing that is wrong with a file that a person wrote: where it stands, what was found there
/// and what is allowed.
struct Fault {
    std::string file;
    std::size_t line = 0;    ///< from 1; 0: the file as a whole
    std::size_t column = 0;  ///< from 1; 0: the whole line
    std::string field;       ///< `limits.timeout_ms`; empty: none in particular
    std::string message;

    /// "run.yaml:12:15: limits.timeout_ms: expected ..., found ..."
    [[nodiscard]] std::string text() const;
    bool operator==(const Fault&) const = default;
};

/// Everything that is wrong, in the order of the files. At most `max_kept` faults are kept, the
/// rest is counted: a dataset of the wrong kind has one in each line.
class FaultList {
  public:
    static constexpr std::size_t kDefaultKept = 20;

    explicit FaultList(std::size_t max_kept = kDefaultKept) : max_kept_(max_kept) {}

    void add(Fault fault);
    void add(const FaultList& others);

    [[nodiscard]] bool empty() const noexcept { return total_ == 0; }
    [[nodiscard]] std::size_t total() const noexcept { return total_; }
    [[nodiscard]] const std::vector<Fault>& kept() const noexcept { return kept_; }

    /// One fault a line, then how many more there are; without a line feed at the end.
    [[nodiscard]] std::string text() const;
    /// The same as one error of kind `invalid`; success if there is no fault.
    [[nodiscard]] Status status() const;

  private:
    std::size_t max_kept_;
    std::size_t total_ = 0;
    std::vector<Fault> kept_;
};

}  // namespace evalfleet::runfile
