#include "cli/simulator/judge_prompt.hpp"

#include "common/scoring/evaluator_templates.hpp"

#include <array>
#include <string>
#include <vector>

namespace evalfleet::simulator {

namespace {

using job::EvaluatorProfile;

/// The texts around the placeholders of a template.
struct Frame {
    EvaluatorProfile profile;
    std::vector<std::string> texts;  ///< one more than placeholders
};

Frame make_frame(EvaluatorProfile profile) {
    static constexpr char kMark = '\0';
    const std::string marked = scoring::evaluator_template(profile).render(
        [](std::string_view) { return std::string_view(&kMark, 1); });
    Frame frame{profile, {}};
    std::size_t begin = 0;
    for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
        end = marked.find(kMark, begin);
        frame.texts.push_back(marked.substr(begin, end - begin));
    }
    return frame;
}

std::optional<JudgePrompt> match(const Frame& frame, std::string_view prompt) {
    if (!prompt.starts_with(frame.texts.front()) || !prompt.ends_with(frame.texts.back())) {
        return std::nullopt;
    }
    prompt.remove_prefix(frame.texts.front().size());
    if (prompt.size() < frame.texts.back().size()) return std::nullopt;
    prompt.remove_suffix(frame.texts.back().size());
    JudgePrompt result{frame.profile, {}, {}, {}, {}};
    std::string_view conversation;
    std::vector parts{&result.task, &result.reference_answer, &result.provided_context};
    if (job::shows_conversation(frame.profile)) parts.insert(parts.begin(), &conversation);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::string& behind = frame.texts[i + 1];
        const auto end = prompt.find(behind);
        if (end == std::string_view::npos) return std::nullopt;
        *parts[i] = prompt.substr(0, end);
        prompt.remove_prefix(end + behind.size());
    }
    result.candidate_answer = prompt;
    return result;
}

}  // namespace

std::optional<JudgePrompt> read_judge_prompt(std::string_view prompt) {
    static const std::array kFrames{
        make_frame(EvaluatorProfile::rubric_v1), make_frame(EvaluatorProfile::spec_v1),
        make_frame(EvaluatorProfile::rubric_v1_chat), make_frame(EvaluatorProfile::spec_v1_chat)};
    for (const Frame& frame : kFrames) {
        if (auto found = match(frame, prompt)) return found;
    }
    return std::nullopt;
}

}  // namespace evalfleet::simulator
