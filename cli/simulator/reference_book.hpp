#pragma once

#include "common/result/result.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace evalfleet::simulator {

/// Knows the right answers of a dataset. A prompt template puts a task somewhere in a prompt, so
/// the task is looked for in it, in one pass, by the last bytes of every task that is known.
class ReferenceBook {
  public:
    /// Reads a dataset; samples without a reference answer are skipped. Errors name file and line.
    [[nodiscard]] static Result<ReferenceBook> blocking_read(const std::filesystem::path& dataset);

    void add(std::string task, std::string reference_answer);

    /// The reference answer to the longest known task in `prompt`; valid until the next `add`.
    [[nodiscard]] std::optional<std::string_view> find(std::string_view prompt) const;

    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

  private:
    struct Entry {
        std::string task;
        std::string reference_answer;
    };

    static constexpr std::size_t kEndBytes = 12;

    std::vector<Entry> entries_;
    std::unordered_multimap<std::uint64_t, std::size_t> by_end_;  ///< hash of a task's last bytes
    std::vector<std::size_t> short_ones_;  ///< tasks of fewer bytes than kEndBytes
    std::vector<bool> ends_ = std::vector<bool>(kFilterBits);  ///< most places are ruled out here

    static constexpr std::size_t kFilterBits = std::size_t{1} << 20;
};

}  // namespace evalfleet::simulator
