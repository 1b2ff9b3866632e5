#include "coordinator/views/trial_page.hpp"

#include "common/json/document.hpp"
#include "common/json/writer.hpp"
#include "coordinator/records/record_text.hpp"
#include "coordinator/views/figures.hpp"
#include "coordinator/views/sample_texts.hpp"
#include "coordinator/views/text_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace evalfleet::views {

namespace {

using records::TrialEntry;

// Of one search. What had to be read as JSON counts for what it costs.
constexpr std::uint64_t kMaxSearchedBytes = std::uint64_t{128} * 1024 * 1024;
constexpr std::uint64_t kCostOfReading = 8;

// Goes through the list of what fits the filter, from the offset on.
class Pager {
  public:
    Pager(records::TrialShelf::Hold& hold, const TrialPageRequest& request)
        : hold_(hold), request_(request), search_(request.text) {}

    Result<std::string> blocking_run() {
        const bool searches = !search_.empty();
        const std::size_t ordered =
            searches ? hold_.table().trials().size()
                     : static_cast<std::size_t>(request_.offset) + request_.limit;
        const auto selection = records::select(hold_.table(), request_.query, ordered);
        matches_ = selection.matches.size();
        writer_.begin_object().key("trials").begin_array();
        if (const Status listed = blocking_list(selection); !listed) return listed.error();
        writer_.end_array();
        write_end(selection);
        return std::move(text_);
    }

  private:
    Status blocking_list(const records::TrialSelection& selection) {
        next_ = std::min<std::uint64_t>(request_.offset, matches_);
        if (next_ == matches_) return {};
        auto records = records::RecordText::blocking_open(hold_.table());
        if (!records) return records.error();
        SampleTexts samples(hold_.dataset());
        for (; next_ < matches_ && shown_ < request_.limit && read_bytes_ < kMaxSearchedBytes;
             ++next_) {
            const TrialEntry& trial =
                hold_.table().trials()[selection.matches[static_cast<std::size_t>(next_)]];
            const auto line = records->blocking_read(trial);
            if (!line) return line.error();
            if (!search_.empty()) {
                const auto is_found = blocking_is_found(*line, trial.sample_index, samples);
                if (!is_found) return is_found.error();
                if (!*is_found) continue;
            }
            const auto document = json::Document::parse(*line);
            if (!document) return document.error();
            write(trial, document->root(), samples.blocking_task(trial.sample_index));
            ++shown_;
        }
        return {};
    }

    Result<bool> blocking_is_found(std::string_view line, std::uint32_t sample_index,
                                   SampleTexts& samples) {
        read_bytes_ += line.size() + 1;
        if (search_.may_be_in_json(line)) {
            read_bytes_ += kCostOfReading * line.size();
            const auto document = json::Document::parse(line);
            if (!document) return document.error();
            if (is_in_texts(document->root())) return true;
        }
        return samples.blocking_is_in_task(sample_index, search_);
    }

    [[nodiscard]] bool is_in_texts(json::Value record) const {
        for (const std::string_view name : {"answer", "rationale", "sample_id"}) {
            const auto text = record.optional<std::string_view>(name);
            if (text && *text && search_.is_in(**text)) return true;
        }
        return false;
    }

    void write(const TrialEntry& trial, json::Value record,
               const std::optional<std::string>& task) {
        const auto text = [&record](std::string_view name) -> std::optional<std::string> {
            const auto found = record.optional<std::string_view>(name);
            if (!found || !*found) return std::nullopt;
            return records::excerpt(**found);
        };
        writer_.begin_object()
            .member("index", next_)
            .member("sample_index", trial.sample_index)
            .member("repeat", trial.repeat)
            .member("sample_id", text("sample_id"))
            .member("passed", trial.passed)
            .member("passed_specification", trial.spec_passed)
            .member("failure_label", name_of<job::FailureLabel>(trial.label))
            .member("accuracy", score_of(trial.accuracy))
            .member("faithfulness", score_of(trial.faithfulness))
            .member("score", known(trial.score))
            .member("latency_e2e_ms", known(trial.latency_ms))
            .member("total_tokens", trial.total_tokens)
            .member("cost_usd", known(trial.cost_usd))
            .member("error_kind", name_of<job::CallError>(trial.error_kind))
            .member("task_type", text("task_type"))
            .member("repeats_disagree", trial.disagrees)
            .member("judge_retried", trial.judge_retried)
            .member("task_excerpt", task ? std::optional(records::excerpt(*task)) : std::nullopt)
            .member("answer_excerpt", text("answer"))
            .end_object();
    }

    void write_end(const records::TrialSelection& selection) {
        const bool is_at_end = next_ >= matches_;
        writer_.key("total");
        if (search_.empty())
            writer_.value(matches_);
        else if (is_at_end && request_.offset == 0)
            writer_.value(shown_);
        else
            writer_.null();
        writer_.member("offset", request_.offset).member("limit", request_.limit);
        writer_.member("complete", is_at_end || shown_ >= request_.limit);
        writer_.key("next_offset");
        is_at_end ? writer_.null() : writer_.value(next_);
        writer_.member("trials_in_all", hold_.table().trials().size());
        writer_.member("fitting", matches_);
        if (request_.query.wants_facets) {
            writer_.key("facets").begin_object();
            for (const auto& [name, values] : selection.facets) {
                writer_.key(name).begin_object();
                for (const auto& [value, count] : values)
                    writer_.member(value, count);
                writer_.end_object();
            }
            writer_.end_object();
        }
        writer_.end_object();
    }

    records::TrialShelf::Hold& hold_;
    const TrialPageRequest& request_;
    TextSearch search_;
    std::string text_;
    json::Writer writer_{text_};
    std::uint64_t matches_ = 0;
    std::uint64_t next_ = 0;
    std::uint64_t shown_ = 0;
    std::uint64_t read_bytes_ = 0;
};

}  // namespace

Result<std::string> blocking_trial_page(records::TrialShelf::Hold& hold,
                                        const TrialPageRequest& request) {
    return Pager(hold, request).blocking_run();
}

}  // namespace evalfleet::views
