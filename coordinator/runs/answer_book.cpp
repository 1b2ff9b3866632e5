#include "coordinator/runs/answer_book.hpp"

#include "common/async/heavy_pool.hpp"
#include "common/job/trial_index.hpp"
#include "common/json/document.hpp"

#include <limits>
#include <utility>

namespace evalfleet::runs {

Result<AnswerBook> AnswerBook::blocking_open(const std::filesystem::path& path,
                                             std::uint64_t repeats, std::uint64_t total,
                                             const std::stop_token& stop) {
    auto lines = runfile::Dataset::blocking_open(path);
    if (!lines) return lines.error();
    if (lines->size() >= std::numeric_limits<std::uint32_t>::max())
        return Error{ErrorKind::too_large, path.string() + ": has too many records"};
    AnswerBook book(std::move(*lines), total);
    json::Parser parser;
    for (std::size_t line = 0; line < book.lines_.size(); ++line) {
        async::throw_if_stopped(stop);
        const auto text = book.lines_.blocking_read_line(line);
        if (!text) return text.error();
        const auto record = parser.parse(*text);
        if (!record) return record.error().within(path.string());
        const auto sample_index = record->get<std::uint64_t>("sample_index");
        const auto repeat = record->get<std::uint64_t>("repeat");
        if (!sample_index || !repeat || *repeat < 1 || *repeat > repeats) continue;
        if (*sample_index >= total / repeats) continue;
        book.line_of_.set(job::TrialIndex{*sample_index, *repeat}.within(repeats),
                          static_cast<std::uint32_t>(line + 1));
    }
    return book;
}

bool AnswerBook::has(std::uint64_t index) const noexcept {
    return line_of_.get(index) != 0;
}

Result<std::string> AnswerBook::blocking_read(std::uint64_t index) const {
    if (!has(index))
        return Error{ErrorKind::not_found, "there is no record of trial " + std::to_string(index)};
    return lines_.blocking_read_line(line_of_.get(index) - 1);
}

std::string make_rejudge_payload(std::string_view sample, std::string_view record) {
    std::string payload = R"({"sample":)";
    payload.append(sample).append(R"(,"record":)").append(record).push_back('}');
    return payload;
}

}  // namespace evalfleet::runs
