#include "common/json/document.hpp"
#include "common/scoring/evaluator_reply.hpp"
#include "common/scoring/json_scanner.hpp"
#include "common/scoring/words.hpp"
#include "tests/fuzz/check.hpp"

namespace {

using namespace evalfleet;
using fuzz::check;

bool is_score(int score) {
    return score >= 0 && score <= 2;
}

void check_profile(std::string_view reply, job::EvaluatorProfile profile) {
    using job::RationaleLimit;
    const auto strict = scoring::parse_evaluator_reply(reply, profile, RationaleLimit::reject);
    const auto lenient = scoring::parse_evaluator_reply(reply, profile, RationaleLimit::warn);
    check(!strict || lenient, "what is accepted strictly is accepted leniently");
    if (!lenient) {
        check(!lenient.error().message().empty(), "a rejected reply has a reason");
        return;
    }
    check(scoring::is_json(reply), "an accepted reply is JSON");
    check(is_score(lenient->correctness_score), "correctness is 0, 1 or 2");
    check(is_score(lenient->faithfulness_score), "faithfulness is 0, 1 or 2");
    check(is_score(lenient->hallucination_score), "hallucination is 0, 1 or 2");
    const std::size_t words = scoring::count_words(lenient->rationale);
    check(words > 0, "the text is not blank");
    if (profile == job::EvaluatorProfile::rubric_v1) {
        check(strict.has_value() == (words <= scoring::kMaxRationaleWords),
              "80 words are the limit");
    }
    const std::string padded = " \t\r\n" + std::string(reply) + "\n";
    check(scoring::parse_evaluator_reply(padded, profile, RationaleLimit::warn).has_value(),
          "white space around changes nothing");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string reply(reinterpret_cast<const char*>(data), size);
    check_profile(reply, job::EvaluatorProfile::rubric_v1);
    check_profile(reply, job::EvaluatorProfile::spec_v1);
    json::Limits limits;
    limits.reject_duplicate_keys = false;
    check(!json::Document::parse(reply, limits) || scoring::is_json(reply),
          "what the other parser takes for JSON is JSON");
    return 0;
}
