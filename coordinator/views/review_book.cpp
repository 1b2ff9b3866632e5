#include "coordinator/views/review_book.hpp"

#include "common/files/file.hpp"
#include "common/json/document.hpp"
#include "common/scoring/manual_label.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <system_error>
#include <utility>

namespace evalfleet::views {

namespace fs = std::filesystem;

namespace {

Error wrong(std::string field, std::string message) {
    return Error{ErrorKind::invalid, std::move(field) + ": " + std::move(message)};
}

Result<std::optional<int>> read_score(json::Value body, std::string_view name) {
    const auto score = body.optional<std::int64_t>(name);
    if (!score) return wrong(std::string(name), "allowed: 0, 1, 2");
    if (!*score) return std::optional<int>();
    if (**score < 0 || **score > 2) return wrong(std::string(name), "allowed: 0, 1, 2");
    return std::optional<int>(static_cast<int>(**score));
}

std::uint32_t number_of(json::Value value, std::string_view name, std::uint32_t fallback) {
    const auto number = value.get_or<std::uint64_t>(name, fallback);
    return number && *number <= 0xFFFF'FFFF ? static_cast<std::uint32_t>(*number) : fallback;
}

std::string text_of(json::Value value, std::string_view name) {
    const auto text = value.get_or<std::string>(name, "");
    return text ? *text : std::string();
}

std::optional<int> score_of(json::Value value, std::string_view name) {
    const auto score = read_score(value, name);
    return score ? *score : std::nullopt;
}

Review read_stored(json::Value line) {
    Review review;
    review.at = text_of(line, "at");
    review.by = text_of(line, "by");
    review.sample_index = number_of(line, "sample_index", 0);
    review.repeat = number_of(line, "repeat", 1);
    review.sample_id = text_of(line, "sample_id");
    const auto agrees = line.get_or<bool>("agree", true);
    review.agrees = !agrees || *agrees;
    review.accuracy = score_of(line, "accuracy");
    review.faithfulness = score_of(line, "faithfulness");
    review.judge_accuracy = score_of(line, "judge_accuracy");
    review.judge_faithfulness = score_of(line, "judge_faithfulness");
    review.comment = text_of(line, "comment");
    return review;
}

using Score = std::optional<int> Review::*;

statistics::Confusion confusion_of(const std::vector<Review>& reviews, Score judge, Score person) {
    statistics::Confusion confusion{};
    for (const Review& review : reviews)
        if (review.*judge && review.*person)
            ++confusion[static_cast<std::size_t>(*(review.*judge))]
                       [static_cast<std::size_t>(*(review.*person))];
    return confusion;
}

void write_agreement(json::Writer& writer, const statistics::Confusion& confusion) {
    const statistics::Kappa kappa = statistics::cohen_kappa(confusion);
    writer.begin_object()
        .member("count", kappa.count)
        .member("observed", kappa.observed)
        .member("kappa", kappa.value)
        .member("kappa_ci95_lower", kappa.ci95 ? std::optional(kappa.ci95->lower) : std::nullopt)
        .member("kappa_ci95_upper", kappa.ci95 ? std::optional(kappa.ci95->upper) : std::nullopt)
        .key("confusion")
        .begin_array();
    for (const auto& row : confusion) {
        writer.begin_array();
        for (const std::uint64_t count : row)
            writer.value(count);
        writer.end_array();
    }
    writer.end_array().end_object();
}

}  // namespace

Result<Review> read_review(json::Value body) {
    constexpr std::array<std::string_view, 6> kNames{"sample_index", "repeat",       "agree",
                                                     "accuracy",     "faithfulness", "comment"};
    const auto members = body.as_object();
    if (!members) return wrong("body", "allowed: a JSON object");
    for (const auto& [name, value] : *members)
        if (std::find(kNames.begin(), kNames.end(), name) == kNames.end())
            return wrong(std::string(name.substr(0, 64)), "there is no such field");
    Review review;
    const auto index = body.get<std::uint64_t>("sample_index");
    if (!index || *index > 0xFFFF'FFFF) return wrong("sample_index", "allowed: a number from 0");
    review.sample_index = static_cast<std::uint32_t>(*index);
    const auto repeat = body.get_or<std::uint64_t>("repeat", 1);
    if (!repeat || *repeat < 1 || *repeat > 0xFFFF'FFFF)
        return wrong("repeat", "allowed: a number from 1");
    review.repeat = static_cast<std::uint32_t>(*repeat);
    const auto agrees = body.get<bool>("agree");
    if (!agrees) return wrong("agree", "allowed: true, false");
    review.agrees = *agrees;
    const auto accuracy = read_score(body, "accuracy");
    if (!accuracy) return accuracy.error();
    const auto faithfulness = read_score(body, "faithfulness");
    if (!faithfulness) return faithfulness.error();
    review.accuracy = *accuracy;
    review.faithfulness = *faithfulness;
    if (!review.agrees && !review.accuracy && !review.faithfulness)
        return wrong("accuracy", "who does not agree gives at least one score: 0, 1, 2");
    const auto comment = body.optional<std::string>("comment");
    if (!comment) return wrong("comment", "allowed: a text");
    review.comment = comment->value_or("");
    if (review.comment.size() > kMaxCommentBytes)
        return wrong("comment", "allowed: at most 4096 bytes");
    return review;
}

void write(json::Writer& writer, const Review& review) {
    writer.begin_object()
        .member("at", review.at)
        .member("by", review.by)
        .member("sample_index", review.sample_index)
        .member("repeat", review.repeat)
        .member("sample_id", review.sample_id)
        .member("agree", review.agrees)
        .member("accuracy", review.accuracy)
        .member("faithfulness", review.faithfulness)
        .member("judge_accuracy", review.judge_accuracy)
        .member("judge_faithfulness", review.judge_faithfulness)
        .member("comment", review.comment)
        .end_object();
}

Result<std::vector<Review>> blocking_read_reviews(const fs::path& file) {
    std::vector<Review> reviews;
    const auto text = files::blocking_read_file(file, kMaxReviewFileBytes);
    if (!text) {
        if (text.error().kind == ErrorKind::not_found) return reviews;
        return text.error();
    }
    for (std::size_t at = 0; at < text->size();) {
        const auto end = std::min(text->find('\n', at), text->size());
        // A line that a crash cut short says nothing.
        const auto line = json::Document::parse(std::string_view(*text).substr(at, end - at));
        if (line && line->root().is_object()) reviews.push_back(read_stored(line->root()));
        at = end + 1;
    }
    return reviews;
}

Status blocking_append_review(const fs::path& file, const Review& review) {
    std::error_code code;
    const auto size = fs::file_size(file, code);
    if (!code && size + 2 * kMaxCommentBytes > kMaxReviewFileBytes)
        return Error{ErrorKind::too_large, "the run has too many reviews"};
    // Whatever a crash left before it, it is a line of its own; empty ones are skipped.
    std::string line = "\n";
    json::Writer writer(line);
    write(writer, review);
    line += '\n';
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
                                  S_IRUSR | S_IWUSR | S_IRGRP);
    if (descriptor < 0) return files::last_system_error("cannot be written", file);
    const ssize_t written = ::write(descriptor, line.data(), line.size());
    const bool is_kept = written == static_cast<ssize_t>(line.size()) && ::fsync(descriptor) == 0;
    Status outcome;
    if (!is_kept) outcome = files::last_system_error("cannot be written", file);
    ::close(descriptor);
    return outcome;
}

std::vector<Review> latest(const std::vector<Review>& reviews) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, const Review*> last;
    for (const Review& review : reviews)
        last[{review.sample_index, review.repeat}] = &review;
    std::vector<Review> kept;
    for (const auto& [key, review] : last)
        kept.push_back(*review);
    return kept;
}

std::string reviews_json(const std::vector<Review>& reviews) {
    const std::vector<Review> last = latest(reviews);
    std::string text;
    json::Writer writer(text);
    writer.begin_object().key("labels").begin_array();
    for (const Review& review : reviews)
        write(writer, review);
    writer.end_array().member("trials_reviewed", last.size());
    writer.key("agreement").begin_object().key("accuracy");
    write_agreement(writer, confusion_of(last, &Review::judge_accuracy, &Review::accuracy));
    writer.key("faithfulness");
    write_agreement(writer, confusion_of(last, &Review::judge_faithfulness, &Review::faithfulness));
    writer.end_object().end_object();
    return text;
}

std::string labels_file(const std::vector<Review>& reviews) {
    std::string text;
    for (const Review& review : latest(reviews)) {
        if (!review.accuracy || !review.faithfulness || review.sample_id.empty()) continue;
        scoring::ManualLabel label;
        label.sample_id = review.sample_id;
        label.repeat = review.repeat;
        label.correctness_score = review.accuracy;
        label.faithfulness_score = review.faithfulness;
        if (!review.comment.empty()) label.rationale = review.comment;
        json::Writer writer(text);
        scoring::write(writer, label);
        text += '\n';
    }
    return text;
}

}  // namespace evalfleet::views
