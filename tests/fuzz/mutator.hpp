#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace evalfleet::fuzz {

/// Makes new inputs out of known ones. The same seed and corpus give the same inputs, so a failure
/// is repeated by repeating the run.
class Mutator {
  public:
    Mutator(std::vector<std::string> corpus, std::uint64_t seed);

    /// The next input: one of the corpus, changed in a few places.
    [[nodiscard]] std::string next();

  private:
    void mutate(std::string& text);
    std::size_t below(std::size_t bound);

    std::vector<std::string> corpus_;
    std::mt19937_64 random_;
};

}  // namespace evalfleet::fuzz
