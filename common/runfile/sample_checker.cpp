#include "common/runfile/sample_checker.hpp"

#include "common/json/escape.hpp"
#include "common/scoring/format_checker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>

namespace evalfleet::runfile {

namespace {

using namespace std::string_view_literals;

constexpr std::array kMemberNames{"id"sv,      "task"sv,      "messages"sv, "reference_answer"sv,
                                  "context"sv, "task_type"sv, "tags"sv,     "expected_format"sv};

/// Datasets have few different formats; those beyond are compiled each time they occur.
constexpr std::size_t kMaxRememberedFormats = 4096;

bool is_blank(std::string_view line) {
    return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

/// A JSON reader tells "line 1, column 14: ..." of the only line it sees.
std::optional<std::size_t> take_column(std::string_view& error) {
    constexpr std::string_view kPlace = "line 1, column ";
    if (!error.starts_with(kPlace)) return std::nullopt;
    std::size_t column = 0;
    const std::string_view digits = error.substr(kPlace.size());
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), column);
    error.remove_prefix(static_cast<std::size_t>(read.ptr - error.data()));
    if (error.starts_with(": ")) error.remove_prefix(2);
    return column;
}

/// The path in front of an error; empty if it is about the sample as a whole.
std::string_view take_field(std::string_view& error) {
    const auto end = error.find(": ");
    if (end == std::string_view::npos) return {};
    const std::string_view path = error.substr(0, end);
    const std::string_view name = path.substr(0, path.find_first_of(".["));
    if (std::find(kMemberNames.begin(), kMemberNames.end(), name) == kMemberNames.end()) return {};
    error.remove_prefix(end + 2);
    return path;
}

}  // namespace

SampleChecker::SampleChecker(std::string file, std::size_t max_line_bytes)
    : file_(std::move(file)), parser_(json::Limits{.max_bytes = max_line_bytes}) {}

Fault SampleChecker::fault(std::size_t line, std::string_view error) const {
    Fault fault{file_, line, 0, "", ""};
    fault.column = take_column(error).value_or(0);
    fault.field = take_field(error);
    fault.message = error;
    return fault;
}

boost::system::result<job::Sample, Fault> SampleChecker::check(std::string_view line,
                                                               std::size_t number) {
    if (is_blank(line)) {
        return fault(number,
                     "found an empty line, allowed: one sample a line, since lines number "
                     "the samples");
    }
    if (number == 1 && line.starts_with('[')) {
        return fault(number,
                     "found the beginning of a list, allowed: JSON Lines, which is one object a "
                     "line, without brackets around or commas behind them");
    }
    const auto value = parser_.parse(line);
    if (!value) {
        if (number == 1 && (line.starts_with("\xFF\xFE") || line.starts_with("\xFE\xFF"))) {
            return fault(number, "found UTF-16, allowed: UTF-8");
        }
        return fault(number, value.error().message);
    }
    auto sample = job::read_sample(*value, number);
    if (!sample) return fault(number, sample.error().message);
    if (sample->expected_format) {
        const auto wrong = format_fault(*sample->expected_format);
        if (wrong) return Fault{file_, number, 0, "expected_format", *wrong};
    }
    if (!has_room_for_tags(*sample)) {
        return Fault{file_, number, 0, "tags",
                     fmt::format("found more than {} different combinations of task type and tags; "
                                 "they are meant to group samples",
                                 job::kMostTagCombinations)};
    }
    count(*sample, number);
    count_unknown(*value, number);
    return std::move(*sample);
}

std::optional<std::string> SampleChecker::format_fault(const job::ExpectedFormat& format) {
    const auto kind = static_cast<std::uint64_t>(format.kind);
    const std::uint64_t hash = std::hash<std::string>{}(format.text) * 3 + kind;
    if (good_formats_.contains(hash)) return std::nullopt;
    const auto compiled = scoring::FormatChecker::compile(format);
    if (!compiled) return compiled.error().message;
    if (good_formats_.size() < kMaxRememberedFormats) good_formats_.insert(hash);
    return std::nullopt;
}

bool SampleChecker::has_room_for_tags(const job::Sample& sample) {
    constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;
    std::uint64_t hash = std::hash<std::string>{}(sample.task_type);
    for (const auto& [key, value] : sample.tags) {
        hash = hash * kFactor + std::hash<std::string>{}(key);
        hash = hash * kFactor + std::hash<std::string>{}(value);
    }
    tag_combinations_.insert(hash);
    return tag_combinations_.size() <= job::kMostTagCombinations;
}

void SampleChecker::count_chat(const job::Sample& sample, std::size_t line) {
    ++content_.chats;
    // A last turn of the assistant's is the reference, or belongs to the answer.
    const std::size_t turns = sample.messages.size() - (job::ends_in_assistant(sample) ? 1 : 0);
    content_.long_chats += turns > 1 ? 1 : 0;
    if (job::has_images(sample) && ++content_.with_images == 1) content_.first_with_images = line;
    content_.image_files += job::has_image_files(sample) ? 1 : 0;
    if (!job::ends_in_assistant(sample)) return;
    if (++content_.assistant_ends == 1) content_.first_assistant_end = line;
    job::Sample settled = sample;
    if (content_.first_without_reference == 0 && !job::take_reference(settled))
        content_.first_without_reference = line;
}

void SampleChecker::count(const job::Sample& sample, std::size_t line) {
    content_.with_reference += sample.reference_answer.has_value() ? 1 : 0;
    content_.with_context += sample.context.has_value() ? 1 : 0;
    content_.with_format += sample.expected_format.has_value() ? 1 : 0;
    if (!sample.messages.empty()) count_chat(sample, line);
    auto& types = content_.task_types;
    if (const auto known = types.find(sample.task_type); known != types.end()) {
        ++known->second;
    } else if (types.size() < DatasetContent::kMaxNames) {
        types.emplace(sample.task_type, 1);
    }
}

void SampleChecker::count_unknown(json::Value sample, std::size_t line) {
    for (const auto [key, member] : *sample.as_object()) {
        if (std::find(kMemberNames.begin(), kMemberNames.end(), key) != kMemberNames.end())
            continue;
        auto& unknown = content_.unknown_members;
        const auto known = unknown.find(key);
        if (known != unknown.end()) {
            ++known->second.count;
        } else if (unknown.size() < DatasetContent::kMaxNames) {
            unknown.emplace(std::string(key), DatasetContent::Unknown{1, line});
        }
    }
}

void throw_exception_from_error(const Fault& fault, const boost::source_location&) {
    throw BadResultAccess(Error{ErrorKind::invalid, fault.text()});
}

}  // namespace evalfleet::runfile
