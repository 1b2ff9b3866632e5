#include "common/job/vocabulary.hpp"

#include <gtest/gtest.h>

namespace evalfleet::job {
namespace {

/// True if there is a name for each enumerator up to the last one, which has this name.
template <NamedEnum Enum>
constexpr bool ends_with(Enum last, std::string_view name) {
    return static_cast<std::size_t>(last) + 1 == Names<Enum>::values.size() &&
           to_string(last) == name;
}

TEST(Vocabulary, HasANameForEachWord) {
    EXPECT_TRUE(ends_with(SchemaVersion::v1_1, "1.1"));
    EXPECT_TRUE(ends_with(FailureLabel::other, "other"));
    EXPECT_TRUE(ends_with(CallError::worker_lost, "worker_lost"));
    EXPECT_TRUE(ends_with(LatencySource::first_to_last_byte, "first_to_last_byte"));
    EXPECT_TRUE(ends_with(TokensSource::estimated, "estimated"));
    EXPECT_TRUE(ends_with(HallucinationSource::derived, "derived"));
    EXPECT_TRUE(ends_with(EvaluatorError::missing_label, "missing_label"));
    EXPECT_TRUE(ends_with(EvaluatorProfile::spec_v1_chat, "spec-v1-chat"));
    EXPECT_TRUE(ends_with(JudgedAnswer::redacted, "redacted"));
    EXPECT_TRUE(ends_with(RationaleLimit::warn, "warn"));
    EXPECT_TRUE(ends_with(JudgeFormat::none, "none"));
    EXPECT_TRUE(ends_with(EarlyStop::gates, "gates"));
}

TEST(Vocabulary, HasNoNameTwice) {
    const auto is_unique = [](const auto& names) {
        for (std::size_t i = 0; i < names.size(); ++i)
            for (std::size_t k = i + 1; k < names.size(); ++k)
                if (names[i] == names[k]) return false;
        return true;
    };
    EXPECT_TRUE(is_unique(Names<FailureLabel>::values));
    EXPECT_TRUE(is_unique(Names<CallError>::values));
    EXPECT_TRUE(is_unique(Names<EvaluatorProfile>::values));
}

}  // namespace
}  // namespace evalfleet::job
