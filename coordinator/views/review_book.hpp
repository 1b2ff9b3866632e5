#pragma once

#include "common/json/value.hpp"
#include "common/json/writer.hpp"
#include "common/result/result.hpp"
#include "common/statistics/kappa.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::views {

/// What a person says of a judged trial.
struct Review {
    std::string at;  ///< ISO 8601
    std::string by;
    std::uint32_t sample_index = 0;
    std::uint32_t repeat = 1;
    std::string sample_id;
    bool agrees = true;
    std::optional<int> accuracy{};  ///< the person's; those of the judge where he agrees
    std::optional<int> faithfulness{};
    std::optional<int> judge_accuracy{};
    std::optional<int> judge_faithfulness{};
    std::string comment;
};

inline constexpr std::size_t kMaxCommentBytes = 4096;
inline constexpr std::uint64_t kMaxReviewFileBytes = std::uint64_t{64} * 1024 * 1024;

/// What a caller sent: `sample_index`, `repeat`, `agree`, `accuracy`, `faithfulness`, `comment`.
/// `invalid` names the field. Pure.
[[nodiscard]] Result<Review> read_review(json::Value body);

void write(json::Writer& writer, const Review& review);

/// The reviews of a run's folder, `reviews.jsonl`: only ever appended to. Blocks.
[[nodiscard]] Result<std::vector<Review>> blocking_read_reviews(const std::filesystem::path& file);
/// `too_large` if there are too many.
[[nodiscard]] Status blocking_append_review(const std::filesystem::path& file,
                                            const Review& review);

/// Of each trial the review that came last. Pure.
[[nodiscard]] std::vector<Review> latest(const std::vector<Review>& reviews);

/// `{"labels": [...], "agreement": {...}}`: how judge and people agree on what they both scored.
[[nodiscard]] std::string reviews_json(const std::vector<Review>& reviews);

/// A file of manual labels, as `derive --labels` takes it: one line a trial that has both scores.
[[nodiscard]] std::string labels_file(const std::vector<Review>& reviews);

}  // namespace evalfleet::views
