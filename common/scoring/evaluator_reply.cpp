#include "common/scoring/evaluator_reply.hpp"

#include "common/scoring/json_scanner.hpp"
#include "common/scoring/words.hpp"

#include <array>
#include <span>
#include <stdexcept>
#include <utility>

namespace evalfleet::scoring {

namespace {

using job::EvaluatorProfile;
using Token = JsonScanner::Token;

enum class Slot { correctness, faithfulness, hallucination, text, label };

/// A key that a profile reads.
struct Key {
    std::string_view name;
    Slot slot;
};

constexpr std::array kRubricKeys{Key{"accuracy_score", Slot::correctness},
                                 Key{"faithfulness_score", Slot::faithfulness},
                                 Key{"rationale", Slot::text}};
constexpr std::array kSpecKeys{
    Key{"correctness_score", Slot::correctness}, Key{"faithfulness_score", Slot::faithfulness},
    Key{"hallucination_score", Slot::hallucination}, Key{"evaluator_notes", Slot::text},
    Key{"failure_label", Slot::label}};
constexpr std::size_t kMaxKeys = kSpecKeys.size();

std::span<const Key> keys_of(EvaluatorProfile profile) {
    if (has_rubric_scores(profile)) return kRubricKeys;
    return kSpecKeys;
}

/// What was found under a key: how often, and the last value, as a token.
struct Finding {
    int count = 0;
    Token token = Token::null;
    std::string text;  ///< a string unescaped, anything else as written
};

/// Walks the whole reply and collects the values of the profile's keys in the outermost object.
class ReplyReader {
  public:
    ReplyReader(std::string_view reply, std::span<const Key> keys) : scanner_(reply), keys_(keys) {}

    /// The fault of the JSON itself, if it has one.
    std::optional<ReplyFault> read() {
        const Token first = scanner_.next();
        while (true) {
            const Token token = scanner_.depth() == 0 ? scanner_.next() : read_member();
            if (token == Token::malformed) return ReplyFault::malformed_json;
            if (token == Token::too_deep) return ReplyFault::too_deep;
            if (token == Token::end) break;
        }
        if (first != Token::begin_object) return ReplyFault::not_an_object;
        return std::nullopt;
    }

    [[nodiscard]] const Finding& at(std::size_t index) const { return findings_[index]; }

  private:
    /// Takes one token; if it is a key that is looked for, its value too.
    Token read_member() {
        const Token token = scanner_.next();
        if (token != Token::key || scanner_.depth() != 1) return token;
        const std::string name = scanner_.unescaped();
        for (std::size_t i = 0; i < keys_.size(); ++i) {
            if (keys_[i].name == name) return read_value(findings_[i]);
        }
        return token;
    }

    Token read_value(Finding& finding) {
        const Token token = scanner_.next();
        ++finding.count;
        finding.token = token;
        finding.text = token == Token::string ? scanner_.unescaped() : std::string(scanner_.raw());
        return token;
    }

    JsonScanner scanner_;
    std::span<const Key> keys_;
    std::array<Finding, kMaxKeys> findings_;
};

/// 0, 1 or 2 if the token is spelled exactly so; a string "2" is not.
std::optional<int> score_of(const Finding& finding) {
    if (finding.token != Token::number || finding.text.size() != 1) return std::nullopt;
    const int score = finding.text[0] - '0';
    return score <= 2 ? std::optional(score) : std::nullopt;
}

int& score_member(EvaluatorReply& reply, Slot slot) {
    if (slot == Slot::correctness) return reply.correctness_score;
    if (slot == Slot::faithfulness) return reply.faithfulness_score;
    return reply.hallucination_score;
}

/// The fault of the explanation, if it has one. Only the Rubric's rationale is limited in length.
std::optional<ReplyFault> take_text(const Finding& finding, EvaluatorProfile profile,
                                    job::RationaleLimit limit, EvaluatorReply& reply) {
    if (finding.token != Token::string) return ReplyFault::text_not_a_string;
    const std::size_t words = count_words(finding.text);
    if (words == 0) return ReplyFault::text_blank;
    if (has_rubric_scores(profile) && words > kMaxRationaleWords) {
        if (limit == job::RationaleLimit::reject) return ReplyFault::text_too_long;
        reply.rationale_too_long = true;
    }
    reply.rationale = finding.text;
    return std::nullopt;
}

std::optional<ReplyFault> take(const Key& key, const Finding& finding, EvaluatorProfile profile,
                               job::RationaleLimit limit, EvaluatorReply& reply) {
    if (key.slot == Slot::label) {
        // Optional: whatever is wrong with a label, the scores still count.
        if (finding.count == 1 && finding.token == Token::string) {
            reply.judge_failure_label = job::from_name<job::FailureLabel>(finding.text);
        }
        return std::nullopt;
    }
    if (finding.count == 0) return ReplyFault::missing_key;
    if (finding.count > 1) return ReplyFault::duplicate_key;
    if (key.slot == Slot::text) return take_text(finding, profile, limit, reply);
    const std::optional<int> score = score_of(finding);
    if (!score) return ReplyFault::invalid_score;
    score_member(reply, key.slot) = *score;
    return std::nullopt;
}

}  // namespace

boost::system::result<EvaluatorReply, ReplyError> parse_evaluator_reply(std::string_view text,
                                                                        EvaluatorProfile profile,
                                                                        job::RationaleLimit limit) {
    if (text.size() > kMaxReplyBytes) return ReplyError{ReplyFault::too_large};
    const std::span<const Key> keys = keys_of(profile);
    ReplyReader reader(text, keys);
    if (const auto fault = reader.read()) return ReplyError{*fault};

    EvaluatorReply reply;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (const auto fault = take(keys[i], reader.at(i), profile, limit, reply)) {
            return ReplyError{*fault, keys[i].name};
        }
    }
    if (has_rubric_scores(profile)) {
        reply.hallucination_score = 2 - reply.faithfulness_score;
        reply.hallucination_source = job::HallucinationSource::derived;
    } else {
        reply.hallucination_source = job::HallucinationSource::judge;
    }
    return reply;
}

void apply(const EvaluatorReply& reply, job::TrialRecord& record) {
    record.correctness_score = reply.correctness_score;
    record.faithfulness_score = reply.faithfulness_score;
    record.hallucination_score = reply.hallucination_score;
    record.hallucination_source = reply.hallucination_source;
    record.rationale = reply.rationale;
    record.evaluator_error.reset();
    record.judge_failure_label.reset();
    if (reply.judge_failure_label) {
        record.judge_failure_label = job::to_string(*reply.judge_failure_label);
    }
}

std::string ReplyError::message() const {
    const auto about = [this](std::string_view what) { return std::string(key).append(what); };
    switch (fault) {
        case ReplyFault::too_large:
            return "the reply is larger than 16 MiB";
        case ReplyFault::malformed_json:
            return "the reply is not JSON and nothing else";
        case ReplyFault::too_deep:
            return "the reply is nested deeper than 256 levels";
        case ReplyFault::not_an_object:
            return "the reply is not a JSON object";
        case ReplyFault::missing_key:
            return about(" is missing");
        case ReplyFault::duplicate_key:
            return about(" is given more than once");
        case ReplyFault::invalid_score:
            return about(" is not 0, 1 or 2");
        case ReplyFault::text_not_a_string:
            return about(" is not a string");
        case ReplyFault::text_blank:
            return about(" is blank");
        case ReplyFault::text_too_long:
            return about(" has more than 80 words");
    }
    return "the reply was rejected";
}

void throw_exception_from_error(const ReplyError& error, const boost::source_location&) {
    throw std::logic_error("value of a rejected evaluator reply: " + error.message());
}

}  // namespace evalfleet::scoring
