#include "cli/simulator/judge.hpp"

#include "common/json/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

namespace evalfleet::simulator {

namespace {

using Words = std::unordered_set<std::uint64_t>;

bool is_word_byte(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || byte >= 0x80;
}

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Calls `take` with the hash of each word of the text, in lower case.
void for_each_word(std::string_view text, auto take) {
    std::string word;
    for (const char c : text) {
        if (is_word_byte(lower(c))) {
            word += lower(c);
        } else if (!word.empty()) {
            take(stable_hash(word));
            word.clear();
        }
    }
    if (!word.empty()) take(stable_hash(word));
}

Words words_of(std::string_view text) {
    Words words;
    for_each_word(text, [&words](std::uint64_t word) { words.insert(word); });
    return words;
}

/// The share of `words` that is among `known`; 1 for no words.
double share(const Words& words, const Words& known) {
    if (words.empty()) return 1;
    const auto found = std::count_if(words.begin(), words.end(),
                                     [&](std::uint64_t word) { return known.contains(word); });
    return static_cast<double>(found) / static_cast<double>(words.size());
}

int score(double share, double full, double half) {
    if (share >= full) return 2;
    return share >= half ? 1 : 0;
}

Verdict shifted(Verdict verdict, const Draw& draw) {
    const std::uint64_t bits = draw.bits(Purpose::which_score);
    int& score = (bits & 1) != 0 ? verdict.accuracy : verdict.faithfulness;
    const int step = (bits & 2) != 0 ? 1 : -1;
    score = score + step < 0 || score + step > 2 ? score - step : score + step;
    return verdict;
}

std::string to_json(const Verdict& verdict, job::EvaluatorProfile profile) {
    const std::string why =
        fmt::format("Simulated verdict by comparison of words: accuracy {}, faithfulness {}.",
                    verdict.accuracy, verdict.faithfulness);
    std::string out;
    json::Writer writer(out);
    writer.begin_object();
    if (job::has_rubric_scores(profile)) {
        writer.member("accuracy_score", verdict.accuracy);
        writer.member("faithfulness_score", verdict.faithfulness);
        writer.member("rationale", why);
    } else {
        writer.member("correctness_score", verdict.accuracy);
        writer.member("faithfulness_score", verdict.faithfulness);
        writer.member("hallucination_score", 2 - verdict.faithfulness);
        writer.member("evaluator_notes", why);
        if (verdict.faithfulness == 0) writer.member("failure_label", "hallucinated_fact");
    }
    writer.end_object();
    return out;
}

/// "2" or "1/0".
std::optional<Verdict> ordered_verdict(std::string_view text) {
    const auto digit = [&](std::size_t at) { return text[at] - '0'; };
    const bool is_one = text.size() == 1 && digit(0) >= 0 && digit(0) <= 2;
    const bool is_two = text.size() == 3 && text[1] == '/' && digit(0) >= 0 && digit(0) <= 2 &&
                        digit(2) >= 0 && digit(2) <= 2;
    if (is_one) return Verdict{digit(0), digit(0)};
    if (is_two) return Verdict{digit(0), digit(2)};
    return std::nullopt;
}

}  // namespace

Verdict judge(const JudgePrompt& prompt) {
    const Words answer = words_of(prompt.candidate_answer);
    const Words reference = words_of(prompt.reference_answer);
    Words known = reference;
    known.merge(words_of(prompt.provided_context));
    known.merge(words_of(prompt.task));
    if (answer.empty()) return {0, 2};
    // Without a reference an answer is as good as what it rests on.
    const double found = reference.empty() ? share(answer, known) : share(reference, answer);
    return {score(found, 0.9, 0.4), score(share(answer, known), 0.7, 0.4)};
}

std::string judge_reply(const JudgePrompt& prompt, const SimulatorConfig& config, const Draw& draw,
                        const std::optional<std::string>& ordered) {
    Verdict verdict = judge(prompt);
    if (draw.uniform(Purpose::judge_noise) < config.judge_noise) verdict = shifted(verdict, draw);
    const bool is_malformed = draw.uniform(Purpose::judge_malformed) < config.judge_malformed;
    if (ordered == "malformed" || (is_malformed && !ordered)) {
        std::string text = to_json(verdict, prompt.profile);
        text.resize(text.size() / 2);
        return text;
    }
    if (ordered == "prose")
        return "The answer looks good to me. " + to_json(verdict, prompt.profile);
    if (ordered) verdict = ordered_verdict(*ordered).value_or(verdict);
    return to_json(verdict, prompt.profile);
}

}  // namespace evalfleet::simulator
