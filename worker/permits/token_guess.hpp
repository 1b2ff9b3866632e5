#pragma once

#include <cstddef>
#include <cstdint>

namespace evalfleet::worker {

/// How many tokens a call will take, before it is made: the prompt by its length, and the answer by
/// what answers were like so far. Until a few were seen the answer is taken to be as long as it may
/// be; then a little longer than nearly all were, so that little is set aside for nothing and
/// little has to be corrected upwards.
///
/// Pure; for one thread at a time.
class TokenGuess {
  public:
    /// `prompt_bytes`: of the request. `max_output`: what the answer may take at most.
    [[nodiscard]] std::int64_t guess(std::size_t prompt_bytes, std::int64_t max_output) const;

    /// An answer took so many.
    void learn(std::int64_t output_tokens);

  private:
    static constexpr std::uint64_t kEnough = 10;
    static constexpr double kMemory = 0.05;  // weight of the latest answer

    std::uint64_t seen_ = 0;
    double mean_ = 0;
    double spread_ = 0;  // mean distance from the mean
};

}  // namespace evalfleet::worker
